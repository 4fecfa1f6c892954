package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 2, --control-addr and --control-token.
func TestTheControlPlaneOnAnAddressOfItsOwnWithAToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	s := startServer(t, "--control-addr", "127.0.0.1:0", "--control-token", token, "--log-level", "debug")
	control := apitest.New(t, s.stderr.find(t, `msg=listening .* control=(\S+)`), key)
	plane := strings.TrimPrefix(s.stderr.find(t, ` control=(\S+)`), "http://")

	if r := s.api(t).Get("/verification-requests/vr_completed"); r.Status != http.StatusOK {
		t.Errorf("the API: %d %s", r.Status, r.Body)
	}
	if r := s.api(t).Get("/_understudy/v1/health"); r.Status != http.StatusNotFound {
		t.Errorf("the control plane on the address of the API: %d %s", r.Status, r.Body)
	}
	if r := control.Get("/verification-requests/vr_completed"); r.Status != http.StatusNotFound {
		t.Errorf("the API on the address of the control plane: %d %s", r.Status, r.Body)
	}
	if r := control.Get("/_understudy/v1/clock"); r.Status != http.StatusUnauthorized {
		t.Errorf("without the token: %d %s", r.Status, r.Body)
	}
	if r := control.With("Understudy-Control-Token", token).Get("/_understudy/v1/clock"); r.Status != http.StatusOK {
		t.Errorf("with the token: %d %s", r.Status, r.Body)
	}
	if got := understudy(t, "healthcheck", "--control-addr", plane); got.code != exitOK {
		t.Errorf("the health check of the control plane: %d %s", got.code, got.stderr)
	}
	if got := understudy(t, "healthcheck", "--addr", strings.TrimPrefix(s.url, "http://")); got.code != exitFailed || !strings.Contains(got.stderr, "404") {
		t.Errorf("the health check of the API: %d %s", got.code, got.stderr)
	}
	if code := s.stop(); code != exitOK || strings.Contains(s.stderr.String(), token) {
		t.Errorf("exit code %d, log:\n%s", code, s.stderr)
	}
}

// Contract 2, --control-addr.
func TestTheConsoleOnAnAddressOfItsOwnPointsClientsToTheAPI(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--control-addr", "127.0.0.1:0")
	page, err := http.Get(s.stderr.find(t, ` control=(\S+)`) + "/_understudy/")
	if err != nil {
		t.Fatal(err)
	}
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

// As compose makes of a variable that is not set.
func TestAnEmptyTokenInTheEnvironmentIsRefused(t *testing.T) {
	t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "")
	got := understudy(t, "serve", "--addr", "127.0.0.1:0")
	if got.code != exitUsage || got.stderr != "understudy: --control-token, or UNDERSTUDY_CONTROL_TOKEN, is empty: leave it out, or give one\n" {
		t.Errorf("%+v", got)
	}
}

func TestAFlagByItsVariableIsCalledByThat(t *testing.T) {
	t.Setenv("UNDERSTUDY_STRICT", "maybe")
	got := understudy(t, "serve", "--addr", "127.0.0.1:0")
	if got.code != exitUsage || got.stderr != "understudy: UNDERSTUDY_STRICT \"maybe\" is neither true nor false\n" {
		t.Errorf("%+v", got)
	}
}

func TestATokenInTheEnvironmentIsInNoHelp(t *testing.T) {
	t.Setenv("UNDERSTUDY_CONTROL_TOKEN", "correct-horse")
	eachCommand(root(io.Discard, io.Discard), nil, func(_ *cli.Command, words []string) {
		if help := understudy(t, append(words, "--help")...); strings.Contains(help.stdout+help.stderr, "correct-horse") {
			t.Errorf("the help of %s tells the token", words)
		}
	})
}
