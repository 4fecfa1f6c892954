//go:build unix

package serve

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// A pipe that nobody writes to delays neither the end nor a check.
func TestURLFilePipe(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "url")
	s := commandtest.StartServer(t, "--url-file", file)
	commandtest.NoError(t, os.Remove(file))
	commandtest.NoError(t, syscall.Mkfifo(file, 0o600))
	commandtest.Understudy(t, "healthcheck", "--url-file", file).Want(t, command.ExitFailed, " cannot be read: it is not a regular file: ")
	s.End(t)
}
