//go:build !unix

package run

import (
	"os"
	"os/exec"
	"syscall"
)

var passedOn = []os.Signal{os.Interrupt, syscall.SIGTERM}

// fromTerminal reports true: Windows sends the signal of Ctrl-C to all processes of a console.
func fromTerminal(s os.Signal) bool { return s == os.Interrupt }

func setApart(child *exec.Cmd) (kill func()) { return setGroup(child) }

func setGroup(child *exec.Cmd) (kill func()) {
	return func() { _ = child.Process.Kill() } // it may have ended
}
