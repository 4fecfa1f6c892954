package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// A page that somebody visits may have their browser send anything to a loopback address, and names of its own lead there
// when it likes (DNS rebinding). It neither steers a world nor reads of one, though it knew the key.
func TestAWebPageDrivesNothing(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := apitest.New(t, s.url, "svc_sk_test_a") // the key of head
	if r := c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`); r.Status != http.StatusOK {
		t.Fatalf("%d %s", r.Status, r.Body)
	}
	host := s.host()
	const authorized = "Authorization: Bearer svc_sk_test_a\r\n"
	for name, tt := range map[string]struct {
		line, header, body string
		want               int
	}{
		"a form of another origin":            {"POST /_understudy/v1/reset", "Host: " + host + "\r\nOrigin: https://page.example\r\nContent-Type: text/plain\r\n" + authorized, "", 403},
		"a form from a sandboxed frame":       {"POST /_understudy/v1/reset", "Host: " + host + "\r\nOrigin: null\r\n" + authorized, "", 403},
		"a form of a page on another port":    {"POST /_understudy/v1/reset", "Host: " + host + "\r\nOrigin: http://127.0.0.1:1\r\n" + authorized, "", 403},
		"a form that only the browser marks":  {"POST /_understudy/v1/reset", "Host: " + host + "\r\nSec-Fetch-Site: cross-site\r\n" + authorized, "", 403},
		"a fault for everybody":               {"POST /_understudy/v1/faults", "Host: " + host + "\r\nSec-Fetch-Site: cross-site\r\nContent-Type: text/plain\r\n" + authorized, `{"rule":{"on":"any","fault":"empty"}}`, 403},
		"a name of its own that leads here":   {"POST /_understudy/v1/reset", "Host: page.example\r\nOrigin: http://page.example\r\nSec-Fetch-Site: same-origin\r\n" + authorized, "", 403},
		"the same with this port":             {"DELETE /_understudy/v1/journal", "Host: page.example:8080\r\nOrigin: http://page.example:8080\r\n" + authorized, "", 403},
		"a name that looks like a loopback's": {"POST /_understudy/v1/reset", "Host: 127.0.0.1.page.example\r\n" + authorized, "", 403},
		"reading, by a name of its own":       {"GET /_understudy/v1/worlds", "Host: page.example\r\nSec-Fetch-Site: same-origin\r\n", "", 403},
		"the console, by a name of its own":   {"GET /_understudy/worlds", "Host: page.example\r\nSec-Fetch-Site: same-origin\r\n", "", 403},
		"a question whether it may, steering": {"OPTIONS /_understudy/v1/reset", "Host: " + host + "\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: POST\r\n", "", 405},
		"a question whether it may, the API":  {"OPTIONS /tenant-properties/tp_default", "Host: " + host + "\r\nOrigin: https://page.example\r\nAccess-Control-Request-Method: PUT\r\n", "", 405},
		"reading what nobody lets it read":    {"GET /_understudy/v1/worlds", "Host: " + host + "\r\nOrigin: https://page.example\r\nSec-Fetch-Site: cross-site\r\n", "", 200},
	} {
		statuses, header, body := attack(t, s.url, fmt.Sprintf("%s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", tt.line, tt.header, len(tt.body), tt.body))
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
	s.wantServing(t)
}
