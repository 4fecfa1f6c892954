//go:build unix

package etcdtest

import (
	"syscall"
	"testing"
)

// Pause stops the process where it is, until Resume.
func (m *Member) Pause(t testing.TB) { m.signal(t, syscall.SIGSTOP) }

// Resume has a process that was paused go on.
func (m *Member) Resume(t testing.TB) { m.signal(t, syscall.SIGCONT) }

func (m *Member) signal(t testing.TB, signal syscall.Signal) {
	t.Helper()
	if err := m.process.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}
