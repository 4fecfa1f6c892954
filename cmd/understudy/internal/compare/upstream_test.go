package compare

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"svc_sk_test_a": true, "svc_sk_test_expired": true, "svc_sk_test_" + strings.Repeat("a", 128): true,
		"svc_sk_live_secret": false, "svc_sk_secret": false, "svc_sk_x_sk_test_secret": false, "svc_pk_test_secret": false,
		"svc_pk_secret": false, "svc_sk_test_": false, "Bearer svc_sk_test_secret": false, "svc_sk_test_secret\n": false, " svc_sk_test_secret": false,
		"other_sk_test_secret": false, "svc_sk_test_" + strings.Repeat("a", 129): false, "": false, "SVC_SK_TEST_secret": false,
	} {
		err := checkKey("svc", key)
		if (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret_") || err != nil && strings.Contains(err.Error(), "_secret") {
			t.Errorf("the error has the key: %v", err)
		}
	}
	if err := checkKey("acme", "acme_sk_test_a"); err != nil {
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
		if err := checkURL(url); (err == nil) != (want == "") || err != nil && (!strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "secret")) {
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
		if r.Header.Get("Authorization") != "Bearer "+commandtest.Key || r.Header.Get("Accept") != "application/json; version=2019-10-15" || r.Method != http.MethodGet {
			t.Errorf("the request is %s with %v", r.Method, r.Header)
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	request := parse(t, "vr_1")
	report, err := compare(t.Context(), options{newUpstream(server.URL, commandtest.Key, http.DefaultTransport), []Request{request}, nil})
	commandtest.NoError(t, err)
	if got := report.Requests[0].Findings; len(got) != 1 || got[0].Kind != "status" {
		t.Errorf("%v", got)
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
		_, err := compare(tt.ctx, options{newUpstream(url, commandtest.Key, http.DefaultTransport), []Request{request}, nil})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", url, err, tt.want)
		}
	}
}
