package main

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestURLFile(t *testing.T) {
	t.Parallel()
	t.Run("it is there while requests are served", func(t *testing.T) {
		t.Parallel()
		file := newFile(t, "url", "http://127.0.0.1:1\n") // of a process that was killed
		s := startServer(t, "--url-file", file)
		if got := string(readFile(t, file)); got != s.url+"\n" {
			t.Errorf("%s has %q, want %s", file, got, s.url)
		}
		if files, err := os.ReadDir(filepath.Dir(file)); err != nil || len(files) != 1 {
			t.Errorf("the folder has %s, error %v", files, err)
		}
		s.end(t)
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after the end: %v", err)
		}
	})
	t.Run("its second line is the control plane's address", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		s := startServer(t, "--url-file", file, "--addr", ":0", "--control-addr", "127.0.0.1:0")
		_, port, err := net.SplitHostPort(s.host())
		noError(t, err)
		if got, want := string(readFile(t, file)), "http://127.0.0.1:"+port+"\n"+s.stderr.find(t, ` control=(\S+)`)+"\n"; got != want {
			t.Errorf("%s has %q, want %q", file, got, want)
		}
	})
	t.Run("that of another emulator is left", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		former := startServer(t, "--url-file", file)
		latter := startServer(t, "--url-file", file)
		former.end(t)
		if got := string(readFile(t, file)); got != latter.url+"\n" {
			t.Errorf("%s has %q, want %s", file, got, latter.url)
		}
	})
	t.Run("a start that fails leaves it", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "url")
		s := startServer(t, "--url-file", file)
		understudy(t, "serve", "--addr", s.host(), "--url-file", file).want(t, exitFailed, "address already in use")
		if got := string(readFile(t, file)); got != s.url+"\n" {
			t.Errorf("%s has %q, want %s", file, got, s.url)
		}
	})
	folder := t.TempDir()
	for name, file := range map[string]string{
		"a folder":             folder,
		"a device":             os.DevNull,
		"in a missing folder":  filepath.Join(folder, "none", "url"),
		"in a file":            filepath.Join(newFile(t, "notes.txt", "x"), "url"),
		"with a name too long": filepath.Join(folder, string(make([]byte, 300))),
	} {
		t.Run("it cannot be "+name, func(t *testing.T) {
			t.Parallel()
			got := understudy(t, serveArgs("--log-level", "error", "--url-file", file)...)
			got.want(t, exitFailed, "understudy: --url-file "+file+" cannot be written: ", ": name a file in a folder that can be written\n")
		})
	}
}
