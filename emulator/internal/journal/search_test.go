package journal_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// A search of a stored journal finds the same as one of a journal in memory.
func TestFilterTextStored(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, make func(size int) *journal.Journal, set func(journal.Ref)) {
		j := make(10)
		const answer = `{"id":"cs_01J7","name":"Ärzte","number":"987-65-4321","a":"svc_sk_test_hidden"}`
		if err := j.Append(t.Context(), w1, journal.NewEntry(journal.Request{Method: "PUT", Path: "/tenant-properties/tp_123456789"}, []byte(answer), nil)); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]int{"ärzte 4321": 1, "hidden": 0, "cs_01j7": 1, "6789": 1} {
			if found, err := query.Select(t.Context(), j, w1, query.Filter{Text: text}); len(found) != want || err != nil {
				t.Errorf("%q: %d, want %d (%v)", text, len(found), want, err)
			}
		}
		if _, err := query.Select(t.Context(), j, w1, query.Filter{Text: strings.Repeat("a", 201)}); err == nil {
			t.Error("a long text is searched")
		}
	})
}
