package commandtest

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// ProcessStatus returns a number in /proc/PID/status, such as VmRSS in KiB.
func ProcessStatus(t testing.TB, pid int, name string) (n int) {
	t.Helper()
	_, rest, _ := bytes.Cut(ReadFile(t, fmt.Sprintf("/proc/%d/status", pid)), []byte("\n"+name+":"))
	_, err := fmt.Sscan(string(rest), &n)
	NoError(t, err)
	return n
}

// OpenTerminal opens a terminal: master is the side of the person.
func OpenTerminal(t *testing.T) (master, terminal *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	NoError(t, err)
	t.Cleanup(func() { _ = master.Close() })
	NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	NoError(t, err)
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	NoError(t, err)
	t.Cleanup(func() { _ = terminal.Close() })
	return master, terminal
}
