package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// The server uses the path as it was sent. It cleans nothing, and no path leads out of an operation.
func TestPath(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for target, want := range map[string]string{
		"/verification-requests/vr_error_403/":                         "[403]", // a trailing slash is the same path
		"/verification-requests/%76r_error_403":                        "[403]",
		"/verification-requests/../verification-requests/vr_error_403": "[404]",
		"/x/../verification-requests/vr_error_403":                     "[404]",
		"/./verification-requests/vr_error_403":                        "[404]",
		"/verification-requests/..":                                    "[400]", // an unknown id
		"/verification-requests/%2e%2e":                                "[400]",
		"/verification-requests/..%2fvr_error_403":                     "[400]",
		"/verification-requests/vr_error_403%2f":                       "[400]",
		"/verification-requests%2fvr_error_403":                        "[404]",
		"//verification-requests/vr_error_403":                         "[404]",
		"/verification-requests//vr_error_403":                         "[404]",
		"/verification-requests/vr_error_403//":                        "[404]",
		"/verification-requests/":                                      "[501]", // the collection
		"/verification-requests/vr_error_403%00":                       "[400]",
		"/verification-requests/vr_error_403\x00":                      "[400]",
		"/verification-requests/vr_error_403%":                         "[400]",
		"/verification-requests/%zz":                                   "[400]",
		"/verification-requests/%c0%ae%c0%ae":                          "[400]", // overlong dots
		"/verification-requests/%ff":                                   "[400]",
		"/verification-requests/\xff":                                  "[400]",
		"/VERIFICATION-REQUESTS/vr_error_403":                          "[404]",
		"/verification-requests/vr_error_403;a=b":                      "[400]",
		"/verification-requests/vr_error_403#x":                        "[400]",
		"/verification-requests\\vr_error_403":                         "[404]",
		"/verification-requests/" + strings.Repeat("x", 8<<10):         "[400]",
		"/verification-requests/" + strings.Repeat("%41", 8<<10):       "[400]",
		"/verification-requests" + strings.Repeat("/x", 8<<10):         "[404]",
		"/" + strings.Repeat("../", 8<<10):                             "[404]",
		"http://other.example/verification-requests/vr_error_403":      "[403]", // the form for proxies
		"verification-requests/vr_error_403":                           "[400]",
		"":                                                             "[400]",
	} {
		t.Run(target[:min(len(target), 60)], func(t *testing.T) {
			t.Parallel()
			statuses, _, body := attack(t, s.URL, "GET "+target+" HTTP/1.1\r\n"+head+"\r\n")
			if fmt.Sprint(statuses) != want {
				t.Errorf("answered %d, want %s: %s\n%s", statuses, want, body, s.Stderr)
			}
			s.WantServing(t)
		})
	}
}

// A control plane with its own address is not reachable on the address of the API.
func TestPathToControlPlane(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--control-addr", "127.0.0.1:0")
	for _, target := range []string{
		"/_understudy/v1/worlds", "/%5funderstudy/v1/worlds", "/%5Funderstudy%2fv1%2fworlds", "//_understudy/v1/worlds", "/./_understudy/v1/worlds",
		"/verification-requests/../_understudy/v1/worlds", "/verification-requests/..%2f..%2f_understudy/v1/worlds", "/_UNDERSTUDY/v1/worlds",
		"/_understudy;/v1/worlds", "http://127.0.0.1/_understudy/v1/worlds", "/_understudy", "/x/%2e%2e/_understudy/v1/worlds",
	} {
		statuses, _, body := attack(t, s.URL, "GET "+target+" HTTP/1.1\r\n"+head+"\r\n")
		if len(statuses) != 1 || statuses[0] < 400 || strings.Contains(body, "items") {
			t.Errorf("%s is answered %d %s", target, statuses, body)
		}
	}
	s.WantServing(t)
}

// forgedLines would add a header and an answer, or a log line, if a header or a log repeated it unescaped.
const forgedLines = "%0d%0aX-Forged: yes%0d%0a%0d%0aHTTP/1.1 200 OK"

