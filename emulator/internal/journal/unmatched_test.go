package journal_test

import (
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// unmatched returns the requests that reached no world, the latest first, as METHOD PATH STATUS.
func unmatched(t *testing.T, url, query string) (requests []string) {
	t.Helper()
	r := apitest.New(t, url, "").Get(lab.Control + "unmatched-requests" + query)
	lab.WantStatus(t, r, 200, "")
	var page struct {
		Items []lab.Asked `json:"items"`
	}
	r.JSON(&page)
	for _, e := range page.Items {
		requests = append(requests, e.Method+" "+e.Path+" "+strconv.Itoa(e.Status))
	}
	return requests
}

func TestUnmatchedRequests(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	lab.PlayScript(t, apitest.New(t, url, "svc_sk_test_limited"), `
		GET /verification-requests/vr_completed → 429
		GET /v1/verification-requests/vr_completed → 404
		GET //verification-requests/vr_completed → 404
		POST /verification-requests/vr_completed → 405
		GET /tenant-properties/tp_default → 501`)
	for _, key := range []string{"svc_sk_test_forbidden", "svc_sk_test_expired", "svc_sk_production", ""} {
		apitest.New(t, url, key).Put("/tenant-properties/tp_default", `{"name":"Quay"}`)
	}
	want := []string{
		"PUT /tenant-properties/tp_default 401", "PUT /tenant-properties/tp_default 401", "PUT /tenant-properties/tp_default 401", "PUT /tenant-properties/tp_default 403",
		"GET /tenant-properties/tp_default 501", "POST /verification-requests/vr_completed 405", "GET //verification-requests/vr_completed 404",
		"GET /v1/verification-requests/vr_completed 404", "GET /verification-requests/vr_completed 429",
	}
	if diff := cmp.Diff(want, unmatched(t, url, "")); diff != "" {
		t.Error(diff)
	}
	for query, want := range map[string][]string{
		"?status=429":                            want[8:],
		"?status=40x":                            nil,
		"?path=/v1/verification-requests/*":      want[7:8],
		"?operation=updateTenantProperty":        want[:4],
		"?limit=2":                               want[:2],
		"?since=2999-01-01T00:00:00Z":            nil,
		"?operation=getQualificationCheck":       nil,
		"?status=5xx&since=2000-01-01T00:00:00Z": want[4:5],
	} {
		if query == "?status=40x" {
			lab.WantStatus(t, apitest.New(t, url, "").Get(lab.Control+"unmatched-requests"+query), 400, `The status "40x" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`)
		} else if diff := cmp.Diff(want, unmatched(t, url, query)); diff != "" {
			t.Errorf("%s: %s", query, diff)
		}
	}
	lab.PlayScript(t, apitest.New(t, url, ""), `
		GET unmatched-requests?world=x → 400 There is no query parameter "world": this call has limit, after, operation, status, path, q, from, to, since
		GET unmatched-requests/stream → 404 There is no unmatched request "stream": the latest are kept
		DELETE unmatched-requests → 204
		GET unmatched-requests → 200 {"items":[],"next":null}`)
}

// What is answered from a world, by the control plane or by the console, is not unmatched. Nor is a dry run or a failure.
func TestUnmatchedOnlyRefused(t *testing.T) {
	t.Parallel()
	s, err := store.Open("temp")
	lab.NoError(t, err)
	url := lab.Serve(t, emulator.WithStore(s))
	c := apitest.New(t, url, lab.Key)
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_none → 400
		GET /verification-requests/vr_error_401 → 401
		GET jornal → 404
		PUT journal → 405
		POST scenarios/resolve {"method":"GET","path":"/v1/verification-requests/x"} → 200
		POST scenarios/resolve {"method":"POST","path":"/verification-requests"} → 200`)
	apitest.New(t, url, "svc_sk_test_expired").Get(lab.Control + "clock")
	c.Without(apitest.Envelope, apitest.Headers).Get("/_understudy/nowhere")
	lab.NoError(t, s.Close())
	lab.WantStatus(t, c.Get("/verification-requests/vr_completed"), 500, "Internal server error")
	if found := unmatched(t, url, ""); found != nil {
		t.Error(found)
	}
}

func TestUnmatchedEntry(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelDebug)
	e := lab.Launch(t, option, emulator.WithControlToken("secret"))
	url := lab.ServeHandler(t, e)
	r := lab.RequestTo("SVC_sk_test_method", url+"/123-45-6789/svc_sk_test_path?key=svc_sk_test_query", "svc_sk_test_expired", "svc_sk_test_body")
	r.Header.Set("User-Agent", "suite/1 123456789 svc_sk_test_agent")
	answer := apitest.New(t, url, "").Do(r)
	lab.WantStatus(t, answer, 404, "Not Found")
	refused := lab.RequestTo("SVC_sk_test_method", url+lab.Control+"clock", "svc_sk_test_me", "")
	apitest.New(t, url, "").Without(apitest.Document).Do(refused)
	if strings.Contains(log.String(), "_test_") || !strings.Contains(log.String(), "method=SVC###") {
		t.Error(log)
	}
	shown := apitest.New(t, url, "").With("Understudy-Control-Token", "secret").Get(lab.Control + "unmatched-requests/" + lab.IDOf(answer))
	lab.WantStatus(t, shown, 200, "")
	lab.WantParts(t, string(shown.Body), `"method":"SVC###"`, `"path":"/***-**-6789/svc###"`, `"query":"key=svc%23%23%23"`, `"operation":"","status":404,`,
		`{"name":"User-Agent","value":"suite/1 ***-**-6789 svc###"}`, `"request":null,"response":{"json":{"error":{"message":"Not Found"}}`)
	entries, err := e.Unmatched(t.Context(), emulator.JournalFilter{Limit: 1})
	if err != nil || len(entries) != 1 || entries[0].ID != lab.IDOf(answer) {
		t.Errorf("in Go: %v, %v", entries, err)
	}
}

func TestUnmatchedLimits(t *testing.T) {
	t.Parallel()
	t.Run("as many as the journal of a world", func(t *testing.T) {
		url := lab.Serve(t, emulator.WithJournalSize(2))
		c := apitest.New(t, url, lab.Key)
		for _, path := range []string{"/a", "/b", "/c"} {
			lab.WantStatus(t, c.Get(path), 404, "Not Found")
		}
		if diff := cmp.Diff([]string{"GET /c 404", "GET /b 404"}, unmatched(t, url, "")); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("none when the journal is off", func(t *testing.T) {
		c := lab.Start(t, emulator.WithJournalSize(0))
		lab.WantStatus(t, c.Get("/nowhere"), 404, "Not Found")
		for _, method := range []string{"GET", "DELETE"} {
			lab.WantStatus(t, c.Send(method, lab.Control+"unmatched-requests", nil), 409, "The journal is off: serve with a --journal-size above 0")
		}
	})
	t.Run("4 MiB", func(t *testing.T) {
		e := lab.Launch(t)
		url := lab.ServeHandler(t, e)
		for range 100 { // about 60 KB each
			r := lab.RequestTo(http.MethodGet, url+"/nowhere", "", "")
			for range 30 {
				r.Header.Add("X-Request-Id", strings.Repeat("x ", 1<<10))
			}
			lab.WantStatus(t, apitest.New(t, url, "").Do(r), 404, "Not Found")
		}
		entries, err := e.Unmatched(t.Context(), emulator.JournalFilter{})
		if err != nil || len(entries) == 0 || len(entries) > 70 {
			t.Errorf("%d entries, %v", len(entries), err)
		}
	})
	t.Run("the token of the control plane", func(t *testing.T) {
		c := lab.Start(t, emulator.WithControlToken("secret"))
		lab.WantStatus(t, c.Without(apitest.Document).Get(lab.Control+"unmatched-requests"), 401,
			"The control plane has a token (--control-token): send it as Understudy-Control-Token, or as Authorization: Bearer where no API key goes there")
		lab.WantStatus(t, c.With("Understudy-Control-Token", "secret").Get(lab.Control+"unmatched-requests"), 200, "")
	})
}
