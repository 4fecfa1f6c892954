//go:build unix

package etcdtest

import (
	"syscall"
	"testing"
)

// Pause suspends the process, and returns a function that resumes it.
func (m *Member) Pause(t testing.TB) (resume func()) {
	t.Helper()
	signal := func(signal syscall.Signal) {
		if err := m.process.Process.Signal(signal); err != nil {
			t.Error(err)
		}
	}
	signal(syscall.SIGSTOP)
	return func() { signal(syscall.SIGCONT) }
}
