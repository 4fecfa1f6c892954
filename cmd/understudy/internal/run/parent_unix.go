//go:build unix && !linux

package run

import "syscall"

func endWithParent() *syscall.SysProcAttr { return new(syscall.SysProcAttr) }
