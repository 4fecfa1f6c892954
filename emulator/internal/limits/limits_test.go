package limits_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

// wantBusy wants the refusal of a client that is to try later.
func wantBusy(t *testing.T, err error, status int) {
	t.Helper()
	refusal := (*api.Error)(nil)
	if !errors.As(err, &refusal) || refusal.Status != status || refusal.Header.Get("Retry-After") == "" {
		t.Errorf("error %v, want one with status %d and Retry-After", err, status)
	}
}

// Bodies that are read take room until they are released, each at most that of the largest valid one.
func TestBody(t *testing.T) {
	t.Parallel()
	l := limits.New()
	body := func() *limits.Body {
		return l.Body(t.Context(), io.NopCloser(strings.NewReader(strings.Repeat("a", api.MaxBody+1000))))
	}
	read := func(b *limits.Body) error { // not to its end
		_, err := io.CopyN(io.Discard, b, api.MaxBody+500)
		return err
	}
	var open []*limits.Body
	for range 16 {
		open = append(open, body())
		if err := read(open[len(open)-1]); err != nil {
			t.Fatal(err)
		}
	}
	wantBusy(t, read(body()), http.StatusTooManyRequests)
	open[0].Release()
	open[0].Release() // it gives back nothing more
	last := body()
	if err := read(last); err != nil {
		t.Error(err)
	}
	wantBusy(t, read(body()), http.StatusTooManyRequests)
}

// While large bodies take all room, small ones are read, and bodies that are discarded.
func TestBodySmall(t *testing.T) {
	t.Parallel()
	l := limits.New()
	body := func(size int) *limits.Body {
		return l.Body(t.Context(), io.NopCloser(strings.NewReader(strings.Repeat("a", size))))
	}
	for range 17 {
		_, _ = io.CopyN(io.Discard, body(api.MaxBody), api.MaxBody-1) // the client never ends it
	}
	if _, err := io.ReadAll(body(4 << 10)); err != nil {
		t.Error(err)
	}
	_, err := io.ReadAll(body(64 << 10))
	wantBusy(t, err, http.StatusTooManyRequests)
	discarded := body(api.MaxBody)
	discarded.Release()
	if _, err := io.ReadAll(discarded); err != nil {
		t.Error(err)
	}
}

