//go:build unix

package main

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe that nobody writes to delays neither the end nor a check.
func TestURLFilePipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "url")
	s := startServer(t, "--url-file", file)
	noError(t, os.Remove(file))
	noError(t, syscall.Mkfifo(file, 0o600))
	understudy(t, "healthcheck", "--url-file", file).want(t, exitFailed, " cannot be read: it is not a regular file: ")
	s.end(t)
}
