package control_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

const (
	token      = "correct-horse"
	needsToken = "The control plane has a token (--control-token): send it as Understudy-Control-Token, or as Authorization: Bearer where no API key goes there"
)

func TestGuardToken(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithControlToken(token))
	c, nobody := apitest.New(t, url, lab.Key), apitest.New(t, url, "")
	for _, call := range []string{
		"GET info", "GET worlds", "DELETE worlds/none", "POST reset", "GET clock", `POST clock/advance {"by":"1h"}`, `POST faults {"rule":{"on":"any","fault":"empty"}}`,
	} {
		method, path, body := lab.SplitRequest(call)
		for name, caller := range map[string]*apitest.Client{
			"no token":          c,
			"another token":     c.With("Understudy-Control-Token", "correct-hors"),
			"an empty token":    c.With("Understudy-Control-Token", ""),
			"neither":           nobody,
			"a token as bearer": nobody.With("Authorization", "Bearer correct-hors"),
			"another scheme":    nobody.With("Authorization", "Basic "+token),
		} {
			if r := caller.Send(method, path, body); r.Status != 401 || r.ErrorMessage() != needsToken {
				t.Errorf("%s with %s: %d %s", call, name, r.Status, r.Body)
			}
		}
	}
	lab.WantStatus(t, c.With("Understudy-Control-Token", token).Post(lab.Control+"clock/advance", `{"by":"1h"}`), 200, "")
	bearer := nobody.With("Authorization", "bearer "+token)
	world := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	lab.PlayScript(t, bearer, `
		GET worlds → 200 items.#=1 items.0.id=`+world+`
		GET clock?world=`+world+` → 200 now=2025-01-15T10:30:00Z
		GET /_understudy/metrics → 200`)
	lab.PlayScript(t, nobody, `
		GET health → 200
		GET ready → 200
		GET /_understudy/openapi.json → 200
		GET /_understudy/openapi.yaml → 200
		GET /_understudy/llms.txt → 200
		GET /_understudy/metrics → 401 `+needsToken)
}

func TestGuardInvalidToken(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"correct horse", "correct\nhorse", "korrekt-pferd-ä"} {
		_, err := emulator.New(emulator.WithControlToken(text))
		if err == nil || err.Error() != "the control token may have visible ASCII characters only, and no spaces" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// sendAs sends a request with headers, as a browser might.
func sendAs(t *testing.T, c *apitest.Client, url, method, path string, header map[string]string) *apitest.Response {
	t.Helper()
	r := lab.RequestTo(method, url+path, lab.Key, "")
	for name, value := range header {
		r.Header.Set(name, value)
	}
	r.Host = r.Header.Get("Host")
	return c.Do(r)
}

func TestGuardOrigin(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t)
	c := apitest.New(t, url, lab.Key)
	const refused = "A web page of another origin may not drive the control plane"
	for name, header := range map[string]map[string]string{
		"a page by its fetch metadata": {"Sec-Fetch-Site": "cross-site"},
		"a page of the same site":      {"Sec-Fetch-Site": "same-site"},
		"a page by its origin":         {"Origin": "https://page.example"},
		"a page without an origin":     {"Origin": "null"},
		"a page on another port":       {"Origin": "http://127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab.WantStatus(t, sendAs(t, c, url, "POST", lab.Control+"reset", header), 403, refused)
			lab.WantStatus(t, sendAs(t, c, url, "DELETE", lab.Control+"faults", header), 403, refused)
		})
	}
	for _, header := range []map[string]string{{"Sec-Fetch-Site": "same-origin"}, {"Origin": url}, {"Sec-Fetch-Site": "none"}, {}} {
		lab.WantStatus(t, sendAs(t, c, url, "POST", lab.Control+"reset", header), 200, "")
	}
}

