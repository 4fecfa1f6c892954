package run

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// asSignalPrinter makes the test binary run printSignals.
const asSignalPrinter = "TEST_AS_SIGNAL_PRINTER"

func init() {
	if os.Getenv(asSignalPrinter) != "" {
		printSignals()
	}
}

// printSignals prints each interrupt, and ends with SIGTERM.
func printSignals() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	fmt.Fprintln(os.Stderr, "ready")
	for s := <-signals; s == os.Interrupt; s = <-signals {
		fmt.Fprintln(os.Stderr, s)
	}
	os.Exit(command.ExitOK)
}

// A run that is killed does not leave its command behind.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	c, stderr := startRun(t, commandtest.Need(t, "sh"), "-c", `echo "processes $$." >&2; while :; do sleep 0.1; done`)
	processes := stderr.Find(t, `processes (.*)\.`)
	commandtest.NoError(t, c.Process.Kill())
	wantGone(t, processes)
}

// Ctrl-C in a terminal reaches the command directly: run does not send it again.
func TestRunTerminal(t *testing.T) {
	t.Parallel()
	master, terminal := commandtest.OpenTerminal(t)
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", "run", "--", commandtest.Need(t, "env"), asSignalPrinter+"=1", os.Args[0])
	c.SysProcAttr, c.Stdin = &syscall.SysProcAttr{Setsid: true, Setctty: true}, terminal // which is its file 0
	stderr := commandtest.Begin(t, c)
	stderr.Find(t, "(ready)\n")
	_, err := master.WriteString("\x03") // Ctrl-C
	commandtest.NoError(t, err)
	stderr.Find(t, "(interrupt)\n")
	commandtest.NoError(t, c.Process.Signal(syscall.SIGTERM))
	if code, text := commandtest.WantEnded(t, c, stderr), stderr.String(); code != command.ExitOK || strings.Count(text, "interrupt") != 1 {
		t.Errorf("exit code %d, want one interrupt:\n%s", code, text)
	}
}
