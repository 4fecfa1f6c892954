package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A program that starts an emulator holds its input, and reads its URL from its output. When it ends, so does the emulator,
// with what is under way.
func TestExitWithStdin(t *testing.T) {
	t.Parallel()
	t.Run("its pipe is closed", func(t *testing.T) {
		t.Parallel()
		c := self(t, asUnderstudy+"=1", serveArgs("--exit-with-stdin", "--url-file", "-")...)
		input, err := c.StdinPipe()
		noError(t, err)
		stdout := newStream()
		c.Stdout = stdout
		stderr := begin(t, c)
		url := stdout.find(t, `^(http://127\.0\.0\.1:\d+)\n$`)
		slow := make(chan error, 1)
		s := server{url: url, stderr: stderr}
		s.wantServing(t)
		go func() {
			_, _, err := send(new(http.Client), newRequest(key, "GET", url+"/verification-requests/vr_slow", ""))
			slow <- err
		}()
		stream, err := new(http.Client).Do(newRequest(key, "GET", url+"/_understudy/v1/journal/stream", ""))
		noError(t, err)
		defer stream.Body.Close()
		_, err = io.WriteString(input, "what is written is read\n")
		noError(t, err)
		s.wantServing(t)
		noError(t, input.Close())
		wantEnd(t, c, 2*time.Second, stderr)
		<-slow // answered or not
	})
	for name, open := range map[string]func() (*os.File, error){
		"an empty device": func() (*os.File, error) { return os.Open(os.DevNull) },
		"no input":        func() (*os.File, error) { return nil, nil },
		"a folder":        func() (*os.File, error) { return os.Open(t.TempDir()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := open()
			noError(t, err)
			c := self(t, asUnderstudy+"=1", serveArgs("--exit-with-stdin")...)
			if file != nil {
				defer file.Close()
				c.Stdin = file
			}
			wantEnd(t, c, time.Minute, begin(t, c))
		})
	}
	t.Run("without it the input does not count", func(t *testing.T) {
		t.Parallel()
		s := startProcess(t)
		s.wantServing(t)
		s.end(t)
	})
	t.Run("run has no such flag", func(t *testing.T) {
		t.Parallel()
		understudy(t, "run", "--exit-with-stdin", "--", "true").want(t, exitUsage, "there is no flag --exit-with-stdin")
	})
}

// wantEnd wants a process to end with exit code 0 within a time.
func wantEnd(t *testing.T, c *exec.Cmd, within time.Duration, stderr *stream) {
	t.Helper()
	killed := time.AfterFunc(within, func() { _ = c.Process.Kill() })
	_ = c.Wait() // the exit code has the result
	if code := c.ProcessState.ExitCode(); !killed.Stop() || code != exitOK {
		t.Errorf("exit code %d, want %d within %s:\n%s", code, exitOK, within, stderr)
	}
}
