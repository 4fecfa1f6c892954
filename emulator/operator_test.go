package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/store"
)

// The log shows refused calls, and never the token that was sent.
func TestLogRefusedSteering(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	address := serve(t, option, emulator.WithControlToken(token))
	c := apitest.New(t, address, key)
	const other = "battery-staple"
	wantStatus(t, c.With("Understudy-Control-Token", other).Post(control+"reset", ""), 401, needsToken)
	page, err := http.PostForm(address+"/_understudy/login", url.Values{"token": {other}})
	noError(t, err)
	noError(t, page.Body.Close())
	wantStatus(t, c.With("Origin", "https://evil.example").Post(control+"reset", ""), 403, "A web page of another origin may not drive the control plane")
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

// A journal that is shortened by the limit of all journals is logged once, and counted in the metrics.
func TestLogJournalMemory(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	e, _, c := inGo(t, option)
	const entries = 64<<20/journal.MaxBody + 100
	for n := range entries {
		body := fmt.Sprintf(`{"name": %d}%s`, n, strings.Repeat("x", journal.MaxBody))
		direct(e, fmt.Sprint(key, n%8), "PUT", "/tenant-properties/tp_default", body)
	}
	if lines := strings.Count(log.String(), "all journals together take too much memory"); lines != 1 {
		t.Errorf("it is logged %d times", lines)
	}
	if metrics := string(c.Get("/_understudy/metrics").Body); strings.Contains(metrics, "\nunderstudy_journal_dropped_total{reason=\"memory\"} 0\n") {
		t.Error(metrics)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t, emulator.WithJournalSize(2), emulator.WithVersion("1.0"))
	read(t, c, "vr_completed")
	read(t, c, "vr_completed")
	wantStatus(t, c.Get("/verification-requests/vr_error_451"), 451, "The social security number is frozen")
	wantStatus(t, c.Get("/nowhere"), 404, "Not Found")
	r := c.Get("/_understudy/metrics")
	wantStatus(t, r, 200, "")
	text := string(r.Body)
	for _, line := range []string{
		`understudy_build_info{version="1.0"} 1`,
		`understudy_requests_total{operation="getVerificationRequest",status="200"} 2`,
		`understudy_requests_total{operation="getVerificationRequest",status="451"} 1`,
		`understudy_requests_total{operation="none",status="404"} 1`,
		`understudy_request_duration_seconds_count{operation="getVerificationRequest"} 3`,
		`understudy_failures_total 0`,
		`understudy_worlds 1`,
		`understudy_worlds_created_total 1`,
		`understudy_worlds_forgotten_total 0`,
		`understudy_store_duration_seconds_count{engine="temp",operation="update"} 1`,
		`understudy_scenario_reloads_total{result="ok"} 0`,
		`understudy_scenario_reloads_total{result="refused"} 0`,
		`understudy_journal_dropped_total{reason="size"} 1`,
		`understudy_journal_dropped_total{reason="memory"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if strings.Contains(text, "svc_sk") || strings.Contains(text, "world=") || strings.Contains(text, "vr_") {
		t.Error(text)
	}
	noError(t, w.Delete(t.Context()))
	wantParts(t, string(c.Get("/_understudy/metrics").Body), "\nunderstudy_worlds_forgotten_total 1\n")
}

// Two emulators in a process share no metrics, and neither uses the default registry.
func TestMetricsPerEmulator(t *testing.T) {
	t.Parallel()
	one, other := start(t), start(t)
	read(t, one, "vr_completed")
	if text := string(other.Get("/_understudy/metrics").Body); !strings.Contains(text, "\nunderstudy_worlds_created_total 0\n") {
		t.Error(text)
	}
	families, err := prometheus.DefaultGatherer.Gather()
	noError(t, err)
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "understudy_") {
			t.Error(family.GetName())
		}
	}
}

// brokenStore is a store whose transactions fail.
type brokenStore struct {
	store.Store
	fail func() error
}

func (s brokenStore) View(context.Context, func(store.Tx) error) error   { return s.fail() }
func (s brokenStore) Update(context.Context, func(store.Tx) error) error { return s.fail() }
func (s brokenStore) Ready(context.Context) error                        { return s.fail() }

// Watch fails without a panic: it is called in the background, where a panic would end the process.
func (s brokenStore) Watch(context.Context, string) (<-chan struct{}, error) {
	return nil, errors.New("nothing can be watched")
}

func broken(t *testing.T, fail func() error) emulator.Option {
	t.Helper()
	return emulator.WithStore(brokenStore{opened(t, "temp"), fail})
}

func TestFailurePanic(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/verification-requests/vr_completed", control + "ready"} {
		log, option := logged(slog.LevelInfo)
		r := start(t, option, broken(t, func() error { panic("out of cheese") })).Get(path)
		wantStatus(t, r, 500, "Internal server error")
		wantParts(t, log.String(), "level=ERROR", "out of cheese", "goroutine", "brokenStore", idOf(r))
	}
}

func TestFailureOfStore(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { return errors.New("the disk is on fire") }))
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Internal server error")
	if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
		t.Error("the header contains the cause")
	}
	wantParts(t, log.String(), "msg=failed", "method=GET", "path=/verification-requests/vr_completed", "operation=getVerificationRequest", "the disk is on fire")
	playScript(t, c, `
		GET health → 200
		GET ready → 503 Not ready: the store cannot be used: the disk is on fire`)
	wantParts(t, log.String(), "level=ERROR msg=failed path=/_understudy/v1/ready")
}

// A process whose requests have all failed for some seconds is not ready, until one succeeds or none has come for a while.
func TestReadyFailing(t *testing.T) {
	t.Parallel()
	m, s := newMachine(epoch), &mute{Store: opened(t, "temp")}
	c := start(t, emulator.WithStore(s), emulator.WithClock(m.clock()))
	const fails, ready = `GET /verification-requests/vr_completed → 500`, `GET ready → 200 {"status":"ready"}`
	const failing = `GET ready → 503 Not ready: all requests of the last 3s have failed: see the log for the cause`
	s.down.Store(true)
	for _, span := range []time.Duration{0, 3*time.Second - 1} {
		m.pass(span)
		playScript(t, c, fails+"\n"+ready)
	}
	m.pass(1)
	playScript(t, c, `
		`+fails+`
		GET /nowhere → 404
		`+failing)
	m.pass(11 * time.Second)
	playScript(t, c, ready+"\n"+fails+"\n"+ready)
	m.pass(3 * time.Second)
	playScript(t, c, fails+"\n"+failing)
	s.down.Store(false)
	playScript(t, c, "GET /verification-requests/vr_completed → 200\n"+ready)
}

// spaces is an endless reader of spaces that takes no memory.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// The journal has the start of a body that is too large and its whole size; the body is read to its end, so that the client
// receives the answer. The test is not parallel, because it measures memory.
func TestBodyTooLarge(t *testing.T) {
	const size = 30 << 20
	url := serve(t)
	c := apitest.New(t, url, key)
	fill := func(size int) string { return `{"name":"` + strings.Repeat("x", size-len(`{"name":""}`)) + `"}` }
	wantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody)), 200, "")
	wantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody+1)), 400, invalid)
	for name, length := range map[string]int64{"announced": size, "in pieces": -1} {
		request := requestTo("POST", url+"/credentials/session", key, "")
		request.Body, request.ContentLength = io.NopCloser(io.LimitReader(spaces{}, size)), length
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.Do(request)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16*api.MaxBody {
			t.Errorf("%s: %d MiB were allocated", name, took>>20)
		}
		wantStatus(t, r, 400, invalid)
		wantDiagnosis(t, r, "the body is larger than 1048576 bytes")
		var body struct {
			Size      int64 `json:"size"`
			Truncated bool  `json:"truncated"`
		}
		e, _ := entryOf(t, c, idOf(r))
		noError(t, json.Unmarshal(e.Request, &body))
		if body.Size != size || !body.Truncated || e.Status != 400 {
			t.Errorf("the journal has %d bytes, truncated %t, status %d", body.Size, body.Truncated, e.Status)
		}
	}
}
