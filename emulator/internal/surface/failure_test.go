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
