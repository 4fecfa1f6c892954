package store

import (
	"context"
	"time"
)

// Times are told how long each call of a store took, whatever came of it. None may be nil; but for a store that is no [Logs]
// those of logs may.
type Times struct {
	Get, Update, Scan, Delete func(time.Duration)
	Append, Read, Settle      func(time.Duration) // of logs
}

// Timed returns a store whose calls are timed. [As] finds what s can do beyond Store.
func Timed(s Store, times Times) Store {
	t := timed{s, times, time.Now()}
	if logs, ok := As[Logs](s); ok {
		return &timedLogs{t, logs}
	}
	return &t
}

// timed tells the time by how long ago one instant was: that takes one clock, where time.Now reads two.
type timed struct {
	Store
	times Times
	began time.Time
}

// Unwrap returns the store that is timed.
func (t *timed) Unwrap() Store { return t.Store }

func (t *timed) now() time.Duration { return time.Since(t.began) }

// tell is deferred by a call that begins now.
func (t *timed) tell(took func(time.Duration), began time.Duration) { took(t.now() - began) }

func (t *timed) Get(ctx context.Context, key string) ([]byte, error) {
	defer t.tell(t.times.Get, t.now())
	return t.Store.Get(ctx, key)
}

func (t *timed) Recall(ctx context.Context, key string, still func(value []byte) bool) ([]byte, error) {
	defer t.tell(t.times.Get, t.now())
	return t.Store.Recall(ctx, key, still)
}

func (t *timed) Amend(ctx context.Context, key string, change Change) error {
	defer t.tell(t.times.Update, t.now())
	return t.Store.Amend(ctx, key, change)
}

func (t *timed) Update(ctx context.Context, key string, change Change) error {
	defer t.tell(t.times.Update, t.now())
	return t.Store.Update(ctx, key, change)
}

func (t *timed) Scan(ctx context.Context, prefix, after string, visit func(key string, value []byte) error) error {
	defer t.tell(t.times.Scan, t.now())
	return t.Store.Scan(ctx, prefix, after, visit)
}

func (t *timed) DeletePrefix(ctx context.Context, prefix string) error {
	defer t.tell(t.times.Delete, t.now())
	return t.Store.DeletePrefix(ctx, prefix)
}

// As finds what a store can do beyond Store, such as [Checker]: the store itself, or the one that it stands around.
func As[T any](s Store) (able T, ok bool) {
	for {
		if able, ok = s.(T); ok {
			return able, true
		}
		around, wraps := s.(interface{ Unwrap() Store })
		if !wraps {
			return able, false
		}
		s = around.Unwrap()
	}
}
