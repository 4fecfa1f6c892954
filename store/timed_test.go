package store_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// told is a log of what was timed.
type told []string

func (t *told) of(what string) func(time.Duration) {
	return func(took time.Duration) {
		if took < 0 {
			what += ", which ended before it began"
		}
		*t = append(*t, what)
	}
}

func timed(t *testing.T) (store.Store, *told) {
	t.Helper()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	times := new(told)
	return store.Timed(s, store.Times{
		Get: times.of("get"), Update: times.of("update"), Scan: times.of("scan"), Delete: times.of("delete"),
	}), times
}

func TestEveryCallOfATimedStoreIsTimedAndAnsweredAsTheStoreAnswers(t *testing.T) {
	t.Parallel()
	s, times := timed(t)
	ctx := t.Context()
	if err := s.Update(ctx, "a", func([]byte) ([]byte, error) { return []byte("1"), nil }); err != nil {
		t.Error(err)
	}
	if value, err := s.Get(ctx, "a"); string(value) != "1" || err != nil {
		t.Errorf("%q, %v", value, err)
	}
	stop := errors.New("stop")
	if err := s.Scan(ctx, "", "", func(string, []byte) error { return stop }); err != stop {
		t.Error(err)
	}
	if err := s.DeletePrefix(ctx, "a"); err != nil {
		t.Error(err)
	}
	ended, end := context.WithCancel(ctx)
	end()
	if _, err := s.Get(ended, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if want := []string{"update", "get", "scan", "delete", "get"}; !slices.Equal(*times, want) {
		t.Errorf("timed: %q", *times)
	}
	if s.String() != "temp" {
		t.Error(s)
	}
}

func TestWhatAStoreCanDoBeyondStoreIsFoundThroughItsTiming(t *testing.T) {
	t.Parallel()
	s, _ := timed(t)
	checker, ok := store.As[store.Checker](s)
	if !ok {
		t.Fatal("it cannot check")
	}
	if err := checker.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, ok := store.As[interface{ Nothing() }](s); ok {
		t.Error("it can do what no store can")
	}
}

func BenchmarkTimed(b *testing.B) {
	s := openBench(b, "temp")
	none := func(time.Duration) {}
	for name, s := range map[string]store.Store{
		"plain": s, "timed": store.Timed(s, store.Times{Get: none, Update: none, Scan: none, Delete: none}),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Get(b.Context(), "key"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
