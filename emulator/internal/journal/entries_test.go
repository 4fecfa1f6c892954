package journal_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

func TestJournalEntry(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	r := c.With("User-Agent", "suite/1").Put("/verification-requests/vr_processing/cancel?x=1", `{"cancellation_reason":"competitor","extra":true}`)
	lab.WantStatus(t, r, 200, "")
	e, text := lab.EntryOf(t, c, lab.IDOf(r))
	e.Headers = nil
	var sent []lab.Header
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		sent = append(sent, lab.Header{Name: name, Value: r.Header.Get(name)})
	}
	want := lab.Asked{
		Answered: sent,
		ID:       lab.IDOf(r), Sequence: 1, Time: "2025-01-15T09:30:00Z", Method: "PUT", Path: "/verification-requests/vr_processing/cancel", Query: "x=1",
		Operation: "cancelVerificationRequest", Status: 200, Scenario: "processing",
		Diagnosis: []string{
			"no version was asked for: send Accept: application/json; version=2022-08-01",
			`unknown query parameter "x" was ignored (our decision; the specification is silent)`,
			`unknown key "extra" was ignored (our decision; the specification is silent)`,
		},
		Request:  json.RawMessage(`{"json":{"cancellation_reason":"competitor","extra":true},"text":null,"size":49,"truncated":false}`),
		Response: json.RawMessage(fmt.Sprintf(`{"json":%s,"text":null,"size":%d,"truncated":false}`, r.Body, len(r.Body))),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text, `{"name":"User-Agent","value":"suite/1"}`) || strings.Contains(text, lab.Key) || strings.Contains(text, "Authorization") {
		t.Errorf("headers: %s", text)
	}
	ruled := c.Get("/verification-requests/vr_error_451")
	if e, _ := lab.EntryOf(t, c, lab.IDOf(ruled)); e.Status != 451 || e.Scenario != "error-451" || !strings.Contains(e.Rule, ".yaml:") {
		t.Errorf("by a rule: %+v", e)
	}
	lab.WantStatus(t, c.Get(lab.Control+"journal/01JHM00000000000000000000"), 404,
		`This world's journal has no request "01JHM****************0000": it has the last 1000 only`)
}

// The journal has every request that reaches its world, whatever its answer, and no other.
func TestJournalEveryRequest(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithRateLimit(emulator.Limit{Requests: 4, Per: 1e9}))
	apitest.New(t, url, "svc_sk_test_expired").Get("/verification-requests/vr_completed")
	apitest.New(t, url, "svc_sk_test_suite_other").Get("/verification-requests/vr_all_null")
	c := apitest.New(t, url, lab.Key)
	lab.PlayScript(t, c, `
		Accept: text/html
		GET /verification-requests/vr_completed → 406
		GET /verification-requests/vr_none → 400
		PUT /verification-requests/vr_error_500/cancel {"cancellation_reason":"other"} → 500
		POST /credentials/session {"target": → 400
		GET /qualification-checks/qc_qualified/ → 200
		GET /qualification-checks/qc_qualified → 429
		GET /nowhere → 404
		GET /verification-requests → 501
		GET journal → 200 items.#=6 items.0.sequence=6 items.0.status=429 items.0.path=/qualification-checks/qc_qualified
		GET journal → 200 items.1.sequence=5 items.1.status=200 items.1.method=GET items.1.path=/qualification-checks/qc_qualified/
		GET journal → 200 items.2.sequence=4 items.2.status=400 items.2.method=POST items.2.path=/credentials/session
		GET journal → 200 items.3.sequence=3 items.3.status=500 items.3.method=PUT items.3.path=/verification-requests/vr_error_500/cancel
		GET journal → 200 items.4.sequence=2 items.4.status=400 items.4.method=GET items.4.path=/verification-requests/vr_none
		GET journal → 200 items.5.sequence=1 items.5.status=406 items.5.method=GET items.5.path=/verification-requests/vr_completed`)
	items, _ := lab.Listed(t, c, "")
	if e, _ := lab.EntryOf(t, c, items[3].ID); !strings.Contains(string(e.Request), lab.CancelOther) {
		t.Errorf("what a rule answered has the body %s", e.Request)
	}
}

