package main

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
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
			command := shown.find(t, `  Try      (curl .*)\r\n`)
			if out, err := exec.Command(need(t, "sh"), "-c", strings.Replace(command, "curl", "curl -sS -m 60", 1)).CombinedOutput(); err != nil || !strings.Contains(string(out), `"state":"completed"`) {
				t.Errorf("%s: %v %s", command, err, out)
			}
			console := shown.find(t, `  Console  (\S+)`)
			if out, err := exec.Command(need(t, "curl"), "-sS", "-m", "60", "--insecure", console).CombinedOutput(); err != nil || !strings.Contains(string(out), "<title>") {
				t.Errorf("%s: %v %s", console, err, out)
			}
			for _, part := range []string{"API      ", "Key      "} {
				if !strings.Contains(command, strings.Fields(shown.find(t, part+`([^,\r]+)`))[0]) {
					t.Errorf("%s is not that of %s", part, command)
				}
			}
		})
	}
	for name, flags := range map[string][]string{"JSON": {"--log-format", "json"}, "quiet": {"--log-level", "warn"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, shown, terminal := serveAtTerminal(t, append(flags, "--exit-with-stdin")...) // of which there is none
			code := wantEnded(t, c, shown)
			_, err := terminal.WriteString("(end)")
			noError(t, err)
			if shown.find(t, `(\(end\))`); code != exitOK || strings.Contains(shown.String(), "Console") {
				t.Error(code, shown)
			}
		})
	}
	t.Run("no terminal", func(t *testing.T) {
		s := startServer(t)
		s.end(t)
		if lines := slices.Collect(strings.Lines(s.stderr.String())); len(lines) != 2 {
			t.Error(s.stderr)
		}
	})
}

// serveAtTerminal serves at a terminal, and returns what it shows.
func serveAtTerminal(t *testing.T, flags ...string) (*exec.Cmd, *stream, *os.File) {
	t.Helper()
	master, terminal := openTerminal(t)
	c, shown := self(t, asUnderstudy+"=1", serveArgs(flags...)...), newStream()
	c.Stderr = terminal
	noError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended
		_ = c.Wait()
	})
	go io.Copy(shown, master) // until the test closes it
	return c, shown, terminal
}