// Headers and logs repeat input quoted and in ASCII, or not at all.
func TestHeaderInjection(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--log-level", "debug")
	body := func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }
	escaped, query := strings.NewReplacer("%0d", `\r`, "%0a", `\n`).Replace(forgedLines), strings.ReplaceAll(forgedLines, " ", "%20")
	read := func(target string) string { return "GET " + target + " HTTP/1.1\r\n" + head }
	for name, text := range map[string]string{
		"the id":                      read("/verification-requests/vr_"+forgedLines[:6]+"X-Forged:%20yes") + "\r\n",
		"a query parameter":           read("/verification-requests/vr_completed?"+query+"=1") + "\r\n",
		"a name in fields":            read("/verification-requests/vr_completed?fields="+query) + "\r\n",
		"a key of the body":           putHead + body(`{"name":"a","`+escaped+`":1}`),
		"a value of the body":         putHead + body(`{"name":"`+escaped+`"}`),
		"the media type":              putHead + "Content-Type: a/b; c=\"\\\r\n X-Forged: yes\"\r\n" + body(`{}`),
		"the version":                 read("/verification-requests/vr_completed") + "Accept: application/json; version=\"a\\\"X-Forged: yes\"\r\n\r\n",
		"the request id":              read("/verification-requests/vr_completed") + "Understudy-Request-Id: forged\r\nX-Request-Id: forged\r\n\r\n",
		"the world":                   "GET /_understudy/v1/clock?world=" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"the name of a scenario file": "PUT /_understudy/v1/scenarios/" + query + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer svc_sk_test_a\r\n" + body("{}"),
		"the host":                    "GET /_understudy/v1/worlds HTTP/1.1\r\nHost: x%0d%0aX-Forged\r\n\r\n",
		"the method":                  "GET%0d%0aX-Forged: /verification-requests/vr_completed HTTP/1.1\r\n" + head + "\r\n",
	} {
		statuses, header, body := attack(t, s.URL, text)
		if len(statuses) != 1 || header.Get("X-Forged") != "" || strings.Contains(header.Get("Understudy-Request-Id"), "forged") {
			t.Errorf("%s: %d %q %s", name, statuses, header, body)
		}
	}
	for line := range strings.Lines(s.Stderr.String()) {
		if !strings.HasPrefix(line, "time=") {
			t.Errorf("a log line is forged: %q", line)
		}
	}
	s.WantServing(t)
}

// The headers and the message of a rule add no other header.
func TestHeaderInjectionByRule(t *testing.T) {
	t.Parallel()
	c := commandtest.StartServer(t).API(t)
	fault := func(respond string) *apitest.Response {
		return c.Post("/_understudy/v1/faults", `{"rule":{"on":"get","respond":{"status":429,`+respond+`}}}`)
	}
	for _, respond := range []string{
		`"headers":{"X":"a\r\nX-Forged: yes"}`, `"headers":{"X\r\nX-Forged":"yes"}`, `"headers":{"X: a\r\nY":"b"}`, `"headers":{"X":"a\u0000"}`,
		`"headers":{"":"a"}`, `"headers":{"Content-Length":"5"}`, `"headers":{"Transfer-Encoding":"chunked"}`, `"headers":{"Connection":"close"}`,
	} {
		if r := fault(respond); r.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", respond, r.Status, r.Body)
		}
	}
	commandtest.WantStatus(t, fault(`"message":"a\r\nX-Forged: yes\r\n\r\n<script>","headers":{"Retry-After":"1"}`), http.StatusCreated)
	r := c.Get("/verification-requests/vr_completed")
	if r.Status != http.StatusTooManyRequests || r.ErrorMessage() != "a\r\nX-Forged: yes\r\n\r\n<script>" || slices.Contains(r.Header["X-Forged"], "yes") {
		t.Errorf("%d %s %s", r.Status, r.Header, r.Body)
	}
}

// A web page can make its visitor's browser send requests to a loopback address, and can point its own host name there (DNS
// rebinding). It neither changes nor reads a world, even with the key.
func TestCrossOrigin(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	c := apitest.New(t, s.URL, "svc_sk_test_a") // the key of head
	commandtest.WantStatus(t, c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), http.StatusOK)
	host := s.Host()
	const authorized = "Authorization: Bearer svc_sk_test_a\r\n"
	for name, tt := range map[string]struct {
		line, header, body string
		want               int
	}{
		"a fault":                        {"POST /_understudy/v1/faults", "Host: " + host + "\r\nSec-Fetch-Site: cross-site\r\nContent-Type: text/plain\r\n" + authorized, `{"rule":{"on":"any","fault":"empty"}}`, 403},
		"DNS rebinding":                  {"POST /_understudy/v1/reset", "Host: page.example\r\nOrigin: http://page.example\r\nSec-Fetch-Site: same-origin\r\n" + authorized, "", 403},
		"preflight of the control plane": {"OPTIONS /_understudy/v1/reset", "Host: " + host + "\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n", "", 405},
		"preflight of the API":           {"OPTIONS /tenant-properties/tp_default", "Host: " + host + "\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: PUT\r\n", "", 405},
		"a read without permission":      {"GET /_understudy/v1/worlds", "Host: " + host + "\r\nOrigin: https://page.example\r\nSec-Fetch-Site: cross-site\r\n", "", 200},
	} {
		statuses, header, body := attack(t, s.URL, fmt.Sprintf("%s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", tt.line, tt.header, len(tt.body), tt.body))
		if len(statuses) != 1 || statuses[0] != tt.want {
			t.Errorf("%s: answered %d %s", name, statuses, body)
		}
		for field := range header { // by which a browser would let the page read the answer
			if strings.HasPrefix(field, "Access-Control-") {
				t.Errorf("%s: %s", name, field)
			}
		}
	}
	if r := c.Get("/_understudy/v1/tenant-properties/tp_default"); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"Quay"`) {
		t.Errorf("the world has changed: %d %s", r.Status, r.Body)
	}
	s.WantServing(t)
}
