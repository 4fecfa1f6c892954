package emulator_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// asked is a request in the journal of a world.
type asked struct {
	ID        string          `json:"id"`
	Sequence  int             `json:"sequence"`
	Time      string          `json:"time"`
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Query     string          `json:"query"`
	Operation string          `json:"operation"`
	Status    int             `json:"status"`
	Fault     string          `json:"fault"`
	Scenario  string          `json:"scenario"`
	Rule      string          `json:"rule"`
	Diagnosis []string        `json:"diagnosis"`
	Headers   []any           `json:"headers"`
	Request   json.RawMessage `json:"request"`
	Response  json.RawMessage `json:"response"`
}

func listed(t *testing.T, c *apitest.Client, query string) (items []asked, next string) {
	t.Helper()
	r := c.Get(control + "journal" + query)
	wantStatus(t, r, 200, "")
	var page struct {
		Items []asked `json:"items"`
		Next  string  `json:"next"`
	}
	r.JSON(&page)
	return page.Items, page.Next
}

func entryOf(t *testing.T, c *apitest.Client, id string) (e asked, text string) {
	t.Helper()
	r := c.Get(control + "journal/" + id)
	wantStatus(t, r, 200, "")
	r.JSON(&e)
	return e, string(r.Body)
}

func idOf(r *apitest.Response) string { return r.Header.Get("Understudy-Request-Id") }

// Contract 6: GET journal, GET journal/{request-id}.
func TestTheJournalSaysWhatWasAskedAndAnsweredAndWhy(t *testing.T) {
	t.Parallel()
	c := start(t)
	r := c.With("User-Agent", "suite/1").Put("/verification-requests/vr_processing/cancel?x=1", `{"cancellation_reason":"competitor","extra":true}`)
	wantStatus(t, r, 200, "")
	e, text := entryOf(t, c, idOf(r))
	e.Headers = nil
	want := asked{
		ID: idOf(r), Sequence: 1, Time: "2025-01-15T09:30:00Z", Method: "PUT", Path: "/verification-requests/vr_processing/cancel", Query: "x=1",
		Operation: "cancelVerificationRequest", Status: 200, Scenario: "processing",
		Diagnosis: []string{
			"no version was asked for: send Accept: application/json; version=2022-08-01",
			`unknown query parameter "x" was ignored`, `unknown key "extra" was ignored`,
		},
		Request:  json.RawMessage(`{"json":{"cancellation_reason":"competitor","extra":true},"text":null,"size":49,"truncated":false}`),
		Response: json.RawMessage(fmt.Sprintf(`{"json":%s,"text":null,"size":%d,"truncated":false}`, r.Body, len(r.Body))),
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(text, `{"name":"User-Agent","value":"suite/1"}`) || strings.Contains(text, key) || strings.Contains(text, "Authorization") {
		t.Errorf("headers: %s", text)
	}
	ruled := c.Get("/verification-requests/vr_error_451")
	if e, _ := entryOf(t, c, idOf(ruled)); e.Status != 451 || e.Scenario != "error-451" || !strings.Contains(e.Rule, ".yaml:") {
		t.Errorf("by a rule: %+v", e)
	}
	wantStatus(t, c.Get(control+"journal/01JHM00000000000000000000"), 404,
		`This world's journal has no request "01JHM****************0000": it keeps the last 1000 that reached the world`)
}

// Contract 4, order of judgement: a request that reaches its world is there, whatever its answer; one that does not is not.
func TestEveryRequestThatReachesAWorldIsInItsJournal(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithRateLimit(emulator.Limit{Requests: 4, Per: 1e9}))
	c := apitest.New(t, url, key)
	c.With("Accept", "text/html").Get("/verification-requests/vr_completed")                 // 406
	c.Get("/verification-requests/vr_none")                                                  // 400
	c.Put("/verification-requests/vr_error_500/cancel", cancelOther)                         // by a rule, before its body is read
	c.Post("/credentials/session", `{"target":`)                                             // 400
	c.Get("/qualification-checks/qc_qualified/")                                             // 200
	c.Get("/qualification-checks/qc_qualified")                                              // 429
	c.Get("/nowhere")                                                                        // 404: no world
	c.Get("/verification-requests")                                                          // 501: no world
	apitest.New(t, url, "svc_sk_test_expired").Get("/verification-requests/vr_completed")    // 401
	apitest.New(t, url, "svc_sk_test_suite_other").Get("/verification-requests/vr_all_null") // another world
	items, _ := listed(t, c, "")
	var got []string
	for _, e := range items {
		got = append(got, fmt.Sprint(e.Sequence, " ", e.Status, " ", e.Method, " ", e.Path))
	}
	want := []string{
		"6 429 GET /qualification-checks/qc_qualified",
		"5 200 GET /qualification-checks/qc_qualified/",
		"4 400 POST /credentials/session",
		"3 500 PUT /verification-requests/vr_error_500/cancel",
		"2 400 GET /verification-requests/vr_none",
		"1 406 GET /verification-requests/vr_completed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if e, _ := entryOf(t, c, items[3].ID); !strings.Contains(string(e.Request), `{"cancellation_reason":"other"}`) {
		t.Errorf("what a rule answered has the body %s", e.Request)
	}
}

