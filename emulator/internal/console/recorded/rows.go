package recorded

import (
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// EntryRow is a request in a list, or the latest of some that are alike and follow each other.
type EntryRow struct {
	*journal.Entry
	First   string // of the first of them, which stays while others come
	Link    string
	Why     Reason
	In      *world.Status // its world in a list of several; nil: it reached none
	Times   int
	Unfold  string     // link to the list with all of them, or without
	Same    []EntryRow // the earlier ones, unfolded
	Current bool       // it has the chosen request
	Dated   bool       // the list does not follow time, and says when
}

// MaxAlikeRow bounds the requests of a row.
const MaxAlikeRow = 100

// Repeats reports whether two requests are alike, and were answered as long and for the same reason.
func Repeats(a, b *journal.Entry) bool {
	return Alike(a, b) && a.Kind == b.Kind && lengthOf(a) == lengthOf(b) && slices.Equal(a.Diagnosis, b.Diagnosis)
}

// Neighbours groups requests that repeat one another and follow each other, up to a number in each group.
func Neighbours[T any](requests []T, most int, repeats func(a, b T) bool) (groups [][]T) {
	for i, r := range requests {
		if last := len(groups) - 1; last >= 0 && len(groups[last]) < most && repeats(groups[last][0], r) {
			groups[last] = append(groups[last], r)
		} else {
			groups = append(groups, requests[i:i+1:i+1])
		}
	}
	return groups
}

// Row returns the row of a group.
func Row(x *frame.Exchange, group []*journal.Entry, c Causes, chosen string) EntryRow {
	e := group[0]
	r := EntryRow{Entry: e, First: group[len(group)-1].ID, Link: x.Here("journal", e.ID) + Filters(x), Why: c.Reason(e), Times: len(group)}
	r.Current = journal.Find(group, chosen) != nil
	if r.Times == 1 {
		return r
	}
	if x.Value("unfold") != r.First {
		r.Unfold = x.Here("journal") + Filters(x, "unfold", r.First)
		return r
	}
	r.Unfold = x.Here("journal") + Filters(x, "unfold", "")
	for i := range group[1:] {
		r.Same = append(r.Same, Row(x, group[i+1:i+2], c, chosen))
	}
	return r
}
