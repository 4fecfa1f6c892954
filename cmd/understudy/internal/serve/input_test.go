package serve

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// A program that starts an emulator holds its input, and reads its URL from its output. When it ends, so does the emulator,
// with what is under way.
func TestExitWithStdin(t *testing.T) {
	t.Parallel()
	t.Run("its pipe is closed", func(t *testing.T) {
		t.Parallel()
		c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs("--exit-with-stdin", "--url-file", "-")...)
		input, err := c.StdinPipe()
		commandtest.NoError(t, err)
		stdout := commandtest.NewStream()
		c.Stdout = stdout
		stderr := commandtest.Begin(t, c)
		url := stdout.Find(t, `^(http://127\.0\.0\.1:\d+)\n$`)
		slow := make(chan error, 1)
		s := commandtest.Server{URL: url, Stderr: stderr}
		s.WantServing(t)
		go func() {
			_, _, err := commandtest.Send(new(http.Client), commandtest.NewRequest(commandtest.Key, "GET", url+"/verification-requests/vr_slow", ""))
			slow <- err
		}()
		stream, err := new(http.Client).Do(commandtest.NewRequest(commandtest.Key, "GET", url+"/_understudy/v1/journal/stream", ""))
		commandtest.NoError(t, err)
		defer stream.Body.Close()
		_, err = io.WriteString(input, "what is written is read\n")
		commandtest.NoError(t, err)
		s.WantServing(t)
		commandtest.NoError(t, input.Close())
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
			commandtest.NoError(t, err)
			c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs("--exit-with-stdin")...)
			if file != nil {
				defer file.Close()
				c.Stdin = file
			}
			wantEnd(t, c, time.Minute, commandtest.Begin(t, c))
		})
	}
	t.Run("without it the input does not count", func(t *testing.T) {
		t.Parallel()
		s := commandtest.StartProcess(t)
		s.WantServing(t)
		s.End(t)
	})
}

// wantEnd wants a process to end with exit code 0 within a time.
func wantEnd(t *testing.T, c *exec.Cmd, within time.Duration, stderr *commandtest.Stream) {
	t.Helper()
	killed := time.AfterFunc(within, func() { _ = c.Process.Kill() })
	_ = c.Wait() // the exit code has the result
	if code := c.ProcessState.ExitCode(); !killed.Stop() || code != command.ExitOK {
		t.Errorf("exit code %d, want %d within %s:\n%s", code, command.ExitOK, within, stderr)
	}
}
