package journal_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// A journal that is shortened by the limit of all journals is logged once, and counted in the metrics.
func TestLogJournalMemory(t *testing.T) {
	t.Parallel()
	lab.OnlyCI(t)
	log, option := lab.Logged(slog.LevelInfo)
	e, _, c := lab.InGo(t, option)
	const entries = 64<<20/journal.MaxBody + 100
	for n := range entries {
		body := fmt.Sprintf(`{"name": %d}%s`, n, strings.Repeat("x", journal.MaxBody))
		lab.Direct(e, fmt.Sprint(lab.Key, n%8), "PUT", "/tenant-properties/tp_default", body)
	}
	if lines := strings.Count(log.String(), "all journals together take too much memory"); lines != 1 {
		t.Errorf("it is logged %d times", lines)
	}
	if metrics := string(c.Get("/_understudy/metrics").Body); strings.Contains(metrics, "\nunderstudy_journal_dropped_total{reason=\"memory\"} 0\n") {
		t.Error(metrics)
	}
}

// A request whose journal entry cannot be written is answered with an unknown outcome, so that every other answer is in the
// journal.
func TestJournalWriteFailure(t *testing.T) {
	t.Parallel()
	s := &lab.Mute{Store: lab.Opened(t, "temp")}
	log, option := lab.Logged(0)
	c := lab.Start(t, emulator.WithStore(s), option)
	lab.Read(t, c, "vr_processing")
	s.Down.Store(true)
	const unknown = "the outcome is unknown: the journal could not be written"
	for _, r := range []*apitest.Response{
		c.Get("/verification-requests/vr_completed"),
		c.Put("/verification-requests/vr_processing/cancel", lab.CancelOther),
	} {
		lab.WantStatus(t, r, 500, "Internal server error")
		lab.WantDiagnosis(t, r, unknown)
		if !strings.Contains(log.String(), "request="+lab.IDOf(r)) || strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
			t.Errorf("only the log may contain the cause: %s", log)
		}
	}
	s.Down.Store(false)
	lab.WantStates(t, c, "vr_processing", api.StateCanceled)
	if entries, _ := lab.Listed(t, c, ""); len(entries) != 2 {
		t.Errorf("the journal has %v", entries)
	}
}

// hangingUp is the store of an emulator whose client hangs up after the next transaction that reads.
type hangingUp struct {
	store.Store
	hangUp func()
}

func (s *hangingUp) View(ctx context.Context, fn func(store.Tx) error) error {
	defer s.hangUp()
	return s.Store.View(ctx, fn)
}

func TestVerifyEndsOnDisconnect(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(0)
	s := &hangingUp{lab.Opened(t, "temp"), func() {}}
	e := lab.Launch(t, option, emulator.WithStore(s))
	long := `{"name":"` + strings.Repeat("x ", 2000) + `"}`
	for range 100 {
		lab.Direct(e, lab.Key, "PUT", "/tenant-properties/tp_default", long)
	}
	for name, expected := range map[string]string{
		"in the bodies": `{"match":{"body":{"matches":{"name":"(x.?){200}y"}}}}`,
		"in the paths":  `{"match":{"path":{"matches":"(x.?){200}y"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			client, hangUp := context.WithCancel(t.Context())
			s.hangUp = hangUp
			answer := httptest.NewRecorder()
			if e.ServeHTTP(answer, lab.RequestTo("POST", lab.Control+"journal/verify", lab.Key, expected).WithContext(client)); answer.Code != 500 { // else it was evaluated to the end
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		})
	}
	if strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("a disconnect is logged as a failure: %s", log)
	}
	if text := lab.Direct(e, lab.Key, "GET", "/_understudy/metrics", "").Body.String(); !strings.Contains(text, "\nunderstudy_failures_total 0\n") {
		t.Error("a disconnect is counted as a failure")
	}
}
