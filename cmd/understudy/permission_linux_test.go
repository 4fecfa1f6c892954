package main

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user who owns nothing.
const nobody = 65532

// unprivileged returns the command that serves a store as nobody.
func unprivileged(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	c := self(t, asUnderstudy+"=1", serveArgs("--store", "file:"+path)...)
	c.Path = "/proc/self/exe" // by this name the binary is found also where nobody may not look for it
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return c
}

// openFolder returns a folder into which everybody is let, and the path of a store in it. It needs root.
func openFolder(t *testing.T) (folder, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	folder = t.TempDir()
	noError(t, errors.Join(os.Chmod(folder, 0o755), os.Chmod(filepath.Dir(folder), 0o755)))
	folder = filepath.Join(folder, "store")
	noError(t, os.Mkdir(folder, 0o777))
	return folder, filepath.Join(folder, "understudy.db")
}

// Contract 2: a store that cannot be opened is one clear line that names the thing and the mend, and no start.
func TestAStoreThatThisUserMayNotWriteIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	whole := lived(t)
	const denied = "cannot be opened, permission denied: let this user read and write it, or name another file"
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, folder, path string)
		says    string
	}{
		"a new file in a read-only folder": {
			func(t *testing.T, folder, _ string) { noError(t, os.Chmod(folder, 0o555)) },
			"cannot be made, this user may not write in its folder: allow that, or name another file",
		},
		"a read-only file": {
			func(t *testing.T, _, path string) { put(t, path, whole, 0o444, nobody) }, denied,
		},
		"a file that may be written, not read": {
			func(t *testing.T, _, path string) { put(t, path, whole, 0o200, nobody) }, denied,
		},
		"a file of somebody else": {
			func(t *testing.T, _, path string) { put(t, path, whole, 0o600, 0) }, denied,
		},
		"a folder of somebody else": {
			func(t *testing.T, folder, path string) {
				put(t, path, whole, 0o666, nobody)
				noError(t, os.Chmod(folder, 0o700))
			}, denied,
		},
		"a new file on a read-only disk": {
			func(t *testing.T, folder, _ string) { disk(t, folder, "", nil) },
			"read-only file system: mend that, or name another file",
		},
		"a file on a read-only disk": {
			func(t *testing.T, folder, path string) { disk(t, folder, path, whole) },
			"read-only file system: mend that, or name another file",
		},
		"a folder that is not there": {
			func(t *testing.T, folder, _ string) { noError(t, os.Remove(folder)) },
			"cannot be made, its folder does not exist: create the folder, or name another file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, path := openFolder(t)
			tt.prepare(t, folder, path)
			before, _ := os.ReadFile(path) // where there is one
			c := unprivileged(t, path)
			stderr := begin(t, c)
			wantRefusal(t, c, stderr, path)
			if !strings.HasSuffix(stderr.String(), tt.says+"\n") {
				t.Errorf("it says %q, not %q", stderr, tt.says)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file has changed")
			}
		})
	}
}

// What is served needs its file, and nothing else of the folder.
func TestAFileInAReadOnlyFolderIsServed(t *testing.T) {
	t.Parallel()
	folder, path := openFolder(t)
	put(t, path, lived(t), 0o600, nobody)
	noError(t, os.Chmod(folder, 0o555))
	s := launch(t, unprivileged(t, path))
	if status := s.update(t, "Quay"); status != http.StatusOK {
		t.Errorf("a write is answered %d", status)
	}
	s.end(t)
}

// A write that went to a file which has no name any more would be lost with the process: it is refused, and reads are not.
// When the folder is back, writes go on.
func TestAFolderThatVanishesUnderAServerRefusesWritesAndLosesNone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "store")
	noError(t, os.Mkdir(folder, 0o700))
	path := filepath.Join(folder, "understudy.db")
	s := startProcess(t, "--store", "file:"+path)
	update := func(name string, want int) {
		t.Helper()
		if status := s.update(t, name); status != want {
			t.Errorf("the name %s: %d", name, status)
		}
	}
	wantName := func(name string) {
		t.Helper()
		if r := s.api(t).Get("/_understudy/v1/tenant-properties/tp_default"); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name":"`+name+`"`) {
			t.Errorf("the name is not %s: %d %s", name, r.Status, r.Body)
		}
	}
	update("Quay", http.StatusOK)
	noError(t, os.Rename(folder, folder+"-aside"))
	update("Mill", http.StatusInternalServerError)
	s.stderr.find(t, `(store file `+path+` is no longer where it was: put it back, or stop)`)
	wantName("Quay")
	if r := s.api(t).Get("/_understudy/v1/ready"); r.Status != http.StatusServiceUnavailable || !strings.Contains(r.ErrorMessage(), "no longer where it was") {
		t.Errorf("ready: %d %s", r.Status, r.Body)
	}
	noError(t, os.Rename(folder+"-aside", folder))
	update("Wharf", http.StatusOK)
	wantName("Wharf")
	s.end(t)
	wantWhole(t, "file:"+path)
}

// put makes a file of a mode for a user.
func put(t *testing.T, path string, content []byte, mode os.FileMode, user int) {
	t.Helper()
	noError(t, os.WriteFile(path, content, 0o600))
	noError(t, errors.Join(os.Chmod(path, mode), os.Chown(path, user, user)))
}

// disk mounts a disk at a folder, has a file on it if there is a path, and makes it read-only.
func disk(t *testing.T, folder, path string, content []byte) {
	t.Helper()
	mount(t, folder, "size=64m")
	if path != "" {
		put(t, path, content, 0o600, nobody)
	}
	noError(t, syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "mode=777"))
}
