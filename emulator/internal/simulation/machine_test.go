package simulation

import (
	"bytes"
	"context"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// machine is a process with an emulator, its clock and its way to the store, see disk.go.
type machine struct {
	sim     *simulation
	index   int
	name    string
	ahead   atomic.Int64 // of the true time, its clock
	dead    atomic.Bool
	offline bool // off from the store

	running sync.WaitGroup // transactions

	emulator atomic.Pointer[emulator.Emulator] // nil until it has started
	ended    chan struct{}                     // closed when its goroutines are
}

// timeToLive is the TTL of worlds, where there is one.
const timeToLive = 5 * time.Minute

// A process with little memory, in bytes, and its budget for the bodies that it decodes.
const (
	littleMemory = 30 << 10
	bodies       = 320
)

// start starts a process, which has to read the store first.
func (s *simulation) start(index int, ahead time.Duration) *machine {
	m := &machine{sim: s, index: index, name: "replica " + string(rune('A'+index)), ended: make(chan struct{})}
	m.ahead.Store(int64(ahead))
	s.note(m.name, "starts")
	options := []emulator.Option{
		emulator.WithStore(m),
		emulator.WithLogger(slog.New(slog.NewTextHandler(logged{m}, &slog.HandlerOptions{Level: slog.LevelError}))),
		emulator.WithClock(emulator.Clock{
			Frozen: lab.Epoch, Wall: func() time.Time { return time.Now().Add(time.Duration(m.ahead.Load())) }, Pause: m.pause,
		}),
		emulator.WithWebhooks(emulator.Webhooks{Transport: post{m}}),
	}
	if s.plan.ttl {
		options = append(options, emulator.WithWorldTTL(timeToLive))
	}
	go func() {
		e, err := emulator.New(options...)
		if err != nil {
			s.fail("%s does not start: %s", m.name, err)
			return
		}
		m.emulator.Store(e)
		if m.dead.Load() {
			m.end()
		}
	}()
	if s.plan.small {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(littleMemory))
		synctest.Wait() // until it waits for the store, with its budgets
	}
	return m
}

func (m *machine) up() bool { return m.emulator.Load() != nil && !m.dead.Load() }

// kill ends a process: whatever its goroutines do later reaches nobody.
func (s *simulation) kill(m *machine) {
	if m.dead.Swap(true) {
		return
	}
	s.note(m.name, "is killed")
	s.disk.unwatch(func(w *watcher) bool { return w.machine == m })
	s.mu.Lock()
	s.waiting = slices.DeleteFunc(s.waiting, func(p *parked) bool {
		if p.machine == m {
			p.answer <- dieBefore
		}
		return p.machine == m
	})
	s.mu.Unlock()
	if m.emulator.Load() != nil {
		go m.end()
	}
}

// end lets the goroutines of a process end.
func (m *machine) end() {
	e := m.emulator.Load()
	e.Shutdown()
	if err := e.Close(); err != nil {
		m.sim.fail("%s does not close: %s", m.name, err)
	}
	close(m.ended)
}

// pause waits for a span of time, and then for the scheduler, so that those who wake at one instant go on one after another.
func (m *machine) pause(ctx context.Context, span time.Duration) error {
	if err := (emulator.Clock{}).Wait(ctx, span); err != nil {
		return err
	}
	m.sim.parkUntil(&parked{machine: m, by: callerOf(ctx), what: "wakes"}, ctx.Done())
	return context.Cause(ctx)
}

// logged puts what a machine logs in the report.
type logged struct{ *machine }

func (m logged) Write(line []byte) (int, error) {
	_, text, _ := bytes.Cut(line, []byte("msg="))
	if !m.dead.Load() {
		m.sim.note(m.name, "logs %s", bytes.TrimSpace(text))
	}
	return len(line), nil
}
