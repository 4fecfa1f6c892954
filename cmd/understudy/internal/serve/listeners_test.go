package serve

import (
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestControlAddrAndToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	s := commandtest.StartServer(t, "--control-addr", "127.0.0.1:0", "--control-token", token, "--log-level", "debug")
	plane := s.Stderr.Find(t, `msg=listening .* control=(\S+)`)
	control := apitest.New(t, plane, commandtest.Key)
	withToken := control.With("Understudy-Control-Token", token)
	for name, tt := range map[string]struct {
		client *apitest.Client
		path   string
		want   int
	}{
		"the API": {s.API(t), "/verification-requests/vr_completed", http.StatusOK},
		"the control plane on the address of the API": {s.API(t), "/_understudy/v1/health", http.StatusNotFound},
		"the API on the address of the control plane": {control.Without(apitest.Document), "/verification-requests/vr_completed", http.StatusNotFound},
		"without the token":                           {control, "/_understudy/v1/clock", http.StatusUnauthorized},
		"with the token":                              {withToken, "/_understudy/v1/clock", http.StatusOK},
	} {
		if r := tt.client.Get(tt.path); r.Status != tt.want {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	commandtest.Understudy(t, "healthcheck", "--control-addr", strings.TrimPrefix(plane, "http://")).Want(t, command.ExitOK)
	commandtest.Understudy(t, "healthcheck", "--addr", s.Host()).Want(t, command.ExitFailed, "answers 404 Not Found: Not Found: the control plane is not served here: its address is that of --control-addr")
	if code := s.Stop(); code != command.ExitOK || strings.Contains(s.Stderr.String(), token) {
		t.Errorf("exit code %d, log:\n%s", code, s.Stderr)
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
		if log := commandtest.StartServer(t, strings.Fields(args)...).Stderr.String(); strings.Contains(log, warning) != warns {
			t.Errorf("serve %s logs\n%s", args, log)
		}
	}
}

// Both addresses use TLS, and the console shows the address of the API.
func TestControlAddrWithTLS(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--control-addr", "127.0.0.1:0", "--tls-auto")
	control := s.Stderr.Find(t, ` control=(\S+)`)
	trusting := clientOf(authorityOf(t, control), strings.TrimPrefix(control, "https://"))
	commandtest.WantStatus(t, apitest.New(t, control, commandtest.Key).Via(trusting).Get("/_understudy/v1/clock"), http.StatusOK)
	_, page, err := commandtest.Send(trusting, commandtest.NewRequest(commandtest.Key, "GET", control+"/_understudy/", ""))
	commandtest.NoError(t, err)
	if want := "curl &#39;" + s.URL + "/verification-requests/vr_completed&#39;"; !strings.Contains(string(page), want) {
		t.Errorf("no %s in the console: %s", want, page)
	}
}
