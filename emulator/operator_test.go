package emulator_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// Who tries tokens is seen by whoever reads the log, and what was tried is not in it.
func TestLog_call_that_may_not_steer(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	address := serve(t, option, emulator.WithControlToken(token))
	c := apitest.New(t, address, key)
	const wrong = "battery-staple"
	wantStatus(t, c.With("Understudy-Control-Token", wrong).Post(control+"reset", ""), 401, needsToken)
	page, err := http.PostForm(address+"/_understudy/login", url.Values{"token": {wrong}})
	noError(t, err)
	noError(t, page.Body.Close())
	wantStatus(t, c.With("Origin", "https://evil.example").Post(control+"reset", ""), 403, "A web page of another origin may not drive the control plane")
	for _, line := range []string{
		`level=INFO msg=refused method=POST path=/_understudy/v1/reset from=127.0.0.1:`,
		`level=INFO msg=refused method=POST path=/_understudy/login from=127.0.0.1:`,
		`The control plane has a token`, `the token that was given is another`, `A web page of another origin`,
	} {
		if !strings.Contains(log.String(), line) {
			t.Errorf("the log does not say %s:\n%s", line, log)
		}
	}
	if strings.Contains(log.String(), wrong) || strings.Contains(log.String(), token) {
		t.Errorf("the log repeats a token:\n%s", log)
	}
}

// Contract 5: the journal. That a world's is shorter than was asked for is seen once, and counted in the metrics.
func TestLog_journals_that_take_too_much_memory(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	e, _, c := inGo(t, option)
	const entries = 64<<20/journal.MaxBody + 100
	for n := range entries {
		body := fmt.Sprintf(`{"name": %d}%s`, n, strings.Repeat(" ", journal.MaxBody))
		direct(e, fmt.Sprint(key, n%8), "PUT", "/tenant-properties/tp_default", body)
	}
	if lines := strings.Count(log.String(), "all journals together take too much memory"); lines != 1 {
		t.Errorf("it is logged %d times", lines)
	}
	if figures := string(c.Get("/_understudy/metrics").Body); strings.Contains(figures, "\nunderstudy_journal_dropped_total{reason=\"memory\"} 0\n") {
		t.Error(figures)
	}
}
