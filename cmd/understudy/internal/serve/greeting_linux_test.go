package serve

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// At a terminal serve says how to use it. Its lines hold: the command works as it stands, and the console is there.
func TestGreeting(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"plain":               nil,
		"TLS":                 {"--tls-auto"},
		"another key":         {"--key-prefix", "acme"},
		"control plane apart": {"--control-addr", "127.0.0.1:0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, shown, _ := serveAtTerminal(t, flags...)
			command := shown.Find(t, `  Try      (curl .*)\r\n`)
			if out, err := exec.Command(commandtest.Need(t, "sh"), "-c", strings.Replace(command, "curl", "curl -sS -m 60", 1)).CombinedOutput(); err != nil || !strings.Contains(string(out), `"state":"completed"`) {
				t.Errorf("%s: %v %s", command, err, out)
			}
			console := shown.Find(t, `  Console  (\S+)`)
			if out, err := exec.Command(commandtest.Need(t, "curl"), "-sS", "-m", "60", "--insecure", console).CombinedOutput(); err != nil || !strings.Contains(string(out), "<title>") {
				t.Errorf("%s: %v %s", console, err, out)
			}
			for _, part := range []string{"API      ", "Key      "} {
				if !strings.Contains(command, strings.Fields(shown.Find(t, part+`([^,\r]+)`))[0]) {
					t.Errorf("%s is not that of %s", part, command)
				}
			}
		})
	}
	for name, flags := range map[string][]string{"JSON": {"--log-format", "json"}, "quiet": {"--log-level", "warn"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, shown, terminal := serveAtTerminal(t, append(flags, "--exit-with-stdin")...) // of which there is none
			code := commandtest.WantEnded(t, c, shown)
			_, err := terminal.WriteString("(end)")
			commandtest.NoError(t, err)
			if shown.Find(t, `(\(end\))`); code != command.ExitOK || strings.Contains(shown.String(), "Console") {
				t.Error(code, shown)
			}
		})
	}
	t.Run("no terminal", func(t *testing.T) {
		s := commandtest.StartServer(t)
		s.End(t)
		if lines := slices.Collect(strings.Lines(s.Stderr.String())); len(lines) != 2 {
			t.Error(s.Stderr)
		}
	})
}

// serveAtTerminal serves at a terminal, and returns what it shows.
func serveAtTerminal(t *testing.T, flags ...string) (*exec.Cmd, *commandtest.Stream, *os.File) {
	t.Helper()
	master, terminal := commandtest.OpenTerminal(t)
	c, shown := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs(flags...)...), commandtest.NewStream()
	c.Stderr = terminal
	commandtest.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	go io.Copy(shown, master) // until the test closes it
	return c, shown, terminal
}