// A body that is read to its end waits for the bodies that are decoded now.
func TestBodyDecoded(t *testing.T) {
	t.Parallel()
	l := limits.New()
	ctx, cancel := context.WithCancel(t.Context())
	large := func() *limits.Body {
		return l.Body(ctx, io.NopCloser(strings.NewReader(strings.Repeat("a", api.MaxBody))))
	}
	first := large()
	if _, err := io.ReadAll(first); err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() {
		_, err := io.ReadAll(large())
		read <- err
	}()
	first.Release()
	if err := <-read; err != nil {
		t.Error(err)
	}
	cancel() // the client leaves
	if _, err := io.ReadAll(large()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	l := limits.New()
	open := func(address, world string, streams int) (release func()) {
		t.Helper()
		for range streams {
			var refusal *api.Error
			if release, refusal = l.Stream(limits.Owner{Addr: address + ":80", World: world}); refusal != nil {
				t.Fatal(refusal)
			}
		}
		return release
	}
	full := func(address, world, whose string) {
		t.Helper()
		_, refusal := l.Stream(limits.Owner{Addr: address + ":80", World: world})
		wantBusy(t, refusal, http.StatusServiceUnavailable)
		if !strings.HasPrefix(refusal.Message, whose) {
			t.Errorf("the refusal %q does not say whose share is full: %s", refusal.Message, whose)
		}
	}
	one := open("192.0.2.1", "a", limits.MaxStreams/2)
	full("192.0.2.1", "a", "This world")
	full("192.0.2.2", "a", "This world")
	open("192.0.2.1", "b", limits.MaxStreams/4)
	for range limits.MaxStreams { // a refusal takes no place
		full("192.0.2.1", "c", "This client")
	}
	last := open("192.0.2.2", "", limits.MaxStreams/4)
	full("192.0.2.2", "d", "The server")
	last()
	open("192.0.2.2", "d", 1)
	one()
	open("192.0.2.1", "c", 1)
}

// busy returns a context that ends at once: what finds no room does not wait.
func busy(t *testing.T) context.Context {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	return gone
}

// Large answers share a budget, of which a world has a half. One that is rendered takes its size only.
func TestAnswer(t *testing.T) {
	t.Parallel()
	l := limits.New()
	admit := func(world string, room int64) (*limits.Answer, error) {
		a := l.Answer("192.0.2.1:80")
		return a, limits.Admit(a.In(busy(t)), world, room)
	}
	var under []*limits.Answer
	for range 2 {
		a, err := admit("a", 12<<20)
		if err != nil {
			t.Fatal(err)
		}
		under = append(under, a)
	}
	_, err := admit("a", 12<<20)
	wantBusy(t, err, http.StatusTooManyRequests)
	if err := l.Answer("192.0.2.1:80").Rendered(busy(t), "a", limits.SmallAnswer); err != nil {
		t.Errorf("a small answer finds no room: %v", err)
	}
	wantBusy(t, l.Answer("192.0.2.1:80").Rendered(busy(t), "a", limits.SmallAnswer+1), http.StatusTooManyRequests)
	other, err := admit("b", 12<<20)
	if err != nil {
		t.Errorf("another world finds no room: %v", err)
	}
	other.Release()
	for _, a := range under {
		if err := a.Rendered(busy(t), "a", 1<<20); err != nil {
			t.Error(err)
		}
	}
	later, err := admit("a", 12<<20)
	if err != nil {
		t.Errorf("the rendered answers leave no room: %v", err)
	}
	later.Release()
	later.Release() // it gives back nothing more
	if _, err := admit("a", 23<<20); err == nil {
		t.Error("the rendered answers take no room")
	}
	_, err = admit("c", 1<<30)
	if refusal := (*api.Error)(nil); !errors.As(err, &refusal) || !strings.Contains(refusal.Diagnosis, "more memory") {
		t.Errorf("an answer of 1 GiB is %v", err)
	}
}

// A second admission of an answer gives back what the first has taken.
func TestAnswerAdmittedTwice(t *testing.T) {
	t.Parallel()
	l := limits.New()
	for range 5 {
		a := l.Answer("192.0.2.1:80")
		for range 2 {
			if err := limits.Admit(a.In(busy(t)), "a", 12<<20); err != nil {
				t.Fatal(err)
			}
		}
		a.Release()
	}
}

// A snapshot waits for its turn, but not while its file is sent. A world has a half of the turns and files.
func TestTurn(t *testing.T) {
	t.Parallel()
	l := limits.New()
	one, other := limits.Owner{Addr: "192.0.2.1:80", World: "a"}, limits.Owner{Addr: "192.0.2.1:80", World: "b"}
	for range 16 { // ten of stalled transfers, and six more
		file, err := l.File(t.Context(), one)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
	}
	_, err := l.File(busy(t), one)
	wantBusy(t, err, http.StatusServiceUnavailable)
	nothing := func() error { return nil }
	err = l.Turn(t.Context(), one, func() error {
		return l.Turn(t.Context(), one, func() error {
			wantBusy(t, l.Turn(busy(t), one, nothing), http.StatusServiceUnavailable)
			taken, err := l.Snapshot(t.Context(), other, func(context.Context, func() error, io.Writer) error { return nil })
			if err == nil {
				err = taken.Close()
			}
			return err
		})
	})
	if err != nil {
		t.Error(err)
	}
}

// A file has no name, or is removed.
func TestFile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	stale := filepath.Join(folder, "understudy-temp-7.json")
	users := filepath.Join(folder, "understudy-snapshot-7.json") // of a user
	for _, path := range []string{stale, users} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := limits.New()
	file, err := l.File(t.Context(), limits.Owner{})
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != filepath.Base(users) {
		t.Errorf("left are %v, %v", left, err)
	}
	none := filepath.Join(folder, "none")
	t.Setenv("TMPDIR", none)
	for range 40 { // a failure takes no place
		_, err := l.File(t.Context(), limits.Owner{})
		if refusal := (*api.Error)(nil); !errors.As(err, &refusal) || refusal.Status != http.StatusInsufficientStorage || !strings.Contains(refusal.Message, none) {
			t.Fatalf("error %v", err)
		}
	}
}

// Nothing is left of worlds whose requests were refused for their share. Not parallel: it measures the heap.
func TestRefusedHoldNothing(t *testing.T) {
	l := limits.New()
	before := inUse()
	for i := range 20_000 {
		world := fmt.Sprint("world ", i)
		first, second := l.Answer(""), l.Answer("")
		if err := limits.Admit(first.In(t.Context()), world, 32<<20); err != nil { // the whole share of a world
			t.Fatal(err)
		}
		wantBusy(t, limits.Admit(second.In(busy(t)), world, 1<<20), http.StatusTooManyRequests)
		first.Release()
		second.Release()
	}
	if held := inUse() - before; held > 1<<20 {
		t.Errorf("%d bytes are held", held)
	}
	runtime.KeepAlive(l)
}

func inUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
