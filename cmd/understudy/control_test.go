package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 2, --control-addr and --control-token.
func TestTheControlPlaneOnAnAddressOfItsOwnWithAToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--control-token", token, "--log-level", "debug")
	plane := s.stderr.find(t, `msg=listening .* control=(\S+)`)
	control := apitest.New(t, plane, key)
	withToken := control.With("Understudy-Control-Token", token)
	for name, tt := range map[string]struct {
		client *apitest.Client
		path   string
		want   int
	}{
		"the API": {s.api(t), "/verification-requests/vr_completed", http.StatusOK},
		"the control plane on the address of the API": {s.api(t), "/_understudy/v1/health", http.StatusNotFound},
		"the API on the address of the control plane": {control, "/verification-requests/vr_completed", http.StatusNotFound},
		"without the token":                           {control, "/_understudy/v1/clock", http.StatusUnauthorized},
		"with the token":                              {withToken, "/_understudy/v1/clock", http.StatusOK},
	} {
		if r := tt.client.Get(tt.path); r.Status != tt.want {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	understudy(t, "healthcheck", "--control-addr", strings.TrimPrefix(plane, "http://")).want(t, exitOK)
	understudy(t, "healthcheck", "--addr", s.host()).want(t, exitFailed, "404")
	if code := s.stop(); code != exitOK || strings.Contains(s.stderr.String(), token) {
		t.Errorf("exit code %d, log:\n%s", code, s.stderr)
	}
}

// Contract 2, --control-addr.
func TestTheConsoleOnAnAddressOfItsOwnPointsClientsToTheAPI(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--control-addr", "127.0.0.1:0")
	page, err := http.Get(s.stderr.find(t, ` control=(\S+)`) + "/_understudy/")
	noError(t, err)
	defer page.Body.Close()
	body, err := io.ReadAll(page.Body)
	if want := "curl &#39;" + s.url + "/verification-requests/vr_completed&#39;"; err != nil || !strings.Contains(string(body), want) {
		t.Errorf("has no %s: %v %s", want, err, body)
	}
}

func TestBothAddressesAreServedTheSameWay(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--tls-auto")
	control := s.stderr.find(t, ` control=(\S+)`)
	authority := authorityOf(t, control)
	c := apitest.New(t, control, key).Via(client(authority, strings.TrimPrefix(control, "https://")))
	if r := c.Get("/_understudy/v1/clock"); r.Status != http.StatusOK {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
