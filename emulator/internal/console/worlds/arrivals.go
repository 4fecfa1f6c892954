package worlds

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// showArrivals shows the live part of the first page again.
func showArrivals(x *frame.Exchange) (frame.Answer, error) {
	all, err := latestArrivals(x)
	return frame.Fragment{Page: "home", Name: "arrivals", Data: all}, err
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
	recorded.Spark
	On       bool                // requests are recorded
	Rows     []recorded.EntryRow // the latest first
	Outside  []recorded.EntryRow // those that reached no world
	Strays   int                 // of those counted, the ones that reached no world
	ErrorsAt string              // the page with the errors
}

// foldArrivals counts requests that are alike and follow each other in one world, and keeps the first rows.
func foldArrivals(found []recorded.EntryRow) (rows []recorded.EntryRow) {
	repeats := func(a, b recorded.EntryRow) bool { return a.In == b.In && recorded.Repeats(a.Entry, b.Entry) }
	for _, group := range recorded.Neighbours(found, len(found), repeats) {
		group[0].Times = len(group)
		rows = append(rows, group[0])
	}
	return rows[:min(len(rows), arrivalRows)]
}

// latestArrivals reads the latest requests.
func latestArrivals(x *frame.Exchange) (all arrivals, err error) {
	if all.On = x.Journal.On(); !all.On {
		return all, nil
	}
	now := time.Now()
	since := now.Add(-arrivalSpan)
	worlds, err := x.Worlds.Latest(x.Context(), arrivalWorlds, nil)
	if err != nil {
		return all, err
	}
	var found, outside []recorded.EntryRow
	depth := arrivalTotal / max(len(worlds), 1)
	for i := range worlds {
		entries, err := lastOf(x, worlds[i].ID, uint64(depth))
		if err != nil {
			return all, err
		}
		if len(entries) > 0 && entries[0].Sequence > 1 && entries[0].Wall.After(since) { // earlier ones are not causes
			since = entries[0].Wall
		}
		for _, e := range entries {
			found = append(found, recorded.EntryRow{Entry: e, In: &worlds[i], Times: 1})
		}
	}
	strays, err := query.Select(x.Context(), x.Unmatched, journal.Ref{}, query.Filter{Limit: arrivalTotal})
	if err != nil {
		return all, err
	}
	for _, e := range strays {
		outside = append(outside, recorded.EntryRow{Entry: e, Times: 1, Why: recorded.Causes{}.Reason(e)})
	}
	all.count(slices.Concat(found, outside), since, now)
	slices.SortStableFunc(found, func(a, b recorded.EntryRow) int { return b.Wall.Compare(a.Wall) })
	all.Rows, all.Outside = foldArrivals(found), foldArrivals(outside)
	causes := make(map[string]recorded.Causes)
	for i, a := range all.Rows {
		c, ok := causes[a.In.ID]
		if !ok {
			if c, err = recorded.CausesIn(x, x.Worlds.ByID(a.In.ID)); err != nil {
				return all, err
			}
			causes[a.In.ID] = c
		}
		all.Rows[i].Why = c.Reason(a.Entry)
	}
	return all, nil
}

// count counts the requests since an instant, and finds the page that has the errors.
func (all *arrivals) count(found []recorded.EntryRow, since, now time.Time) {
	entries, failing := make([]*journal.Entry, len(found)), make(map[string]bool)
	for i, a := range found {
		entries[i] = a.Entry
		if a.Wall.Before(since) {
			continue
		}
		at := frame.OutsideLink("")
		if a.In == nil {
			all.Strays++
		} else {
			at = frame.Link("worlds", a.In.ID, "journal")
		}
		if recorded.Failed(a.Entry) {
			failing[at] = true
			all.ErrorsAt = at + "?" + url.Values{"from": {"5m"}, "status": {recorded.ErrorsFilter}}.Encode()
		}
	}
	if len(failing) > 1 {
		all.ErrorsAt = frame.Link("worlds") + "?sort=errors"
	}
	all.Spark = recorded.SparkOf(entries, since, now)
}

// lastOf returns the last requests of a world, the oldest first: none of a world that was deleted.
func lastOf(x *frame.Exchange, id string, most uint64) ([]*journal.Entry, error) {
	ref, err := x.Worlds.ByID(id).JournalRef(x.Context())
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	end, err := x.Journal.End(x.Context(), ref)
	if err != nil {
		return nil, err
	}
	end.Sequence -= min(end.Sequence, most)
	some, err := x.Journal.Since(x.Context(), id, end)
	return some.Entries, err
}
