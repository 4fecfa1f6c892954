package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// nobody is a user who owns nothing.
const nobody = 65532

// unprivileged starts the program on a store as nobody.
func unprivileged(t *testing.T, path string) (*exec.Cmd, *stream) {
	t.Helper()
	// By this name the binary is found also where nobody may not look for it.
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "serve", "--addr", "127.0.0.1:0", "--store", "file:"+path)
	c.Env = append(os.Environ(), asUnderstudy+"=1")
	c.Dir = "/"
	if os.Geteuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	return c, begin(t, c)
}

// openFolder lets everybody into a folder of a test.
func openFolder(t *testing.T) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for _, path := range []string{folder, filepath.Dir(folder)} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// Contract 2: a store that cannot be opened is one clear line that names the thing and the mend, and no start.
func TestAStoreThatThisUserMayNotWriteIsRefusedInOneLine(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	whole := lived(t)
	const denied = "cannot be opened, permission denied: let this user read and write it, or name another file"
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, folder, path string)
		says    string
	}{
		"a new file in a read-only folder": {
			func(t *testing.T, folder, _ string) { chmod(t, folder, 0o555) },
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
				chmod(t, folder, 0o700)
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
			func(t *testing.T, folder, _ string) { remove(t, folder) },
			"cannot be made, its folder does not exist: create the folder, or name another file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(openFolder(t), "store")
			path := filepath.Join(folder, "understudy.db")
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			tt.prepare(t, folder, path)
			before, _ := os.ReadFile(path) // where there is one
			c, stderr := unprivileged(t, path)
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
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of others")
	}
	whole := lived(t)
	folder := openFolder(t)
	path := filepath.Join(folder, "understudy.db")
	put(t, path, whole, 0o600, nobody)
	chmod(t, folder, 0o555)
	c, stderr := unprivileged(t, path)
	url := stderr.find(t, listening)
	if status, err := cancel(url, key); err != nil || status != http.StatusOK {
		t.Errorf("a write is answered %d, %v", status, err)
	}
	end(t, c, stderr)
}

// A write that went to a file which has no name any more would be lost with the process: it is refused, and reads are not.
// When the folder is back, writes go on.
func TestAFolderThatVanishesUnderAServerRefusesWritesAndLosesNone(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "store")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "understudy.db")
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+path)
	client := apitest.New(t, stderr.find(t, listening), key)
	update := func(name string, want int) {
		t.Helper()
		if r := client.Put("/tenant-properties/tp_default", `{"name":"`+name+`"}`); r.Status != want {
			t.Errorf("the name %s: %d %s", name, r.Status, r.Body)
		}
	}
	wantName := func(name string) {
		t.Helper()
		if r := client.Get("/_understudy/v1/tenant-properties/tp_default"); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name":"`+name+`"`) {
			t.Errorf("the name is not %s: %d %s", name, r.Status, r.Body)
		}
	}
	update("Quay", http.StatusOK)
	aside := folder + "-aside"
	if err := os.Rename(folder, aside); err != nil {
		t.Fatal(err)
	}
	update("Mill", http.StatusInternalServerError)
	stderr.find(t, `(store file `+path+` is no longer where it was: put it back, or stop)`)
	wantName("Quay")
	if r := client.Get("/_understudy/v1/ready"); r.Status != http.StatusServiceUnavailable || !strings.Contains(r.ErrorMessage(), "no longer where it was") {
		t.Errorf("ready: %d %s", r.Status, r.Body)
	}
	if err := os.Rename(aside, folder); err != nil {
		t.Fatal(err)
	}
	update("Wharf", http.StatusOK)
	wantName("Wharf")
	end(t, c, stderr)
	wantWhole(t, "file:"+path)
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, folder string) {
	t.Helper()
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
}

// put makes a file of a mode for a user.
func put(t *testing.T, path string, content []byte, mode os.FileMode, user int) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	chmod(t, path, mode)
	if err := os.Chown(path, user, user); err != nil {
		t.Fatal(err)
	}
}

// disk mounts a disk at a folder, has a file on it if there is a path, and makes it read-only.
func disk(t *testing.T, folder, path string, content []byte) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("a disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	if path != "" {
		put(t, path, content, 0o600, nobody)
	}
	if err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "mode=777"); err != nil {
		t.Fatal(err)
	}
}
