package console

import (
	"fmt"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// The dimensions of a spark line, in its own units.
const (
	sparkBars   = 30
	sparkWidth  = 20
	sparkHeight = 48
)

// spark counts requests over a span of the machine's time.
type spark struct {
	Since  time.Time // when it begins
	Span   time.Duration
	Each   time.Duration // interval of a bar
	Count  int           // requests
	Errors int           // of them
	Bars   []sparkBar
	Peak   int // requests of the highest
}

// Linked reports whether the bars lead to their requests.
func (s spark) Linked() bool { return len(s.Bars) > 0 && s.Bars[0].Link != "" }

// sparkBar is the requests of an interval, unless there are none; errors stand on the others.
type sparkBar struct {
	X, Y, Height, Errors int
	Tip                  string
	From, To             time.Time
	Link                 string // to them; "": none
}

// errorsFilter selects what [failed] does, in ?status=.
const errorsFilter = ">=400,0"

// failed reports whether an answer is an error.
func failed(e *journal.Entry) bool { return e.Status == 0 || e.Status >= 400 }

// sparkOf counts the requests from an instant to another.
func sparkOf(entries []*journal.Entry, since, until time.Time) (s spark) {
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
		if failed(e) {
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
			Tip: count(n, "request", "requests") + ", " + count(errors[i], "error", "errors") + ", " + lasting(until.Sub(from)) + " ago",
		})
	}
	return s
}

// Share returns the share of errors.
func (s spark) Share() string {
	percent := float64(100*s.Errors) / float64(max(s.Count, 1))
	if 0 < percent && percent < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", percent)
}
