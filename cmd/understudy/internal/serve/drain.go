package serve

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// drainTime is how long a terminated replica still serves. A proxy that checks twice a second needs half of it.
const drainTime = 2 * time.Second

// drain is the time in which a terminated replica still serves but is not ready, so that a proxy sends requests to other
// replicas before it stops.
type drain struct {
	begun atomic.Bool
	over  func() <-chan time.Time // starts the time
}

// wait waits until ctx ends. If SIGTERM ended it, wait then drains. A nil drain takes no time.
func (d *drain) wait(ctx context.Context) {
	<-ctx.Done()
	if d == nil || !errors.Is(context.Cause(ctx), command.SignalError{Signal: syscall.SIGTERM}) {
		return
	}
	d.begun.Store(true)
	<-d.over()
}

// handler returns a handler that, during the drain, is not ready and closes each connection after its answer: a client that
// keeps its connections goes to another replica before this one closes them all.
func (d *drain) handler(serving http.Handler) http.Handler {
	if d == nil {
		return serving
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.begun.Load() {
			w.Header().Set("Connection", "close")
			if r.URL.Path == emulator.ControlPrefix+"v1/ready" {
				api.WriteError(w, api.Because(http.StatusServiceUnavailable, "The emulator is stopping: send requests to another replica"))
				return
			}
		}
		serving.ServeHTTP(w, r)
	})
}
