package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// lived makes a store with worlds in which much was asked.
func lived(t *testing.T) (pages []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "understudy.db")
	s := startProcess(t, "--store", "file:"+path)
	for world := range 8 {
		w := &writer{key: fmt.Sprintf("svc_sk_test_damage-%d", world)}
		for range 24 {
			if !w.write(t, s.url) {
				t.Fatal("a write is not answered")
			}
		}
		w.send(t, s.url, "PUT", "/_understudy/v1/scenarios/mine", `{"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}`)
		w.send(t, s.url, "POST", "/_understudy/v1/faults", `{"rule":{"on":"create","respond":{"status":451},"every":5}}`)
	}
	s.end(t)
	return storetest.Pages(t, path)
}

// A store file that was truncated, or of which bytes or pages are wrong, is refused in one line, or opened. What is refused
// or ends the server, store check finds. None of them changes the file.
func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	files := uint64(12)
	if thorough() {
		files = 300
	}
	pages := lived(t)
	refused, ended, found := 0, 0, 0
	for seed := range files {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 2)), pages)
		path := newFile(t, "understudy.db", spoiled)
		damaged := wantChecked(t, path)
		if damaged {
			found++
		}
		c := self(t, asUnderstudy+"=1", serveArgs("--store", "file:"+path)...)
		stderr := begin(t, c)
		switch said := stderr.find(t, `(?s)(url=\S+|panic:|fatal error:|store file .*\n)`); {
		case strings.HasPrefix(said, "url="):
			_ = c.Process.Kill()
			_ = c.Wait() // it was killed
		case strings.HasPrefix(said, "store file "):
			refused++
			wantRefusal(t, c, stderr, path)
		default:
			ended++
			_ = c.Wait() // it has ended
		}
		if after := readFile(t, path); !bytes.Equal(after, spoiled) {
			t.Error("the file has changed")
		}
		if !damaged && c.ProcessState.Exited() {
			t.Errorf("store check finds nothing, and the server ends: %s", stderr)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s", seed, how)
		}
	}
	t.Logf("of %d damaged files store check found %d; %d were refused, %d ended the server", files, found, refused, ended)
	if thorough() && (refused == 0 || ended > refused/4) { // of few it is chance
		t.Error("too few were refused")
	}
}

// wantRefusal wants the program to end with one line, that says which file it does not serve and how to mend it.
func wantRefusal(t *testing.T, c *exec.Cmd, stderr *stream, path string) {
	t.Helper()
	_ = c.Wait() // its exit code tells
	said := stderr.String()
	if c.ProcessState.ExitCode() != exitFailed || strings.Count(said, "\n") != 1 || !strings.Contains(said, "store file "+path+" ") || !strings.Contains(said, "name another file") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), said)
	}
}

// wantChecked wants store check to find a file fine, or to say what is wrong with it.
func wantChecked(t *testing.T, path string) (damaged bool) {
	t.Helper()
	var out strings.Builder
	c := self(t, asUnderstudy+"=1", "store", "check", path)
	c.Stdout = &out
	stderr := begin(t, c)
	damaged = c.Wait() != nil
	switch said := stderr.String(); {
	case !damaged && out.String()+said != "store file "+path+": fine\n",
		damaged && (c.ProcessState.ExitCode() != exitFailed || out.Len() > 0 || said == "" || strings.Contains(said, "goroutine ")):
		t.Errorf("store check: exit code %d: %s%s", c.ProcessState.ExitCode(), &out, said)
	}
	return damaged
}

// A write that finds the disk full is refused in the envelope; what was acknowledged is read on, and writes go on once
// there is room.
func TestStoreFullDisk(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "1m")
	store := "file:" + filepath.Join(folder, "understudy.db")
	s := startProcess(t, "--store", store)
	client := s.api(t)
	create := func(n int) *apitest.Response {
		return client.Post("/_understudy/v1/verification-requests", fmt.Sprintf(`{"id":"vr_%d","scenario":"processing"}`, n))
	}
	written, r := 0, create(0)
	for ; r.Status == http.StatusCreated && written < 10_000; r = create(written) {
		written++
	}
	if written == 0 || r.Status != http.StatusInternalServerError || r.ErrorMessage() == "" {
		t.Fatalf("after %d writes on a disk of 1 MiB: %d %s", written, r.Status, r.Body)
	}
	s.stderr.find(t, `(no space left on device)`)
	for n := range written {
		wantStatus(t, client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", n)), http.StatusOK)
	}
	wantStatus(t, client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", written)), http.StatusNotFound)

	enlarge(t, folder)
	wantStatus(t, create(written), http.StatusCreated)
	s.end(t)
	wantWhole(t, store)
}

// A file that there was no room to make is not left behind in part: the next start would find it damaged.
func TestStoreFullDiskAtStart(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "8k")
	file := filepath.Join(folder, "understudy.db")
	understudy(t, serveArgs("--store", "file:"+file)...).want(t, exitFailed, "no space left on device")
	enlarge(t, folder)
	wantStatus(t, startProcess(t, "--store", "file:"+file).api(t).Get("/verification-requests/vr_lifecycle"), http.StatusOK)
}

