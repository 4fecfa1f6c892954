package console

import (
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// entryRow is a request in a list, or the latest of some that are alike and follow each other.
type entryRow struct {
	*journal.Entry
	First   string // of the first of them, which stays while others come
	Link    string
	Why     string // in a line; "" for a plain answer
	Times   int
	Unfold  string     // link to the list with all of them, or without
	Same    []entryRow // the earlier ones, unfolded
	Current bool       // it has the chosen request
	Still   bool       // the list does not follow time, and says when
}

// maxAlikeRow bounds the requests of a row.
const maxAlikeRow = 100

// repeats reports whether two requests are alike, and were answered as long and for the same reason.
func repeats(a, b *journal.Entry) bool {
	return alike(a, b) && a.Kind == b.Kind && lengthOf(a) == lengthOf(b) && slices.Equal(a.Diagnosis, b.Diagnosis)
}

// neighbours groups requests that are alike and follow each other, up to a number in each group.
func neighbours(entries []*journal.Entry, most int) (groups [][]*journal.Entry) {
	for i, e := range entries {
		if last := len(groups) - 1; last >= 0 && len(groups[last]) < most && repeats(groups[last][0], e) {
			groups[last] = append(groups[last], e)
		} else {
			groups = append(groups, entries[i:i+1:i+1])
		}
	}
	return groups
}

// row returns the row of a group.
func (x *exchange) row(group []*journal.Entry, c causes, chosen string) entryRow {
	e := group[0]
	r := entryRow{Entry: e, First: group[len(group)-1].ID, Link: x.here("journal", e.ID) + x.filters(), Why: c.reason(e).brief(), Times: len(group)}
	r.Current = journal.Find(group, chosen) != nil
	if r.Times == 1 {
		return r
	}
	if x.value("unfold") != r.First {
		r.Unfold = x.here("journal") + x.filters("unfold", r.First)
		return r
	}
	r.Unfold = x.here("journal") + x.filters("unfold", "")
	for i := range group[1:] {
		r.Same = append(r.Same, x.row(group[i+1:i+2], c, chosen))
	}
	return r
}
