package serve

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// A terminated replica is not ready, and serves everything else until the drain is over. No connection outlives its answer.
func TestDrain(t *testing.T) {
	t.Parallel()
	begun, over := make(chan struct{}), make(chan time.Time)
	settings := Settings{log: slog.New(slog.DiscardHandler), drain: &drain{over: func() <-chan time.Time {
		close(begun)
		return over
	}}}
	e, err := emulator.New()
	commandtest.NoError(t, err)
	t.Cleanup(func() { commandtest.NoError(t, e.Close()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	commandtest.NoError(t, err)
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
			answer, body, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(commandtest.Key, "GET", "http://"+listener.Addr().String()+path, ""))
			commandtest.NoError(t, err)
			if answer.StatusCode != status || answer.Close != drains {
				t.Errorf("%s: %s, the connection is closed: %t: %s", path, answer.Status, answer.Close, body)
			}
		}
	}
	check(http.StatusOK, false)
	terminate(command.SignalError{Signal: syscall.SIGTERM})
	<-begun
	check(http.StatusServiceUnavailable, true)
	close(over)
	commandtest.NoError(t, <-ended)
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
			s := commandtest.StartProcess(t, "--store", store)
			commandtest.NoError(t, s.Process.Process.Signal(tt.signal))
			if code := commandtest.WantEnded(t, s.Process, s.Stderr); code != command.ExitOK {
				t.Errorf("exit code %d:\n%s", code, s.Stderr)
			}
			if drained := strings.Contains(s.Stderr.String(), "msg=draining"); drained != tt.drains {
				t.Errorf("it has drained: %t, want %t:\n%s", drained, tt.drains, s.Stderr)
			}
		})
	}
}