// smallDisk returns a folder with room for little.
func smallDisk(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	mount(t, folder, "size="+size)
	return folder
}

// mount mounts an empty disk at a folder until the test ends.
func mount(t *testing.T, folder, options string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, options); err != nil {
		t.Skipf("a disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { noError(t, syscall.Unmount(folder, syscall.MNT_DETACH)) })
}

// enlarge gives a small disk room for more.
func enlarge(t *testing.T, folder string) {
	t.Helper()
	noError(t, syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
}

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
func TestStorePermissions(t *testing.T) {
	t.Parallel()
	whole := lived(t)
	const (
		denied   = "cannot be opened, permission denied: let this user read and write it, or name another file"
		readOnly = "read-only file system: mend that, or name another file"
	)
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, folder, path string)
		says    string
	}{
		"a new file in a read-only folder": {
			func(t *testing.T, folder, _ string) { noError(t, os.Chmod(folder, 0o555)) },
			"cannot be made, this user may not write in its folder: allow that, or name another file",
		},
		"a read-only file":                     {func(t *testing.T, _, path string) { put(t, path, whole, 0o444, nobody) }, denied},
		"a file that may be written, not read": {func(t *testing.T, _, path string) { put(t, path, whole, 0o200, nobody) }, denied},
		"a file of somebody else":              {func(t *testing.T, _, path string) { put(t, path, whole, 0o600, 0) }, denied},
		"a folder of somebody else": {
			func(t *testing.T, folder, path string) {
				put(t, path, whole, 0o666, nobody)
				noError(t, os.Chmod(folder, 0o700))
			}, denied,
		},
		"a new file on a read-only disk": {func(t *testing.T, folder, _ string) { disk(t, folder, "", nil) }, readOnly},
		"a file on a read-only disk":     {func(t *testing.T, folder, path string) { disk(t, folder, path, whole) }, readOnly},
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
func TestStoreReadOnlyFolder(t *testing.T) {
	t.Parallel()
	folder, path := openFolder(t)
	put(t, path, lived(t), 0o600, nobody)
	noError(t, os.Chmod(folder, 0o555))
	s := launch(t, unprivileged(t, path))
	s.wantUpdate(t, "Quay", http.StatusOK)
	s.end(t)
}

// A write that went to a file which has no name any more would be lost with the process: it is refused, and reads are not.
// When the folder is back, writes go on.
func TestStoreFolderMoved(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "store")
	noError(t, os.Mkdir(folder, 0o700))
	path := filepath.Join(folder, "understudy.db")
	s := startProcess(t, "--store", "file:"+path)
	wantName := func(name string) {
		t.Helper()
		if r := s.api(t).Get("/_understudy/v1/tenant-properties/tp_default"); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name":"`+name+`"`) {
			t.Errorf("the name is not %s: %d %s", name, r.Status, r.Body)
		}
	}
	s.wantUpdate(t, "Quay", http.StatusOK)
	noError(t, os.Rename(folder, folder+"-aside"))
	s.wantUpdate(t, "Mill", http.StatusInternalServerError)
	s.stderr.find(t, `(store file `+path+` is no longer where it was: put it back, or stop)`)
	wantName("Quay")
	if r := s.api(t).Get("/_understudy/v1/ready"); r.Status != http.StatusServiceUnavailable || !strings.Contains(r.ErrorMessage(), "no longer where it was") {
		t.Errorf("ready: %d %s", r.Status, r.Body)
	}
	noError(t, os.Rename(folder+"-aside", folder))
	s.wantUpdate(t, "Wharf", http.StatusOK)
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
