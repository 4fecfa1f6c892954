//go:build unix

package run

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// passedOn are the signals that run passes on, beside SIGHUP.
var passedOn = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGABRT, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2}

// fromTerminal reports whether a signal may come from the keys of a terminal, which sends it to all processes in its
// foreground: to this one and the commands that it runs.
func fromTerminal(s os.Signal) bool {
	if s != syscall.SIGINT && s != syscall.SIGQUIT {
		return false
	}
	terminal, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	defer terminal.Close()
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// setApart makes a command end with this process, where the system can. Where there is no terminal, whose keys need it in
// the group of this process, it gets a group of its own, so that a signal to this group reaches it once. kill kills the
// command, and its group.
func setApart(child *exec.Cmd) (kill func()) {
	child.SysProcAttr = endWithParent()
	if terminal, err := os.Open("/dev/tty"); err == nil {
		terminal.Close()
		return func() { _ = child.Process.Kill() } // it may have ended
	}
	return setGroup(child)
}

// setGroup gives a command a group of its own, and makes it end with this process where the system can. kill kills the group.
func setGroup(child *exec.Cmd) (kill func()) {
	child.SysProcAttr = endWithParent()
	child.SysProcAttr.Setpgid = true
	return func() { _ = syscall.Kill(-child.Process.Pid, syscall.SIGKILL) } // it may have ended
}
