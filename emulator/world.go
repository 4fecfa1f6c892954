package emulator

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// World steers the world of an API key, as the control plane does (contract 6). It is safe for concurrent use and keeps
// nothing: every method finds the world as it is then, and makes it at first use. What a method cannot do for a reason
// that its caller can mend is an [*api.Error], and nothing is changed then.
type World struct {
	emulator *Emulator
	open     func(context.Context) (*world.World, error)
}

// WorldStatus is what can be told of a world at one instant.
type WorldStatus struct {
	ID      string // names the world on the control plane, and does not lead back to the key
	Key     string // masked
	Seed    uint64
	Created time.Time // by its own clock
	Now     time.Time
	Frozen  bool // the clock stands
}

// Key returns the sandbox key of a name: svc_sk_test_me of me, unless [WithKeyPrefix] says otherwise.
func (e *Emulator) Key(name string) string { return e.keys.prefix + "_sk_test_" + name }

// World returns the world of an API key such as svc_sk_test_me. Its error is for a key that opens no world.
func (e *Emulator) World(key string) (*World, error) {
	if _, err := e.keys.authenticate([]string{"Bearer " + key}); err != nil {
		return nil, noWorld(err)
	}
	return &World{e, func(ctx context.Context) (*world.World, error) { return e.worlds.Open(ctx, key) }}, nil
}

// noWorld says of a key that is refused why it opens no world.
func noWorld(err error) error {
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return errors.New("no world has this API key: " + failure.Diagnosis)
	}
	return err
}

// WorldByID returns the world of an id that [WorldStatus] or the header Understudy-World gave. It is not made by use: the
// error of its methods for an id that no world has is an [*api.Error].
func (e *Emulator) WorldByID(id string) *World {
	return &World{e, func(ctx context.Context) (*world.World, error) { return e.worlds.OpenID(ctx, id) }}
}

// Worlds goes through the worlds in the order of their ids. It ends with the first error.
func (e *Emulator) Worlds(ctx context.Context) iter.Seq2[WorldStatus, error] {
	return paged(func(s WorldStatus) string { return s.ID }, func(after string) (all []WorldStatus, err error) {
		some, err := e.worlds.List(ctx, after, atOnce)
		for _, w := range some {
			all = append(all, statusOf(w))
		}
		return all, err
	})
}

func statusOf(w *world.World) WorldStatus {
	return WorldStatus{ID: w.ID, Key: w.Key(), Seed: w.Seed(), Created: w.Created(), Now: w.Now().UTC(), Frozen: w.Frozen()}
}

// do opens the world for one act; one that a reset overtakes is done again, in the world as it is then.
func (w *World) do(ctx context.Context, act func(*world.World) error) error {
	return world.Do(ctx, func() (*world.World, error) { return w.open(ctx) }, false, act)
}

// asked opens a world for one act that returns something.
func asked[T any](ctx context.Context, w *World, act func(*world.World) (T, error)) (value T, err error) {
	err = w.do(ctx, func(opened *world.World) (err error) {
		value, err = act(opened)
		return err
	})
	return value, err
}

// Status tells of the world as it is now.
func (w *World) Status(ctx context.Context) (WorldStatus, error) {
	return asked(ctx, w, func(opened *world.World) (WorldStatus, error) { return statusOf(opened), nil })
}

// Reset makes the world as new, all at once: resources, clock, faults, counters, journal and its own scenarios.
func (w *World) Reset(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error {
		if err := opened.Reset(ctx); err != nil {
			return err
		}
		w.emulator.journal.Renew(opened.ID, opened.Generation())
		return nil
	})
}

// Delete forgets the world, as if its key had never been used.
func (w *World) Delete(ctx context.Context) error {
	opened, err := w.open(ctx)
	if err != nil {
		return err
	}
	if err := w.emulator.worlds.Delete(ctx, opened.ID); err != nil {
		return err
	}
	w.emulator.journal.Forget(opened.ID)
	return nil
}

// Now returns the world's instant.
func (w *World) Now(ctx context.Context) (time.Time, error) {
	status, err := w.Status(ctx)
	return status.Now, err
}

// SetClock sets the world's clock to an instant, at which it stands or from which it runs on, as it did before. No clock
// goes back: reset the world first.
func (w *World) SetClock(ctx context.Context, now time.Time) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(ctx, &now, nil) })
}

// Advance moves the world's clock on by a positive span, running or not.
func (w *World) Advance(ctx context.Context, by time.Duration) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Advance(ctx, by) })
}

// Freeze has the world's clock stand.
func (w *World) Freeze(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(ctx, nil, new(true)) })
}

// Unfreeze has the world's clock run on with the machine's.
func (w *World) Unfreeze(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(ctx, nil, new(false)) })
}
