package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// The server is told to stop while clients write, wait for a slow answer, and hold connections on which nothing comes.
func TestASIGTERMUnderLoadLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", file)
	url := stderr.find(t, listening)
	for range 50 {
		dial(t, url) // and say nothing
	}
	idle := dial(t, url)
	fmt.Fprintf(idle, "%s\r\n", getHead)

	var slow sync.WaitGroup
	var waited atomic.Int32
	for range 4 {
		conn := dial(t, url)
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
	writers.write(t, url, 20, func() {
		told = time.Now()
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	})
	if err := c.Wait(); err != nil {
		t.Errorf("the end: %v\n%s", err, stderr)
	}
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
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0")
	url := stderr.find(t, listening)
	conn := dial(t, url)
	fmt.Fprintf(conn, "%sContent-Length: 1000\r\n\r\n{", putHead)
	fmt.Fprintf(dial(t, url), "GET /half HTTP/1.1\r\nHost: x\r\n")
	wantServing(t, url)
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != exitFailed {
		t.Errorf("the end: %v", err)
	}
	stderr.find(t, `(requests were still under way 10s after the signal)`)
	if _, err := http.Get(url); err == nil {
		t.Error("it is served still")
	}
}
