package emulator_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
)

// brokenStore fails every transaction in one way, and is otherwise a store.
type brokenStore struct {
	store.Store
	fail func() error
}

func (s brokenStore) View(context.Context, func(store.Tx) error) error   { return s.fail() }
func (s brokenStore) Update(context.Context, func(store.Tx) error) error { return s.fail() }
func (s brokenStore) Ready(context.Context) error                        { return s.fail() }

// Watch fails without a panic: it is called in the background, where a panic ends the process.
func (s brokenStore) Watch(context.Context, string) (<-chan struct{}, error) {
	return nil, errors.New("nothing can be watched")
}

func broken(t *testing.T, fail func() error) emulator.Option {
	t.Helper()
	return emulator.WithStore(brokenStore{opened(t, "temp"), fail})
}

func TestFailure_panic_is_500_and_logged_with_its_stack(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { panic("out of cheese") }))
	for _, path := range []string{"/verification-requests/vr_completed", control + "ready"} {
		r := c.Get(path)
		wantStatus(t, r, 500, "Internal server error")
		wantParts(t, log.String(), "level=ERROR", "out of cheese", "goroutine", "brokenStore", idOf(r))
	}
}

func TestFailure_of_the_emulators_own_is_500_and_only_the_log_tells_the_cause(t *testing.T) {
	t.Parallel()
	log, option := logged(slog.LevelInfo)
	c := start(t, option, broken(t, func() error { return errors.New("the disk is on fire") }))
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 500, "Internal server error")
	if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
		t.Error("the header tells the cause")
	}
	wantParts(t, log.String(), "msg=failed", "method=GET", "path=/verification-requests/vr_completed", "operation=getVerificationRequest", "the disk is on fire")
	playScript(t, c, `
		GET health → 200
		GET ready → 503 The store cannot be used: the disk is on fire`)
	wantParts(t, log.String(), "level=ERROR msg=failed path=/_understudy/v1/ready")
}

// spaces is a body that takes no memory.
type spaces struct{ left int }

func (s *spaces) Read(p []byte) (n int, err error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n = min(len(p), s.left)
	for i := range p[:n] {
		p[i] = ' '
	}
	s.left -= n
	return n, nil
}

// Of a body that is too large is kept what a body may have; all of it is read, so that its client hears why, and counted.
// No other test runs beside this one.
func TestBody_over_1_MiB_is_400_and_costs_no_more_memory(t *testing.T) {
	const size = 30 << 20
	url := serve(t)
	c := apitest.New(t, url, key)
	fill := func(size int) string { return `{"name":"` + strings.Repeat("x", size-len(`{"name":""}`)) + `"}` }
	wantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody)), 200, "")
	wantStatus(t, c.Put("/tenant-properties/tp_default", fill(api.MaxBody+1)), 400, invalid)
	for name, length := range map[string]int64{"announced": size, "in pieces": -1} {
		request := requestTo("POST", url+"/credentials/session", key, "")
		request.Body, request.ContentLength = io.NopCloser(&spaces{left: size}), length
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r := c.Do(request)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 16*api.MaxBody {
			t.Errorf("%s: %d MiB were allocated", name, took>>20)
		}
		wantStatus(t, r, 400, invalid)
		wantDiagnosis(t, r, "the body is larger than 1048576 bytes")
		var kept struct {
			Size      int64 `json:"size"`
			Truncated bool  `json:"truncated"`
		}
		e, _ := entryOf(t, c, idOf(r))
		noError(t, json.Unmarshal(e.Request, &kept))
		if kept.Size != size || !kept.Truncated || e.Status != 400 {
			t.Errorf("the journal has %d bytes, truncated %t, status %d", kept.Size, kept.Truncated, e.Status)
		}
	}
}