// hostStatuses maps a Host to the status of a call of the control plane that allows understudy.test and Sandbox.Example:8080.
var hostStatuses = map[string]int{
	"localhost": 200, "LOCALHOST:8080": 200, "localhost.": 200, "understudy": 200, "understudy:8080": 200, "my_service": 200,
	"127.0.0.1:8080": 200, "127.1.2.3": 200, "[::1]:8080": 200, "[::1]": 200, "[::ffff:10.0.0.7]:8080": 200, "10.0.0.7": 200, "192.0.2.1": 200, "0.0.0.0:8080": 200,
	"understudy.test": 200, "Understudy.Test:80": 200, "understudy.test.": 200, "sandbox.example": 200,
	"page.example": 403, "page.example:8080": 403, "PAGE.EXAMPLE.": 403, "localhost.page.example": 403, "127.0.0.1.page.example": 403, "page.localhost": 403,
	"understudy.test.page.example": 403, "not-understudy.test": 403, "127.0.0.1.": 200, "10.0.0": 403, "0x7f.1": 403, "host.docker.internal": 403,
}

func TestGuardHost(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithControlHosts("understudy.test", "Sandbox.Example:8080"))
	c := apitest.New(t, url, lab.Key)
	for host, status := range hostStatuses {
		for _, path := range []string{lab.Control + "clock", lab.Control + "worlds", "/_understudy/metrics"} {
			if r := sendAs(t, c, url, "GET", path, map[string]string{"Host": host}); r.Status != status {
				t.Errorf("%s of %s: %d %s", path, host, r.Status, r.Body)
			}
		}
		for _, path := range []string{lab.Control + "ready", "/_understudy/ca.pem", "/verification-requests/vr_completed"} {
			if r := sendAs(t, c, url, "GET", path, map[string]string{"Host": host}); r.Status == 403 {
				t.Errorf("%s of %s: %d %s", path, host, r.Status, r.Body)
			}
		}
	}
	r := sendAs(t, c, url, "POST", lab.Control+"reset", map[string]string{"Host": "page.example:8080"})
	lab.WantStatus(t, r, 403, `The host name "page.example" may be that of a web page: use an address or a name without a dot, such as localhost, `+
		"or allow the name with --control-host")
}

// arrivedAt returns a request that a server accepted at an address.
func arrivedAt(r *http.Request, address string) *http.Request {
	local := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(address))
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(local)))
}

// A container's port is published to the host, where a browser reaches it.
func TestGuardHostOfEveryAddress(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	handlers := map[string]http.Handler{"one listener": e, "its own listener": e.Control(nil, false)}
	for name, handler := range handlers {
		for _, address := range []string{"172.18.0.2:8080", "[::1]:8080", "[2001:db8::1]:8080"} {
			for host, status := range map[string]int{"understudy:8080": 200, "172.18.0.2:8080": 200, "page.example:8080": 403} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, arrivedAt(httptest.NewRequest("GET", "http://"+host+lab.Control+"worlds", nil), address))
				if w.Code != status {
					t.Errorf("%s at %s as %s: %d %s", name, address, host, w.Code, w.Body)
				}
			}
		}
	}
}

// A page does not have the token, so the name proves nothing more.
func TestGuardHostWithToken(t *testing.T) {
	t.Parallel()
	url := lab.Serve(t, emulator.WithControlToken(token))
	c := apitest.New(t, url, lab.Key)
	lab.WantStatus(t, sendAs(t, c, url, "GET", lab.Control+"clock", map[string]string{"Host": "page.example", "Understudy-Control-Token": token}), 200, "")
	lab.WantStatus(t, sendAs(t, c, url, "GET", lab.Control+"clock", map[string]string{"Host": "page.example"}), 401, needsToken)
}

// With --control-addr, the emulated API and the control plane have a handler each.
func TestGuardSeparateListeners(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	lab.PlayScript(t, apitest.New(t, lab.ServeHandler(t, e.Surface()), lab.Key), `
		GET /verification-requests/vr_lifecycle → 200
		GET /_understudy/v1/health → 404 Not Found | the control plane is not served here: its address is that of --control-addr
		GET / → 404 Not Found | the control plane is not served here: its address is that of --control-addr
		GET /_understudy → 404 Not Found | the control plane is not served here: its address is that of --control-addr
		GET /_understudy/ → 404 Not Found | the control plane is not served here: its address is that of --control-addr
		GET /_understudy/openapi.json → 404 Not Found | the control plane is not served here: its address is that of --control-addr`)
	lab.PlayScript(t, apitest.New(t, lab.ServeHandler(t, e.Control(nil, false)), lab.Key).Without(apitest.Document), `
		GET verification-requests/vr_lifecycle → 200
		GET /verification-requests/vr_lifecycle → 404 The emulated API is not here: its address is that of --addr`)
}