func TestJournalBrokenConnection(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	if answer, err := http.DefaultClient.Do(lab.RequestTo("GET", url+"/verification-requests/vr_fault_empty", lab.Key, "")); err == nil {
		answer.Body.Close()
		t.Fatal("there is an answer")
	}
	items, _ := lab.Listed(t, c, "?status=0")
	if len(items) == 0 || items[0].Fault != "empty" || items[0].Status != 0 {
		t.Fatalf("%+v", items)
	}
	if e, _ := lab.EntryOf(t, c, items[0].ID); string(e.Response) != "null" || len(e.Answered) > 0 {
		t.Errorf("response %s with %v", e.Response, e.Answered)
	}
}

func TestJournalFilter(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	var ids []string
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_none", "/qualification-checks/qc_qualified"} {
		ids = append(ids, lab.IDOf(c.Get(path)))
	}
	lab.WantStatus(t, c.Post(lab.Control+"clock/advance", `{"by":"1h"}`), 200, "")
	ids = append(ids, lab.IDOf(c.Put("/verification-requests/vr_processing/cancel", lab.CancelOther)))
	for query, want := range map[string][]int{
		"":                                  {3, 2, 1, 0},
		"?operation=getVerificationRequest": {1, 0},
		"?status=400":                       {1},
		"?status=2xx":                       {3, 2, 0},
		"?status=>=400":                     {1},
		"?status=>200":                      {1},
		"?status=<=200":                     {3, 2, 0},
		"?status=<300":                      {3, 2, 0},
		"?status=400,406":                   {1},
		"?status=-200":                      {1},
		"?status=-400,-4xx":                 {3, 2, 0},
		"?status=2xx,-200":                  nil,
		"?q=status>=400":                    {1},
		"?q=status=200+vr_completed":        {0},
		"?q=vr_+-200":                       {1},
		"?q=vr_+400,406":                    {1},
		"?from=1h":                          {3, 2, 1, 0},
		"?from=2000-01-01T00:00:00Z&to=0s":  {3, 2, 1, 0},
		"?to=1h":                            nil,
		"?path=/verification-requests/*":    {1, 0},
		"?path=/verification-requests/vr_completed": {0},
		"?path=/qualification-checks/qc_qualified/": {2},
		"?since=2025-01-15T10:00:00Z":               {3},
		"?since=2025-01-15T09:30:00Z":               {3, 2, 1, 0},
		"?since=" + ids[1]:                          {3, 2},
		"?since=01000000000000000000000000":         {3, 2, 1, 0},
		"?q=vr_processing":                          {3},
		"?q=" + strings.ToLower(ids[0]):             {0},
		"?q=VR_none+400":                            {1},
		"?q=CANCELLATION_reason+vr_processing":      {3},
		"?q=nowhere":                                nil,
		"?limit=2":                                  {3, 2},
		"?limit=2&after=" + ids[2]:                  {1, 0},
		"?limit=2&status=2xx&after=" + ids[2]:       {0},
	} {
		items, next := lab.Listed(t, c, query)
		var got []int
		for _, e := range items {
			got = append(got, e.Sequence-1)
		}
		if diff := cmp.Diff(want, got); diff != "" || (next != "") != (query == "?limit=2") {
			t.Errorf("%s: next %q, %s", query, next, diff)
		}
	}
	lab.PlayScript(t, c, `
		GET journal?q=`+strings.Repeat("a", 201)+` → 400 The text is longer than 200 bytes: search for fewer words
		GET journal?operation=getVerificationReqest → 400 There is no operation "getVerificationReqest": did you mean getVerificationRequest?
		GET journal?status=fine → 400 The status "fine" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200
		GET journal?status=400,4 → 400 The status "4" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200
		GET journal?q=vr_1+status>=4 → 400 The status ">=4" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200
		GET journal?from=now → 400 from "now" is neither an instant such as 2025-01-15T09:00:00Z nor a span before now such as 5m or 1h
		GET journal?to=-5m → 400 to "-5m" is neither an instant such as 2025-01-15T09:00:00Z nor a span before now such as 5m or 1h
		GET journal?from=2025-01-02T00:00:00Z&to=2025-01-01T00:00:00Z → 400 The requests are to end at 2025-01-01T00:00:00Z, which is before they begin, at 2025-01-02T00:00:00Z
		GET journal?since=yesterday → 400 since "yesterday" is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z
		GET journal?path=[ → 400 The path "[" is not a path or a pattern such as /verification-requests/*/cancel
		GET journal?path=verification-requests/* → 400 The path "verification-requests/*" does not begin with /: write it as in /verification-requests/vr_completed
		GET journal?path=/verification-requests/vr_completed%3Ffields=id → 400 The path "/verification-requests/vr_completed?fields=id" contains a query: omit it and the ?
		GET journal?path=/verification-requests/*/cancle → 400 No operation has the path "/verification-requests/*/cancle": did you mean "/verification-requests/*/cancel"?
		GET journal?path=/*/*/cancel → 200
		GET journal?operation=getVerificationRequest&path=/verification-requests/*/cancel → 400 getVerificationRequest never has the path "/verification-requests/*/cancel": did you mean cancelVerificationRequest?
		GET journal?status=600 → 400 The status "600" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200
		GET journal/stream?path=/verification-requests/*/cancle → 400 No operation has the path "/verification-requests/*/cancle": did you mean "/verification-requests/*/cancel"?`)
}

