package run

import "syscall"

// endWithParent returns the attributes of a process that gets SIGTERM when this one ends, also when it is killed.
func endWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