func TestABrokenConnectionHasNoStatus(t *testing.T) {
	t.Parallel()
	url := serve(t)
	c := apitest.New(t, url, key)
	request, err := http.NewRequest("GET", url+"/verification-requests/vr_fault_empty", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if answer, err := http.DefaultClient.Do(request); err == nil {
		answer.Body.Close()
		t.Fatal("there is an answer")
	}
	items, _ := listed(t, c, "?status=0")
	if len(items) == 0 || items[0].Fault != "empty" || items[0].Status != 0 {
		t.Fatalf("%+v", items)
	}
	if e, _ := entryOf(t, c, items[0].ID); string(e.Response) != "null" {
		t.Errorf("response %s", e.Response)
	}
}

func TestTheJournalIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	c := start(t)
	var ids []string
	for _, path := range []string{"/verification-requests/vr_completed", "/verification-requests/vr_none", "/qualification-checks/qc_qualified"} {
		ids = append(ids, idOf(c.Get(path)))
	}
	wantStatus(t, c.Post(control+"clock/advance", `{"by":"1h"}`), 200, "")
	ids = append(ids, idOf(c.Put("/verification-requests/vr_processing/cancel", cancelOther)))
	for query, want := range map[string][]int{
		"":                                  {3, 2, 1, 0},
		"?operation=getVerificationRequest": {1, 0},
		"?status=400":                       {1},
		"?status=2xx":                       {3, 2, 0},
		"?path=/verification-requests/*":    {1, 0},
		"?path=/verification-requests/vr_completed": {0},
		"?path=/qualification-checks/qc_qualified/": {2},
		"?since=2025-01-15T10:00:00Z":               {3},
		"?since=2025-01-15T09:30:00Z":               {3, 2, 1, 0},
		"?since=" + ids[1]:                          {3, 2},
		"?since=01000000000000000000000000":         {3, 2, 1, 0},
		"?limit=2":                                  {3, 2},
		"?limit=2&after=" + ids[2]:                  {1, 0},
		"?limit=2&status=2xx&after=" + ids[2]:       {0},
	} {
		items, next := listed(t, c, query)
		var got []int
		for _, e := range items {
			got = append(got, e.Sequence-1)
		}
		if diff := cmp.Diff(want, got); diff != "" || (next != "") != (query == "?limit=2") {
			t.Errorf("%s: next %q, %s", query, next, diff)
		}
	}
	for query, message := range map[string]string{
		"?operation=getVerificationReqest": `There is no operation "getVerificationReqest": did you mean getVerificationRequest?`,
		"?status=fine":                     "status is not a status such as 404 or 4xx, or 0 for a connection that was broken off",
		"?since=yesterday":                 "since is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z",
		"?path=[":                          "path is not a path, or a pattern such as /verification-requests/*/cancel",
	} {
		wantStatus(t, c.Get(control+"journal"+query), 400, message)
	}
}

func TestTheJournalIsClearedAndEndsWithItsWorld(t *testing.T) {
	t.Parallel()
	c := start(t)
	count := func() int { items, _ := listed(t, c, ""); return len(items) }
	c.Get("/verification-requests/vr_completed")
	wantStatus(t, c.Send("DELETE", control+"journal", nil), 204, "")
	if n := count(); n != 0 {
		t.Errorf("cleared, it has %d requests", n)
	}
	world := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	wantStatus(t, c.Post(control+"reset", nil), 200, "")
	if n := count(); n != 0 {
		t.Errorf("reset, it has %d requests", n)
	}
	c.Get("/verification-requests/vr_completed")
	wantStatus(t, c.Send("DELETE", control+"worlds/"+world, nil), 204, "")
	if n := count(); n != 0 {
		t.Errorf("forgotten, it has %d requests", n)
	}
}