func TestJournalClear(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	world := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	for _, end := range []string{"DELETE journal → 204", "POST reset → 200", "DELETE worlds/" + world + " → 204"} {
		lab.PlayScript(t, c, "GET /verification-requests/vr_completed → 200\n"+end+"\nGET journal → 200 items.#=0")
	}
}

func TestJournalOff(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t, emulator.WithJournalSize(0))
	const off = "The journal is off: serve with a --journal-size above 0"
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_completed → 200
		GET journal → 409 `+off+`
		GET journal/stream → 409 `+off+`
		GET journal/x → 409 `+off+`
		POST journal/verify {} → 409 `+off)
	_, err := w.Journal(t.Context(), query.Filter{})
	lab.WantRefusal(t, err, 409, off)
	_, err = w.Verify(t.Context(), query.Expectation{})
	lab.WantRefusal(t, err, 409, off)
	if _, err := emulator.New(emulator.WithJournalSize(-1)); err == nil {
		t.Error("a journal of -1 requests")
	}
}

// The header and the journal mask a number in the same way.
func TestJournalMask(t *testing.T) {
	t.Parallel()
	lab.PlayScript(t, lab.Start(t).Without(apitest.SSN), `
		GET /verification-requests/123456789 → 400 Verification not found | no verification request is "***-**-6789"
		GET journal → 200 items.0.path=/verification-requests/***-**-6789`)
}

// discard is a response writer that discards the body.
type discard http.Header

func (d discard) Header() http.Header         { return http.Header(d) }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkJournal measures a read with and without its journal entry, which may cost a tenth of the throughput.
func BenchmarkJournal(b *testing.B) {
	for _, bench := range []struct {
		name string
		size int
	}{{"off", 0}, {"on", 1000}} {
		b.Run(bench.name, func(b *testing.B) {
			e := lab.Launch(b, emulator.WithJournalSize(bench.size))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r := httptest.NewRequest(http.MethodGet, "/verification-requests/vr_completed", nil)
					r.Header.Set("Authorization", "Bearer "+lab.Key)
					r.Header.Set("Accept", "application/json; version=2019-10-15")
					r.Header.Set("User-Agent", "Go-http-client/1.1")
					e.ServeHTTP(discard{}, r)
				}
			})
		})
	}
}
