package serve

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestURLFile(t *testing.T) {
	t.Parallel()
	t.Run("it is there while requests are served", func(t *testing.T) {
		t.Parallel()
		file := commandtest.NewFile(t, "url", "http://127.0.0.1:1\n") // of a process that was killed
		s := commandtest.StartServer(t, "--url-file", file)
		if got := string(commandtest.ReadFile(t, file)); got != s.URL+"\n" {
			t.Errorf("%s has %q, want %s", file, got, s.URL)
		}
		if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
			t.Errorf("the folder has %s, error %v", files, err)
		}
		s.End(t)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after the end: %v", err)
		}
	})
	t.Run("its second line is the control plane's address", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		s := commandtest.StartServer(t, "--url-file", file, "--addr", ":0", "--control-addr", "127.0.0.1:0")
		_, port, err := net.SplitHostPort(s.Host())
		commandtest.NoError(t, err)
		if got, want := string(commandtest.ReadFile(t, file)), "http://127.0.0.1:"+port+"\n"+s.Stderr.Find(t, ` control=(\S+)`)+"\n"; got != want {
			t.Errorf("%s has %q, want %q", file, got, want)
		}
	})
	t.Run("that of another emulator is left", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		former := commandtest.StartServer(t, "--url-file", file)
		latter := commandtest.StartServer(t, "--url-file", file)
		former.End(t)
		if got := string(commandtest.ReadFile(t, file)); got != latter.URL+"\n" {
			t.Errorf("%s has %q, want %s", file, got, latter.URL)
		}
	})
	t.Run("a start that fails leaves it", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		s := commandtest.StartServer(t, "--url-file", file)
		commandtest.Understudy(t, "serve", "--addr", s.Host(), "--url-file", file).Want(t, command.ExitFailed, "address already in use")
		if got := string(commandtest.ReadFile(t, file)); got != s.URL+"\n" {
			t.Errorf("%s has %q, want %s", file, got, s.URL)
		}
	})
	folder := t.TempDir()
	for name, file := range map[string]string{
		"a folder":             folder,
		"a device":             os.DevNull,
		"in a missing folder":  filepath.Join(folder, "none", "url"),
		"in a file":            filepath.Join(commandtest.NewFile(t, "notes.txt", "x"), "url"),
		"with a name too long": filepath.Join(folder, string(make([]byte, 300))),
	} {
		t.Run("it cannot be "+name, func(t *testing.T) {
			t.Parallel()
			got := commandtest.Understudy(t, commandtest.ServeArgs("--log-level", "error", "--url-file", file)...)
			got.Want(t, command.ExitFailed, "understudy: --url-file "+file+" cannot be written: ", ": name a file in a folder that can be written\n")
		})
	}
}
