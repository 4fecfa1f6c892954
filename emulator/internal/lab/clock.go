package lab

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Machine is a machine's clock that a test sets.
type Machine struct {
	Instant atomic.Pointer[time.Time]
	elapsed atomic.Int64
}

// NewMachine returns a machine's clock that shows an instant.
func NewMachine(instant time.Time) *Machine {
	m := new(Machine)
	m.Set(instant)
	return m
}

// Set sets the clock; the time that has passed stays.
func (m *Machine) Set(instant time.Time) { m.Instant.Store(&instant) }

// Pass lets time pass.
func (m *Machine) Pass(span time.Duration) {
	m.Set(m.Instant.Load().Add(span))
	m.elapsed.Add(int64(span))
}

// Clock returns the emulator's clock that runs with the machine's.
func (m *Machine) Clock() emulator.Clock {
	return emulator.Clock{
		Wall: func() time.Time { return *m.Instant.Load() }, Elapsed: func() time.Duration { return time.Duration(m.elapsed.Load()) },
	}
}

// DateOf returns the instant of an answer's Date.
func DateOf(t *testing.T, r *apitest.Response) time.Time {
	t.Helper()
	date, err := http.ParseTime(r.Header.Get("Date"))
	NoError(t, err)
	return date
}

// Pauses records the pauses of an emulator, which take no time.
type Pauses struct {
	mu    sync.Mutex
	spans []time.Duration
}

// Spans returns the pauses until now.
func (p *Pauses) Spans() []time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.spans)
}

// Option returns an option for a frozen clock whose pauses are recorded.
func (p *Pauses) Option() emulator.Option {
	return Pausing(func(_ context.Context, span time.Duration) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.spans = append(p.spans, span)
		return nil
	})
}

// Pausing returns an option for a frozen clock that pauses by calling pause.
func Pausing(pause func(context.Context, time.Duration) error) emulator.Option {
	return emulator.WithClock(emulator.Clock{Frozen: Epoch, Pause: pause})
}
