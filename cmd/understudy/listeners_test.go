package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestControlAddrAndToken(t *testing.T) {
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
	understudy(t, "healthcheck", "--addr", s.host()).want(t, exitFailed, "answers 404 Not Found: Not Found: the control plane is not served here: its address is that of --control-addr")
	if code := s.stop(); code != exitOK || strings.Contains(s.stderr.String(), token) {
		t.Errorf("exit code %d, log:\n%s", code, s.stderr)
	}
}

func TestWarningWithoutToken(t *testing.T) {
	t.Parallel()
	const warning = `level=WARN msg="the control plane has no token, and everybody who reaches its address can reset worlds: set --control-token`
	for args, warns := range map[string]bool{
		"--addr :0":                                     true,
		"--addr 0.0.0.0:0":                              true,
		"--addr 127.0.0.1:0 --control-addr :0":          true,
		"--addr :0 --control-token x":                   false,
		"--addr :0 --control-addr 127.0.0.1:0":          false,
		"--addr 127.0.0.1:0":                            false,
		"--addr localhost:0 --control-addr 127.1.2.3:0": false,
	} {
		if log := startServer(t, strings.Fields(args)...).stderr.String(); strings.Contains(log, warning) != warns {
			t.Errorf("serve %s logs\n%s", args, log)
		}
	}
}

// Both addresses use TLS, and the console shows the address of the API.
func TestControlAddrWithTLS(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--tls-auto")
	control := s.stderr.find(t, ` control=(\S+)`)
	trusting := client(authorityOf(t, control), strings.TrimPrefix(control, "https://"))
	wantStatus(t, apitest.New(t, control, key).Via(trusting).Get("/_understudy/v1/clock"), http.StatusOK)
	_, page, err := send(trusting, newRequest(key, "GET", control+"/_understudy/", ""))
	noError(t, err)
	if want := "curl &#39;" + s.url + "/verification-requests/vr_completed&#39;"; !strings.Contains(string(page), want) {
		t.Errorf("no %s in the console: %s", want, page)
	}
}
