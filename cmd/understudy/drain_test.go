package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// A terminated replica is not ready, and serves everything else until the drain is over. No connection outlives its answer.
func TestDrain(t *testing.T) {
	t.Parallel()
	begun, over := make(chan struct{}), make(chan time.Time)
	settings := settings{log: slog.New(slog.DiscardHandler), drain: &drain{over: func() <-chan time.Time {
		close(begun)
		return over
	}}}
	e, err := emulator.New()
	noError(t, err)
	t.Cleanup(func() { noError(t, e.Close()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	noError(t, err)
	serving, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serveUntil(serving, newServer(e, settings), listener, time.Minute) }()
	ctx, terminate := context.WithCancelCause(t.Context())
	go func() {
		settings.drain.wait(ctx)
		stop()
	}()
	check := func(ready int, drains bool) {
		t.Helper()
		for path, status := range map[string]int{
			"/_understudy/v1/ready":               ready,
			"/_understudy/v1/health":              http.StatusOK,
			"/_understudy/v1/clock":               http.StatusOK,
			"/verification-requests/vr_completed": http.StatusOK,
		} {
			answer, body, err := send(http.DefaultClient, newRequest(key, "GET", "http://"+listener.Addr().String()+path, ""))
			noError(t, err)
			if answer.StatusCode != status || answer.Close != drains {
				t.Errorf("%s: %s, the connection is closed: %t: %s", path, answer.Status, answer.Close, body)
			}
		}
	}
	check(http.StatusOK, false)
	terminate(signalError{syscall.SIGTERM})
	<-begun
	check(http.StatusServiceUnavailable, true)
	close(over)
	noError(t, <-ended)
}

// Only replicas drain, and only for SIGTERM: an interrupt, and a store of one process, stop at once.
func TestDrainOfReplicas(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		signal syscall.Signal
		etcd   bool
		drains bool
	}{
		"a replica that is terminated":         {syscall.SIGTERM, true, true},
		"a replica that is interrupted":        {syscall.SIGINT, true, false},
		"a temporary store that is terminated": {syscall.SIGTERM, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := "temp"
			if tt.etcd {
				store = "etcd://" + etcdtest.Run(t, 1).Endpoints()
			}
			s := startProcess(t, "--store", store)
			noError(t, s.process.Process.Signal(tt.signal))
			if code := wantEnded(t, s.process, s.stderr); code != exitOK {
				t.Errorf("exit code %d:\n%s", code, s.stderr)
			}
			if drained := strings.Contains(s.stderr.String(), "msg=draining"); drained != tt.drains {
				t.Errorf("it has drained: %t, want %t:\n%s", drained, tt.drains, s.stderr)
			}
		})
	}
}
