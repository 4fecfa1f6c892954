package console

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// showArrivals shows the live part of the first page again.
func showArrivals(x *exchange) (answer, error) {
	all, err := x.arrivals()
	return fragment{"home", "arrivals", all}, err
}

// The first page looks at the last requests of the worlds that were used last, so that it takes as long with many worlds
// and requests as with few.
const (
	arrivalWorlds = 12
	arrivalTotal  = 1200 // requests of all
	arrivalSpan   = 5 * time.Minute
	arrivalRows   = 12
)

// arrivals are the latest requests over all worlds.
type arrivals struct {
	On      bool      // requests are recorded
	Rows    []arrival // the latest first
	Outside []arrival // those that reached no world
	Since   time.Time // when the chart begins
	Count   int       // requests since then
	Errors  int       // of them
	Strays  int       // of them, those that reached no world
	Span    time.Duration
	Bars    []arrivalBar // from Since to now
	Peak    int          // requests of the highest
	Each    time.Duration
}

// arrival is a request that came, and its world, nil for none.
type arrival struct {
	*journal.Entry
	In    *world.Status
	Times int // that it came in a row, if it was refused
}

// Cause returns why the request was not answered plainly, "" if it was.
func (a arrival) Cause() string {
	if r := reasonOf(a.Entry); !r.Plain {
		return r.Cause
	}
	return ""
}

// Advice returns what was wrong with a refused request, and what to do about it.
func (a arrival) Advice() []string {
	advice := strings.SplitN(reasonOf(a.Entry).Sentence(), ": ", 2)
	for i, sentence := range advice {
		advice[i] = capital(sentence)
	}
	return advice
}

// same reports whether a request was the same, and was refused for the same reason.
func (a arrival) same(e *journal.Entry) bool {
	return a.Method == e.Method && a.Path == e.Path && a.Query == e.Query && slices.Equal(a.Diagnosis, e.Diagnosis)
}

// Ago returns how long ago the request came, in the largest unit.
func (a arrival) Ago() string {
	span := time.Since(a.Wall)
	if span < time.Second {
		return "just now"
	}
	number, unit, _ := strings.Cut(lasting(span), " ")
	unit, _, _ = strings.Cut(unit, " ")
	return number + " " + unit + " ago"
}

// arrivals reads the latest requests.
func (x *exchange) arrivals() (all arrivals, err error) {
	if all.On = x.Journal.On(); !all.On {
		return all, nil
	}
	now := time.Now()
	all.Since = now.Add(-arrivalSpan)
	worlds, err := x.Worlds.Latest(x.context(), arrivalWorlds, nil)
	if err != nil {
		return all, err
	}
	var found []arrival
	depth := arrivalTotal / max(len(worlds), 1)
	for i := range worlds {
		entries, err := x.lastOf(worlds[i].ID, uint64(depth))
		if err != nil {
			return all, err
		}
		if len(entries) > 0 && entries[0].Sequence > 1 && entries[0].Wall.After(all.Since) { // earlier ones are not known
			all.Since = entries[0].Wall
		}
		for _, e := range entries {
			found = append(found, arrival{e, &worlds[i], 1})
		}
	}
	outside, err := x.Unmatched.Select(x.context(), journal.Ref{}, journal.Filter{Limit: arrivalTotal})
	if err != nil {
		return all, err
	}
	for _, e := range outside {
		found = append(found, arrival{Entry: e})
		if n := len(all.Outside); n > 0 && all.Outside[n-1].same(e) {
			all.Outside[n-1].Times++
		} else if n < arrivalRows {
			all.Outside = append(all.Outside, arrival{e, nil, 1})
		}
	}
	all.draw(found, now)
	found = slices.DeleteFunc(found, func(a arrival) bool { return a.In == nil })
	slices.SortStableFunc(found, func(a, b arrival) int { return b.Wall.Compare(a.Wall) })
	all.Rows = found[:min(len(found), arrivalRows)]
	return all, nil
}

// lastOf returns the last requests of a world, the oldest first: none of a world that was deleted.
func (x *exchange) lastOf(id string, most uint64) ([]*journal.Entry, error) {
	ref, err := x.Worlds.ByID(id).JournalRef(x.context())
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	end, err := x.Journal.End(x.context(), ref)
	if err != nil {
		return nil, err
	}
	end.Sequence -= min(end.Sequence, most)
	some, err := x.Journal.Since(x.context(), id, end)
	return some.Entries, err
}

// The dimensions of the chart of arrivals, in its own units.
const (
	arrivalBars   = 30
	arrivalWidth  = 20
	arrivalHeight = 48
)

// arrivalBar is the requests of an interval, unless there are none; errors stand on the others.
type arrivalBar struct {
	X, Y, Height, Errors int
	Tip                  string
}

// draw counts requests from Since to now.
func (all *arrivals) draw(found []arrival, now time.Time) {
	all.Span = now.Sub(all.Since)
	all.Each = max(all.Span/arrivalBars, 1)
	counts, errors := [arrivalBars]int{}, [arrivalBars]int{}
	for _, a := range found {
		if a.Wall.Before(all.Since) {
			continue
		}
		i := min(int(a.Wall.Sub(all.Since)/all.Each), arrivalBars-1)
		counts[i]++
		all.Count++
		if a.Status == 0 || a.Status >= 400 {
			errors[i]++
			all.Errors++
		}
		if a.In == nil {
			all.Strays++
		}
	}
	all.Peak = slices.Max(counts[:])
	high := func(n int) int { return (n*arrivalHeight + all.Peak - 1) / all.Peak }
	for i, n := range counts {
		if n == 0 {
			continue
		}
		all.Bars = append(all.Bars, arrivalBar{
			X: i * arrivalWidth, Y: arrivalHeight - high(n), Height: high(n), Errors: high(errors[i]),
			Tip: count(n, "request", "requests") + ", " + count(errors[i], "error", "errors") + ", " + lasting(all.Each*time.Duration(arrivalBars-i)) + " ago",
		})
	}
}

// Share returns the share of errors.
func (all arrivals) Share() string {
	percent := float64(100*all.Errors) / float64(max(all.Count, 1))
	if 0 < percent && percent < 1 {
		return "<1%"
	}
	return fmt.Sprintf("%.0f%%", percent)
}