func TestAJournalThatIsOffSaysSo(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.WithJournalSize(0))
	c.Get("/verification-requests/vr_completed")
	for _, path := range []string{"journal", "journal/stream", "journal/x"} {
		wantStatus(t, c.Get(control+path), 409, "The journal is off: serve with a --journal-size above 0")
	}
	wantStatus(t, c.Post(control+"journal/verify", `{}`), 409, "The journal is off: serve with a --journal-size above 0")
	if _, err := emulator.New(emulator.WithJournalSize(-1)); err == nil {
		t.Error("a journal of -1 requests")
	}
}

func TestNeitherKeysNorNumbersAreEverInTheJournal(t *testing.T) {
	t.Parallel()
	c := start(t)
	const number, dashed, secret = "123456789", "123-45-6789", "svc_sk_test_very_private"
	for _, text := range []string{number, dashed, secret, percentEncoded(number), percentEncoded(dashed), strings.ReplaceAll(dashed, "-", "%2D")} {
		c := c.With("User-Agent", text).Without(apitest.SSN)
		c.Post("/credentials/session", session(text))
		c.Post("/credentials/session", `{"`+text+`":`+text)
		c.Put("/tenant-properties/tp_default", `{"name":"`+text+`"}`)
		c.Get("/verification-requests/" + text + "?" + text + "=" + text)
	}
	items, _ := listed(t, c, "")
	if len(items) != 24 {
		t.Errorf("%d requests", len(items))
	}
	for _, e := range items {
		_, text := entryOf(t, c, e.ID)
		for _, secret := range []string{number, dashed, "very_private", percentEncoded("6789"), "%2D6789"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s is in %s", secret, text)
			}
		}
	}
}

// The world's methods in Go find what the control plane finds.
func TestTheJournalIsReadAndVerifiedFromGo(t *testing.T) {
	t.Parallel()
	e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(epoch)))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for range 2 {
		r := httptest.NewRequest("GET", "/verification-requests/vr_completed", nil)
		r.Header.Set("Authorization", "Bearer "+key)
		e.ServeHTTP(httptest.NewRecorder(), r)
	}
	w, err := e.World(key)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := w.Journal(t.Context(), journal.Filter{Path: "/verification-requests/*", Limit: 1})
	if err != nil || len(entries) != 1 || entries[0].Sequence != 2 || entries[0].Status != 200 {
		t.Errorf("%v: %+v", err, entries)
	}
	twice := journal.Expectation{Operation: "getVerificationRequest", Times: journal.Times{Exactly: new(2)}}
	if err := w.Verify(t.Context(), twice); err != nil {
		t.Error(err)
	}
	if err := w.ClearJournal(t.Context()); err != nil {
		t.Error(err)
	}
	if err := w.Verify(t.Context(), twice); err == nil || err.Error() != "getVerificationRequest was not asked; it should have been exactly 2 times. Nothing else is in the journal of this world" {
		t.Error(err)
	}
}

// Bar: counts are exact under load: what has its answer is counted.
func TestCountsAreExactUnderLoad(t *testing.T) {
	t.Parallel()
	url := serve(t)
	var running sync.WaitGroup
	for client := range 16 {
		running.Go(func() {
			key := fmt.Sprintf("svc_sk_test_load_%d", client%4)
			c := apitest.New(t, url, key)
			for i := range 20 {
				path := fmt.Sprintf("/verification-requests/vr_completed?fields=id&client=%d", client)
				c.Get(path)
				r := c.Post(control+"journal/verify", fmt.Sprintf(
					`{"operation":"getVerificationRequest","match":{"query":{"client":"%d"}},"times":{"exactly":%d}}`, client, i+1))
				wantStatus(t, r, 200, "")
			}
		})
	}
	running.Wait()
	for world := range 4 {
		c := apitest.New(t, url, fmt.Sprintf("svc_sk_test_load_%d", world))
		wantStatus(t, c.Post(control+"journal/verify", `{"match":{"method":"GET"},"times":{"exactly":80}}`), 200, "")
	}
}

// A path that no request has finds nothing, which nobody means.
func TestTheJournalRefusesAPathThatIsNone(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Get(control+"journal?path=verification-requests/*"), 400, "path begins with /, as in /verification-requests/vr_completed: write it so")
	wantStatus(t, c.Get(control+"journal?path=/verification-requests/vr_completed%3Ffields=id"), 400, "path has a ?, where a query begins: leave that out, a path is compared without")
	wantStatus(t, c.Get(control+"journal?path=/verification-requests/*"), 200, "")
}
