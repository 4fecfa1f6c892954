package control_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// The log shows refused calls, and never the token that was sent.
func TestLogRefusedSteering(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelInfo)
	address := lab.Serve(t, option, emulator.WithControlToken(token))
	c := apitest.New(t, address, lab.Key)
	const other = "battery-staple"
	lab.WantStatus(t, c.With("Understudy-Control-Token", other).Post(lab.Control+"reset", ""), 401, needsToken)
	page, err := http.PostForm(address+"/_understudy/login", url.Values{"token": {other}})
	lab.NoError(t, err)
	lab.NoError(t, page.Body.Close())
	lab.WantStatus(t, c.With("Origin", "https://evil.example").Post(lab.Control+"reset", ""), 403, "A web page of another origin may not drive the control plane")
	for _, line := range []string{
		`level=INFO msg=refused method=POST path=/_understudy/v1/reset from=127.0.0.1:`,
		`level=INFO msg=refused method=POST path=/_understudy/login from=127.0.0.1:`,
		`The control plane has a token`, `the token is wrong`, `A web page of another origin`,
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log does not say %s:\n%s", line, log)
		}
	}
	if strings.Contains(log.String(), other) || strings.Contains(log.String(), token) {
		t.Errorf("the log repeats a token:\n%s", log)
	}
}

// A process whose requests have all failed for some seconds is not ready, until one succeeds or none has come for a while.
func TestReadyFailing(t *testing.T) {
	t.Parallel()
	m, s := lab.NewMachine(lab.Epoch), &lab.Mute{Store: lab.Opened(t, "temp")}
	c := lab.Start(t, emulator.WithStore(s), emulator.WithClock(m.Clock()))
	const fails, ready = `GET /verification-requests/vr_completed → 500`, `GET ready → 200 {"status":"ready"}`
	const failing = `GET ready → 503 Not ready: all requests of the last 3s have failed: see the log for the cause`
	s.Down.Store(true)
	for _, span := range []time.Duration{0, 3*time.Second - 1} {
		m.Pass(span)
		lab.PlayScript(t, c, fails+"\n"+ready)
	}
	m.Pass(1)
	lab.PlayScript(t, c, `
		`+fails+`
		GET /nowhere → 404
		`+failing)
	m.Pass(11 * time.Second)
	lab.PlayScript(t, c, ready+"\n"+fails+"\n"+ready)
	m.Pass(3 * time.Second)
	lab.PlayScript(t, c, fails+"\n"+failing)
	s.Down.Store(false)
	lab.PlayScript(t, c, "GET /verification-requests/vr_completed → 200\n"+ready)
}
