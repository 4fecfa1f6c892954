package recorded

import (
	"fmt"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// The dimensions of a spark line, in its own units.
const (
	sparkBars   = 30
	sparkWidth  = 20
	sparkHeight = 48
)

// Spark counts requests over a span of the machine's time.
type Spark struct {
	Since  time.Time // when it begins
	Span   time.Duration
	Each   time.Duration // interval of a bar
	Count  int           // requests
	Errors int           // of them
	Bars   []sparkBar
	Peak   int // requests of the highest
}

// Linked reports whether the bars lead to their requests.
func (s Spark) Linked() bool { return len(s.Bars) > 0 && s.Bars[0].Link != "" }

// sparkBar is the requests of an interval, unless there are none; errors stand on the others.
type sparkBar struct {
	X, Y, Height, Errors int
	Tip                  string
	From, To             time.Time
	Link                 string // to them; "": none
}

// ErrorsFilter selects what [Failed] does, in ?status=.
const ErrorsFilter = ">=400,0"

// Failed reports whether an answer is an error.
func Failed(e *journal.Entry) bool { return e.Status == 0 || e.Status >= 400 }

// SparkOf counts the requests from an instant to another.
func SparkOf(entries []*journal.Entry, since, until time.Time) (s Spark) {
	s.Since, s.Span = since, until.Sub(since)
	s.Each = max(s.Span/sparkBars, 1)
	counts, errors := [sparkBars]int{}, [sparkBars]int{}
	for _, e := range entries {
		if e.Wall.Before(since) {
			continue
		}
		i := min(int(e.Wall.Sub(since)/s.Each), sparkBars-1)
		counts[i]++
		s.Count++
		if Failed(e) {
			errors[i]++
			s.Errors++
		}
	}
	s.Peak = slices.Max(counts[:])
	high := func(n int) int { return (n*sparkHeight + s.Peak - 1) / s.Peak }
	for i, n := range counts {
		if n == 0 {
			continue
		}
		from := since.Add(time.Duration(i) * s.Each)
		s.Bars = append(s.Bars, sparkBar{
			X: i * sparkWidth, Y: sparkHeight - high(n), Height: high(n), Errors: high(errors[i]), From: from, To: from.Add(s.Each),
			Tip: words.Count(n, "request", "requests") + ", " + words.Count(errors[i], "error", "errors") + ", " + words.Lasting(until.Sub(from)) + " ago",
		})
	}
	return s
}

// Share returns the share of errors.
func (s Spark) Share() string {
	percent := float64(100*s.Errors) / float64(max(s.Count, 1))
	if 0 < percent && percent < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", percent)
}
