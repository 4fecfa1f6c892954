package surface_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// brokenStore is a store whose transactions fail.
type brokenStore struct {
	store.Store
	fail func() error
}

func (s brokenStore) View(context.Context, func(store.Tx) error) error { return s.fail() }

func (s brokenStore) Update(context.Context, func(store.Tx) error) error { return s.fail() }

func (s brokenStore) Ready(context.Context) error { return s.fail() }

// Watch fails without a panic: it is called in the background, where a panic would end the process.
func (s brokenStore) Watch(context.Context, string) (<-chan struct{}, error) {
	return nil, errors.New("nothing can be watched")
}

func broken(t *testing.T, fail func() error) emulator.Option {
	t.Helper()
	return emulator.WithStore(brokenStore{lab.Opened(t, "temp"), fail})
}

func TestFailurePanic(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/verification-requests/vr_completed", lab.Control + "ready"} {
		log, option := lab.Logged(slog.LevelInfo)
		r := lab.Start(t, option, broken(t, func() error { panic("out of cheese") })).Get(path)
		lab.WantStatus(t, r, 500, "Internal server error")
		lab.WantParts(t, log.String(), "level=ERROR", "out of cheese", "goroutine", "brokenStore", lab.IDOf(r))
	}
}

func TestFailureOfStore(t *testing.T) {
	t.Parallel()
	log, option := lab.Logged(slog.LevelInfo)
	c := lab.Start(t, option, broken(t, func() error { return errors.New("the disk is on fire") }))
	r := c.Get("/verification-requests/vr_completed")
	lab.WantStatus(t, r, 500, "Internal server error")
	if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "fire") {
		t.Error("the header contains the cause")
	}
	lab.WantParts(t, log.String(), "msg=failed", "method=GET", "path=/verification-requests/vr_completed", "operation=getVerificationRequest", "the disk is on fire")
	lab.PlayScript(t, c, `
		GET health → 200
		GET ready → 503 Not ready: the store cannot be used: the disk is on fire`)
	lab.WantParts(t, log.String(), "level=ERROR msg=failed path=/_understudy/v1/ready")
}

// An answer that the journal could not take is replaced as a whole: no header of it stays.
func TestFailureOfJournal(t *testing.T) {
	t.Parallel()
	s := &lab.Mute{Store: lab.Opened(t, "temp")}
	c := lab.Start(t, emulator.WithStore(s))
	lab.Read(t, c, "vr_completed")
	s.Down.Store(true)
	for _, id := range []string{"vr_error_401", "vr_limited_long", "vr_outage_502"} {
		r := c.Get("/verification-requests/" + id)
		lab.WantStatus(t, r, 500, "Internal server error")
		if retry, challenge, of := r.Header.Get("Retry-After"), r.Header.Get("WWW-Authenticate"), r.Header.Get("Content-Type"); retry != "" || challenge != "" || of != "application/json" {
			t.Errorf("%s: Retry-After %q, WWW-Authenticate %q, Content-Type %q", id, retry, challenge, of)
		}
	}
	s.Down.Store(false)
	lab.PutFault(t, c, `{"rule":{"on":"get","respond":{"headers":{"X-Queue":"long"}}}}`)
	s.Down.Store(true)
	if r := c.Get("/verification-requests/vr_completed"); r.Status != 500 || r.Header.Get("X-Queue") != "" {
		t.Errorf("status %d with headers of a rule: %v", r.Status, r.Header)
	}
}
