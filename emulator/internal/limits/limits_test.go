package limits_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

// wantBusy wants the refusal of a client that is to try again.
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
	var release func()
	for range limits.MaxStreams {
		var refusal *api.Error
		if release, refusal = l.Stream(); refusal != nil {
			t.Fatal(refusal)
		}
	}
	_, refusal := l.Stream()
	wantBusy(t, refusal, http.StatusServiceUnavailable)
	release()
	if _, refusal := l.Stream(); refusal != nil {
		t.Error(refusal)
	}
}

// A snapshot waits for its turn. Its file has no name, or is removed.
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
	var last *limits.File
	for range 4 {
		var err error
		if last, err = l.File(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.File(gone)
	wantBusy(t, err, http.StatusServiceUnavailable)
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if last, err = l.File(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := last.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Name() != filepath.Base(users) {
		t.Errorf("left are %v, %v", left, err)
	}
	t.Setenv("TMPDIR", filepath.Join(folder, "none"))
	for range 9 { // a failure takes no place
		if _, err := l.File(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "no temporary file for a snapshot: ") {
			t.Fatalf("error %v", err)
		}
	}
}
