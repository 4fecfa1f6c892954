package query_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// searched are entries to search, by their ids.
func searched() (all []*journal.Entry) {
	for _, e := range []struct{ id, path, query, request, response, scenario string }{
		{"01A", "/verification-requests/vr_01J7", "fields=id", "", `{"id":"vr_01J7","name":"Ärzte","number":"987-65-4321","a":"svc_sk_test_hidden"}`, "Lifecycle"},
		{"01B", "/credentials/session", "", `{"name":"Ada"}`, `{"id":"cs_01J7","token":"cst_1"}`, "session"},
		{"01C", "/tenant-properties/tp_123456789", "", `{"ssn":"123-45-6789"}`, `{"error":"Kelvin K"}`, ""},
	} {
		entry := journal.NewEntry(journal.Request{Method: "PUT", Path: e.path, Query: e.query, Body: []byte(e.request), Size: int64(len(e.request))}, []byte(e.response), nil)
		entry.ID, entry.Scenario, entry.Status = e.id, e.scenario, 400+len(all)
		entry.Diagnosis = []string{"no version was asked for", "finding of " + e.id}
		all = append(all, entry)
	}
	return all
}

func TestFilterText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                  "01C 01B 01A",
		"01b":               "01B",
		"vr_01J7":           "01A",
		"CS_01j7":           "01B",
		"vr_01J7 lifeCYCLE": "01A",
		"vr_01J7 session":   "",
		"fields=ID":         "01A",
		"ADA":               "01B",
		"cst_1 ada":         "01B",
		"401":               "01B",
		"4xx":               "01C 01B 01A",
		"5xx":               "",
		"ärzte":             "01A",
		"ÄRZTE":             "01A",
		"kelvin":            "01C",
		"finding of 01A":    "01A",
		`"error":"kelvin`:   "01C",
		"tp_123456789":      "01C",
		"123-45-6789":       "01C",
		"6789":              "01C",
		"4321":              "01A",
		"123-45":            "",
		"5-4321":            "", // the number is not shown
		"987":               "",
		"hidden":            "",
		"nowhere":           "",
	} {
		found, err := query.Filter{Text: text}.Select(t.Context(), searched())
		var ids []string
		for _, e := range found {
			ids = append(ids, e.ID)
		}
		if diff := cmp.Diff(want, strings.Join(ids, " ")); diff != "" || err != nil {
			t.Errorf("%q: %v %s", text, err, diff)
		}
	}
}

// A search finds what a search in a copy in lower case finds.
func TestFilterTextProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[abAB_."é-]{1,40}`).Draw(t, "text")
		word := strings.ToLower(rapid.StringMatching(`[abAB_."é-]{1,4}`).Draw(t, "word"))
		e := journal.NewEntry(journal.Request{Body: []byte(text), Size: int64(len(text))}, nil, nil)
		found, err := query.Filter{Text: word}.Select(t.Context(), []*journal.Entry{e})
		if want := strings.Contains(strings.ToLower(text), word); (len(found) > 0) != want || err != nil {
			t.Errorf("%q in %q: want %t, %v", word, text, want, err)
		}
	})
}

// selected returns the statuses of the entries that a filter selects, the latest first.
func selected(t *testing.T, f query.Filter, entries []*journal.Entry) (statuses []int) {
	t.Helper()
	found, err := f.Select(t.Context(), entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found {
		statuses = append(statuses, e.Status)
	}
	return statuses
}

// A comparison with a class is with its first or its last status.
func TestFilterStatus(t *testing.T) {
	t.Parallel()
	var entries []*journal.Entry
	for _, status := range []int{500, 499, 404, 400, 399, 200, 0} {
		entries = append(entries, &journal.Entry{Status: status})
	}
	for text, want := range map[query.Status][]int{
		"0": {0}, "4xx": {400, 404, 499}, ">=4xx": {400, 404, 499, 500}, ">4xx": {500}, "<4xx": {200, 399}, "<=4xx": {200, 399, 400, 404, 499},
		">404": {499, 500}, "<=404": {200, 399, 400, 404}, "<404": {200, 399, 400}, "-4xx": {0, 200, 399, 500}, "4xx,-404": {400, 499},
	} {
		if diff := cmp.Diff(want, selected(t, query.Filter{Status: text}, entries)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// A range of instants has both of its ends.
func TestFilterTime(t *testing.T) {
	t.Parallel()
	var entries []*journal.Entry
	for status := range 5 {
		at := lab.Epoch.Add(time.Duration(status) * time.Second)
		entries = append(entries, &journal.Entry{Status: status, Time: at, Wall: at})
	}
	first, last := entries[1].Wall, entries[3].Wall
	for _, tt := range []struct {
		filter query.Filter
		want   []int
	}{
		{query.Filter{From: first}, []int{4, 3, 2, 1}},
		{query.Filter{To: last}, []int{3, 2, 1, 0}},
		{query.Filter{From: first, To: last}, []int{3, 2, 1}},
		{query.Filter{Since: last}, []int{4, 3}},
	} {
		if diff := cmp.Diff(tt.want, selected(t, tt.filter, entries)); diff != "" {
			t.Errorf("%+v: %s", tt.filter, diff)
		}
	}
}

// BenchmarkFilterText searches 1,000 entries with reports for words that are rare, absent and in every body. The bar is
// 150 ms.
func BenchmarkFilterText(b *testing.B) {
	var all []*journal.Entry
	for n := range 1_000 {
		report := fmt.Sprintf(`{"id":"vr_%05d","state":"completed","reports":[%s{"base":"4000.00","date":"2025-01-15"}]}`, n,
			strings.Repeat(`{"gross_earnings":"4321.50","pay_date":"2024-12-31","employer":{"name":"Example Mill","address":{"line_1":"1 Main Street"}}},`, 20))
		e := journal.NewEntry(journal.Request{Method: http.MethodGet, Path: fmt.Sprintf("/verification-requests/vr_%05d", n)}, []byte(report), nil)
		e.ID, e.Status = fmt.Sprintf("01JHMMRQE0X7FN8H22EAS%05d", n), 200
		all = append(all, e)
	}
	for _, text := range []string{"vr_01234", "nowhere", "completed", "mill street", "e", "sue", "12-31 4000"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				if _, err := (query.Filter{Text: text}).Select(b.Context(), all); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
