package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The server is told to stop while clients write, wait for a slow answer, and hold connections on which nothing comes.
func TestASIGTERMUnderLoadLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	s := startProcess(t, "--store", file)
	for range 50 {
		dial(t, s.url) // and say nothing
	}
	fmt.Fprintf(dial(t, s.url), "%s\r\n", getHead)

	var slow sync.WaitGroup
	var waited atomic.Int32
	for range 4 {
		conn := dial(t, s.url)
		fmt.Fprintf(conn, "GET /verification-requests/vr_slow HTTP/1.1\r\n%sConnection: close\r\n\r\n", head)
		slow.Go(func() {
			answer := make([]byte, 4096)
			if n, _ := conn.Read(answer); strings.HasPrefix(string(answer[:n]), "HTTP/1.1 200 ") {
				waited.Add(1)
			}
		})
	}
	var told time.Time
	writers := newWriters(0)
	writers.write(t, s.url, 20, func() {
		told = time.Now()
		s.end(t)
	})
	if took := time.Since(told); took > grace {
		t.Errorf("it took %s", took)
	}
	if slow.Wait(); waited.Load() != 4 {
		t.Errorf("of 4 slow answers %d came", waited.Load())
	}
	if n := writers.acknowledged(); n < 50 {
		t.Errorf("only %d writes were acknowledged", n)
	}
	writers.check(t, startServer(t, "--store", file).url)
}

// A body that never comes whole holds the stop up for as long as grace lasts: that is said, and the store is closed.
func TestAClientThatHoldsARequestOpenIsCutOffWhenGraceEnds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skipf("grace is %s", grace)
	}
	s := startProcess(t)
	fmt.Fprintf(dial(t, s.url), "%sContent-Length: 1000\r\n\r\n{", putHead)
	fmt.Fprintf(dial(t, s.url), "GET /half HTTP/1.1\r\nHost: x\r\n")
	s.wantServing(t)
	if code := s.stop(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	s.stderr.find(t, `(requests were still under way 10s after the signal)`)
	if _, err := http.Get(s.url); err == nil {
		t.Error("it is served still")
	}
}
