package drift

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"svc_sk_test_a": true, "svc_sk_test_expired": true, "svc_sk_test_" + strings.Repeat("a", 128): true,
		"svc_sk_live_secret": false, "svc_sk_secret": false, "svc_sk_x_sk_test_secret": false, "svc_pk_test_secret": false,
		"svc_pk_secret": false, "svc_sk_test_": false, "Bearer svc_sk_test_secret": false, "svc_sk_test_secret\n": false, " svc_sk_test_secret": false,
		"other_sk_test_secret": false, "svc_sk_test_" + strings.Repeat("a", 129): false, "": false, "SVC_SK_TEST_secret": false,
	} {
		err := CheckKey("svc", key)
		if (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret_") || err != nil && strings.Contains(err.Error(), "_secret") {
			t.Errorf("the error has the key: %v", err)
		}
	}
	if err := CheckKey("acme", "acme_sk_test_a"); err != nil {
		t.Error(err)
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://sandbox.example.com": "", "https://sandbox.example.com:8443/v1/": "", "http://127.0.0.1:8080": "", "http://[::1]:8080": "",
		"http://localhost:8080":                 "",
		"http://sandbox.example.com":            "is not https",
		"http://127.0.0.1.example.com":          "is not https",
		"http://localhost.example.com":          "is not https",
		"http://0.0.0.0:8080":                   "is not https",
		"https://user:secret@127.0.0.1":         "has a user or a password",
		"https://sandbox.example.com?key=a":     "has a query or a fragment",
		"https://sandbox.example.com#a":         "has a query or a fragment",
		"sandbox.example.com":                   "is not the URL of a sandbox",
		"ftp://sandbox.example.com":             "is not the URL of a sandbox",
		"https://":                              "is not the URL of a sandbox",
		"https://:8080":                         "is not the URL of a sandbox",
		"http://127.0.0.1:8080@sandbox.example": "has a user or a password",
	} {
		if err := CheckURL(url); (err == nil) != (want == "") || err != nil && (!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v, want %s", url, err, want)
		}
	}
}

// The key goes to the upstream only, also when it redirects.
func TestUpstreamFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("a request to the other host: %s", r.URL) }))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key || r.Header.Get("Accept") != "application/json; version=2019-10-15" || r.Method != http.MethodGet {
			t.Errorf("the request is %s with %v", r.Method, r.Header)
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	request := parse(t, "vr_1")
	report, err := Run(t.Context(), Options{Upstream: NewUpstream(server.URL, key, http.DefaultTransport), Requests: []Request{request}})
	noError(t, err)
	if got := report.Requests[0].Findings; len(got) != 1 || got[0].Kind != Status {
		t.Errorf("%v", got)
	}
}

// A 429 is retried once, after the time that it names if that is short. There is a pause between two requests.
func TestUpstreamWaits(t *testing.T) {
	t.Parallel()
	for after, want := range map[string]struct {
		waits []time.Duration
		calls int
	}{
		"3":  {[]time.Duration{3 * time.Second, interval, 3 * time.Second}, 4},
		"0":  {[]time.Duration{interval, interval, interval}, 4},
		"61": {[]time.Duration{interval}, 2},
		"":   {[]time.Duration{interval}, 2},
		"-1": {[]time.Duration{interval}, 2},
	} {
		var waits []time.Duration
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		u := NewUpstream(server.URL, key, http.DefaultTransport)
		u.wait = func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			return nil
		}
		request := parse(t, "vr_1")
		report, err := Run(t.Context(), Options{Upstream: u, Requests: []Request{request, request}})
		noError(t, err)
		server.Close()
		if diff := cmp.Diff(want.waits, waits); diff != "" || calls != want.calls || report.Requests[1].Status != http.StatusTooManyRequests {
			t.Errorf("Retry-After %q: %d calls: %s", after, calls, diff)
		}
	}
}

// An upstream that cannot be reached, and an interruption, end the comparison.
func TestUpstreamUnreachable(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	interrupted, cancel := context.WithCancel(t.Context())
	cancel()
	request := parse(t, "vr_1")
	for url, tt := range map[string]struct {
		ctx  context.Context
		want string
	}{
		secure.URL:         {t.Context(), "certificate is not trusted"},
		gone.URL:           {t.Context(), "connection refused"},
		secure.URL + "/v1": {interrupted, "context canceled"},
	} {
		_, err := Run(tt.ctx, Options{Upstream: NewUpstream(url, key, http.DefaultTransport), Requests: []Request{request}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", url, err, tt.want)
		}
	}
}
