package main

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
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
	os.Exit(exitOK)
}

// A run that is killed does not leave its command behind.
func TestRunKilled(t *testing.T) {
	t.Parallel()
	c, stderr := startRun(t, need(t, "sh"), "-c", `echo "processes $$." >&2; while :; do sleep 0.1; done`)
	processes := stderr.find(t, `processes (.*)\.`)
	noError(t, c.Process.Kill())
	wantGone(t, processes)
}

// openTerminal opens a terminal: master is the side of the person.
func openTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	noError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	noError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	noError(t, err)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	noError(t, err)
	t.Cleanup(func() { _ = terminal.Close() })
	return master, terminal
}

// A terminal sends Ctrl-C to the command as well: run does not send it again.
func TestRunTerminal(t *testing.T) {
	t.Parallel()
	master, terminal := openTerminal(t)
	c := self(t, asUnderstudy+"=1", "run", "--", need(t, "env"), asSignalPrinter+"=1", os.Args[0])
	c.SysProcAttr, c.Stdin = &syscall.SysProcAttr{Setsid: true, Setctty: true}, terminal // which is its file 0
	stderr := begin(t, c)
	stderr.find(t, "(ready)\n")
	_, err := master.WriteString("\x03") // Ctrl-C
	noError(t, err)
	stderr.find(t, "(interrupt)\n")
	noError(t, c.Process.Signal(syscall.SIGTERM))
	if code, text := wantEnded(t, c, stderr), stderr.String(); code != exitOK || strings.Count(text, "interrupt") != 1 {
		t.Errorf("exit code %d, want one interrupt:\n%s", code, text)
	}
}
