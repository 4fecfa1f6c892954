// Package sender sends webhooks. What is due in the worlds flows in, attempts flow out: as HTTP requests to receivers, as results
// into the worlds, and as entries into their journals. It depends on neither the emulated API nor the console.
//
// An attempt is one goroutine, and a subscription has one attempt at a time: what else is due stays in the store. One more
// goroutine, which starts with the first webhook, watches which worlds have something due, and waits for the earliest.
package sender

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store"
)

// Config configures a sender.
type Config struct {
	Worlds      *world.Worlds
	Journal     *journal.Journal
	TokenHeader string            // carries the token of a subscription
	Transport   http.RoundTripper // carries the attempts; nil: the network
	Log         *slog.Logger

	// Failed counts an error of the emulator itself.
	Failed func()
}

// TokenHeader is the usual name of that header.
const TokenHeader = "X-Webhook-Token"

// Limits of all worlds together.
const (
	maxAttempts = 256 // at a time
	retryPause  = time.Second
	closeTime   = 5 * time.Second // for attempts under way
	longestWait = time.Minute     // the machine's clock may be set meanwhile
)

// Sender sends webhooks until Close. It implements [delivery.Sender].
type Sender struct {
	Config
	Taken, Refused atomic.Uint64 // attempts of this process

	client   *http.Client
	attempts *semaphore.Weighted

	stopping     context.Context
	stop         context.CancelFunc
	underway     context.Context // ends the attempts under way
	stopAttempts context.CancelFunc
	running      sync.WaitGroup
	start        sync.Once

	mu     sync.Mutex
	closed bool
	works  map[string]*work
	replan chan struct{} // receives when a work has another time to wake
}

// work is what this process does in a world.
type work struct {
	id      string
	looking *semaphore.Weighted // held by one look at a time
	// Guarded by Sender.mu.
	users        int  // while it has some, it stays the work of its world
	wanted       bool // a look is about to begin
	busy         map[line]bool
	changed      chan struct{} // closed when something has changed
	wake         time.Duration // by the clock's Elapsed; 0: nothing comes by itself
	value        string        // of the key that says that something is due, when it was looked at last
	sent, failed int
}

// line is a subscription of a world in a generation.
type line struct {
	generation int64
	webhook    int
}

// New returns the sender of all worlds, and sends what an earlier process has left.
func New(config Config) *Sender {
	s := &Sender{Config: config, attempts: semaphore.NewWeighted(maxAttempts), works: make(map[string]*work), replan: make(chan struct{}, 1)}
	s.client = NewClient(config.Transport, config.Worlds.Config().Targets)
	s.stopping, s.stop = context.WithCancel(context.Background())
	s.underway, s.stopAttempts = context.WithCancel(context.Background())
	config.Worlds.SetSender(s)
	if s.left() {
		s.begin()
	}
	return s
}

// left reports whether something may be due that this process has not made: by an earlier one, or by another that shares the
// store. A temporary store is new.
func (s *Sender) left() bool {
	c := s.Worlds.Config()
	if c.Targets.Off || c.Store.String() == "temp" {
		return false
	}
	left, err := s.roused(s.stopping)
	return err != nil || len(left) > 0 || c.Store.Shared()
}

// begin starts the goroutine that watches and waits, unless it runs.
func (s *Sender) begin() { s.start.Do(func() { s.run(s.watch) }) }

// run runs fn in the background, until the sender is closed.
func (s *Sender) run(fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Go(fn)
	}
}

// Shutdown begins no attempt more.
func (s *Sender) Shutdown() { s.stop() }

// Close waits for the attempts under way, but not for long.
func (s *Sender) Close() {
	s.stop()
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	late := time.AfterFunc(closeTime, s.stopAttempts)
	s.running.Wait()
	late.Stop()
	s.stopAttempts()
}

// use returns the work of a world, to be used until release.
func (s *Sender) use(id string) *work {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.work(id)
	w.users++
	return w
}

func (s *Sender) release(w *work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.users--
}

// work returns the work of a world. The caller has locked mu.
func (s *Sender) work(id string) *work {
	w := s.works[id]
	if w == nil {
		w = &work{id: id, looking: semaphore.NewWeighted(1), busy: make(map[line]bool), changed: make(chan struct{})}
		s.works[id] = w
	}
	return w
}

// Rouse looks what is due in a world, soon.
func (s *Sender) Rouse(id string) {
	s.begin()
	w := s.use(id)
	s.mu.Lock()
	wanted := w.wanted
	w.wanted = true
	s.mu.Unlock()
	if wanted {
		s.release(w)
		return
	}
	s.run(func() {
		defer s.release(w)
		s.look(w)
	})
}

// Changed returns a channel that is closed when something has changed in a world.
func (s *Sender) Changed(id string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.work(id).changed
}

// change changes a work, and wakes those who wait for it.
func (s *Sender) change(w *work, fn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fn()
	close(w.changed)
	w.changed = make(chan struct{})
	s.plan()
}

// plan makes the waiting goroutine look when the next work wakes.
func (s *Sender) plan() {
	select {
	case s.replan <- struct{}{}:
	default: // is pending
	}
}

// Complete carries out what is due in a world.
func (s *Sender) Complete(ctx context.Context, id string) (sent, failed int, err error) {
	s.begin()
	w := s.use(id)
	defer s.release(w)
	s.mu.Lock()
	sent, failed = w.sent, w.failed
	s.mu.Unlock()
	for waits := true; waits && err == nil; {
		changed := s.Changed(id) // before the look
		if waits, err = s.look(w); err == nil && waits {
			select {
			case <-changed:
			case <-ctx.Done():
			case <-s.stopping.Done():
			}
			err = cmp.Or(context.Cause(ctx), context.Cause(s.stopping)) // also when something has changed meanwhile
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.sent - sent, w.failed - failed, err
}

// look begins an attempt of each delivery that is due and free. It reports whether something due waits.
func (s *Sender) look(w *work) (waits bool, err error) {
	if err := w.looking.Acquire(s.stopping, 1); err != nil {
		return false, err
	}
	defer w.looking.Release(1)
	var found delivery.Look
	for found.More = true; found.More && err == nil; {
		if err = s.stopping.Err(); err != nil {
			return false, err
		}
		s.mu.Lock()
		w.wanted = false
		s.mu.Unlock()
		found, err = s.Worlds.Look(s.stopping, w.id, func(generation int64, webhook int) bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return w.busy[line{generation, webhook}]
		})
	}
	if err != nil {
		found.Next = retryPause
		s.failure("webhooks that are due not read", w.id, err)
	}
	s.mu.Lock()
	if w.wake = 0; found.Next > 0 {
		w.wake = s.Worlds.Config().Clock.Elapsed() + min(found.Next, longestWait)
	}
	for _, due := range found.Due {
		w.busy[line{due.Generation, due.Webhook}] = true
		waits = true
	}
	waits = waits || found.Waits || len(w.busy) > 0
	s.mu.Unlock()
	s.plan()
	for _, due := range found.Due {
		s.run(func() { s.attempt(w, due) })
	}
	return waits, err
}

func (s *Sender) failure(what, id string, err error) {
	if s.stopping.Err() != nil || errors.Is(err, store.ErrClosed) {
		return
	}
	s.Failed()
	s.Log.Error(what, "world", id, "cause", err)
}
