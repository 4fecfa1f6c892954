package compare

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestCompare(t *testing.T) {
	s := commandtest.StartServer(t)
	drifting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":{"message":"Not Found","hint":"Ada"}}`))
	}))
	t.Cleanup(drifting.Close)
	t.Setenv("SANDBOX_KEY", commandtest.Key)
	file := commandtest.NewFile(t, "reads.txt", "# both\nGET /verification-requests/vr_completed\nGET /qualification-checks/qc_qualified\n")
	compared := func(url string, args ...string) commandtest.Result {
		t.Helper()
		return commandtest.Understudy(t, append([]string{"compare", "--upstream", url, "--key-env", "SANDBOX_KEY"}, args...)...)
	}
	for _, got := range []commandtest.Result{compared(s.URL, "--requests", file), compared(s.URL, "vr_completed", "qc_qualified")} {
		if got.Code != command.ExitOK || got.Stdout != "2 requests: no drift\n" || got.Stderr != "" {
			t.Errorf("%+v", got)
		}
	}
	compared(s.URL, "vr_error_451").Want(t, command.ExitOK, "1 request: no drift (1 answered with an error)\n")
	got := compared(drifting.URL, "vr_1")
	if got.Code != command.ExitFailed || got.Stderr != "understudy: 1 request: drift in 1, 1 finding (1 answered with an error)\n" ||
		got.Stdout != "GET /verification-requests/vr_1: 404\n  unknown key  error.hint  not in the document\n\n" {
		t.Errorf("%+v", got)
	}
	got = compared(drifting.URL, "vr_1", "--json")
	report := commandtest.Decoded[Report](t, got.Stdout)
	if got.Code != command.ExitFailed || report.Findings != 1 || report.Requests[0].Findings[0] != (Finding{Kind: "unknown key", Path: "error.hint", Text: "not in the document"}) {
		t.Errorf("%+v", got)
	}
	t.Setenv("SANDBOX_KEY", "svc_sk_test_revoked")
	compared(s.URL, "vr_completed", "qc_qualified").Want(t, command.ExitFailed, "understudy: nothing is compared: "+s.URL+" answers every request with 401: put a valid key into SANDBOX_KEY\n")
	t.Setenv("SANDBOX_KEY", commandtest.Key)
	compared(drifting.URL, "vr_1", "--ignore", "a.b", "--ignore", "error.h*").Want(t, command.ExitOK, "1 request: no drift, 1 ignored (1 answered with an error)\n")
	compared("http://127.0.0.1:1", "vr_1").Want(t, command.ExitFailed, "no answer from http://127.0.0.1:1: connect: connection refused")
}

// Nothing is sent with a key that is not that of a sandbox, and for a command line that is wrong. No message has a key.
func TestCompareRefuses(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s is sent", r.URL) }))
	t.Cleanup(upstream.Close)
	t.Setenv("GOOD_KEY", commandtest.Key)
	t.Setenv("PRODUCTION_KEY", "svc_sk_4f9a")
	t.Setenv("PUBLISHABLE_KEY", "svc_pk_test_4f9a")
	writes := commandtest.NewFile(t, "writes.txt", "GET /verification-requests/vr_1\nPUT /verification-requests/vr_1/cancel\n")
	many := commandtest.NewFile(t, "many.txt", strings.Repeat("GET /verification-requests/vr_1\n", maxRequests+1))
	base := []string{"compare", "--upstream", upstream.URL}
	good := append(base[:3:3], "--key-env", "GOOD_KEY")
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"production key":        {append(base[:3:3], "--key-env", "PRODUCTION_KEY", "vr_1"), "the value of PRODUCTION_KEY is not the secret key of a sandbox, which begins with svc_sk_test_: no other key is sent"},
		"publishable key":       {append(base[:3:3], "--key-env", "PUBLISHABLE_KEY", "vr_1"), "the value of PUBLISHABLE_KEY is not the secret key of a sandbox"},
		"another prefix":        {append(good[:5:5], "--key-prefix", "acme", "vr_1"), "which begins with acme_sk_test_"},
		"key in the flag":       {append(base[:3:3], "--key-env", "svc_sk_4f9a", "vr_1"), "--key-env takes the name of an environment variable in upper case, such as SANDBOX_KEY, and no key"},
		"variable is not set":   {append(base[:3:3], "--key-env", "NO_KEY", "vr_1"), "--key-env: the environment variable NO_KEY is not set"},
		"no key":                {append(base[:3:3], "vr_1"), "compare needs a key: name the environment variable that has it with --key-env"},
		"no upstream":           {[]string{"compare", "--key-env", "GOOD_KEY", "vr_1"}, "compare needs a sandbox: name its address with --upstream"},
		"upstream without TLS":  {[]string{"compare", "--upstream", "http://sandbox.example.com", "--key-env", "GOOD_KEY", "vr_1"}, "--upstream is not https: a key is sent without encryption to this machine only"},
		"no requests":           {good, "compare needs requests: name ids such as vr_123, or a file with --requests"},
		"request that writes":   {append(good[:5:5], "--requests", writes), writes + `:2: the line is refused: only reads are sent: write GET /verification-requests/ID`},
		"too many requests":     {append(good[:5:5], "--requests", many), "501 requests are too many: send at most 500 at a time"},
		"id of another kind":    {append(good[:5:5], "tp_1"), `"tp_1" is refused: no operation of the document reads a tenant property`},
		"pattern with a gap":    {append(good[:5:5], "vr_1", "--ignore", "a..b"), `--ignore: "a..b" is not a pattern of paths such as reports.*.paystubs.*.memo`},
		"request and bad query": {append(good[:5:5], "/verification-requests/vr_1?a=b"), `the document has no query parameter "a" for it`},
	} {
		t.Run(name, func(t *testing.T) {
			got := commandtest.Understudy(t, tt.args...)
			got.Want(t, command.ExitUsage, tt.want)
			if strings.Contains(got.Stdout+got.Stderr, "4f9a") || strings.Contains(got.Stdout+got.Stderr, commandtest.Key) {
				t.Errorf("the output has a key: %+v", got)
			}
		})
	}
}
