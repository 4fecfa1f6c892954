package serve

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

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// usedStore returns the file of a store with used worlds.
func usedStore(t *testing.T) (pages []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "understudy.db")
	s := commandtest.StartProcess(t, "--store", "file:"+path)
	for world := range 8 {
		c := apitest.New(t, s.URL, fmt.Sprint("svc_sk_test_damage-", world))
		for range 8 {
			commandtest.WantStatus(t, c.Post("/credentials/session", commandtest.NewSession), http.StatusCreated)
		}
		commandtest.WantStatus(t, c.Put("/tenant-properties/tp_default", `{"name":"Mill"}`), http.StatusOK)
		commandtest.WantStatus(t, c.Put("/_understudy/v1/scenarios/mine", `{"name":"mine","title":"Mine","magic":{"verification_request":"vr_mine"}}`), http.StatusOK)
		commandtest.WantStatus(t, c.Post("/_understudy/v1/faults", `{"rule":{"on":"create","respond":{"status":451},"every":5}}`), http.StatusCreated)
	}
	s.End(t)
	return storetest.Pages(t, path)
}

// serve refuses a damaged store file in one line, or serves it. store check finds every damage that makes serve fail. Neither
// changes the file.
func TestStoreDamaged(t *testing.T) {
	t.Parallel()
	files := uint64(4)
	if commandtest.Thorough() {
		files = 100
	}
	pages := usedStore(t)
	refused, ended, found := 0, 0, 0
	for seed := range files {
		spoiled, how := storetest.Damage(rand.New(rand.NewPCG(seed, 2)), pages)
		path := commandtest.NewFile(t, "understudy.db", spoiled)
		damaged := wantChecked(t, path)
		if damaged {
			found++
		}
		c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs("--store", "file:"+path)...)
		stderr := commandtest.Begin(t, c)
		switch message := stderr.Find(t, `(?s)(url=\S+|panic:|fatal error:|store file .*\n)`); {
		case strings.HasPrefix(message, "url="):
			_ = c.Process.Kill()
			_ = c.Wait() // reports the kill
		case strings.HasPrefix(message, "store file "):
			refused++
			wantRefusal(t, c, stderr, path)
		default:
			ended++
			_ = c.Wait() // reports the panic
		}
		if after := commandtest.ReadFile(t, path); !bytes.Equal(after, spoiled) {
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
	if commandtest.Thorough() && (refused == 0 || ended > refused/4) { // few files prove nothing
		t.Error("too few were refused")
	}
}

// wantRefusal wants the program to exit with one line that names the file and the remedy.
func wantRefusal(t *testing.T, c *exec.Cmd, stderr *commandtest.Stream, path string) {
	t.Helper()
	code := commandtest.WantEnded(t, c, stderr)
	message := stderr.String()
	if code != command.ExitFailed || strings.Count(message, "\n") != 1 || !strings.Contains(message, "store file "+path+" ") || !strings.Contains(message, "name another file") {
		t.Errorf("exit code %d: %s", code, message)
	}
}

// wantChecked wants store check to accept a file, or to describe its damage.
func wantChecked(t *testing.T, path string) (damaged bool) {
	t.Helper()
	var out strings.Builder
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", "store", "check", path)
	c.Stdout = &out
	stderr := commandtest.Begin(t, c)
	damaged = c.Wait() != nil
	switch message := stderr.String(); {
	case !damaged && out.String()+message != "store file "+path+": fine\n",
		damaged && (c.ProcessState.ExitCode() != command.ExitFailed || out.Len() > 0 || message == "" || strings.Contains(message, "goroutine ")):
		t.Errorf("store check: exit code %d: %s%s", c.ProcessState.ExitCode(), &out, message)
	}
	return damaged
}

// A full disk fails writes with the error envelope. Reads see every acknowledged write, and writes succeed again once
// there is room.
func TestStoreFullDisk(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "256k")
	store := "file:" + filepath.Join(folder, "understudy.db")
	s := commandtest.StartProcess(t, "--store", store)
	client := s.API(t)
	create := func(n int) *apitest.Response {
		return client.Post("/_understudy/v1/verification-requests", fmt.Sprintf(`{"id":"vr_%d","scenario":"processing"}`, n))
	}
	written, r := 0, create(0)
	for ; r.Status == http.StatusCreated && written < 10_000; r = create(written) {
		written++
	}
	if written == 0 || r.Status != http.StatusInternalServerError || !strings.Contains(r.ErrorMessage(), "its volume is full: free some space") {
		t.Fatalf("after %d writes on a disk of 256 KiB: %d %s", written, r.Status, r.Body)
	}
	updated := client.Put("/tenant-properties/tp_default", `{"name":"`+strings.Repeat("a", 100_000)+`"}`)
	commandtest.WantStatus(t, updated, http.StatusInternalServerError)
	if diagnosis := updated.Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, "its volume is full") {
		t.Errorf("the diagnosis %q does not say that the volume is full", diagnosis)
	}
	s.Stderr.Find(t, `(no space left on device)`)
	for n := range written {
		commandtest.WantStatus(t, client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", n)), http.StatusOK)
	}
	commandtest.WantStatus(t, client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", written)), http.StatusNotFound)

	enlarge(t, folder)
	commandtest.WantStatus(t, create(written), http.StatusCreated)
	s.End(t)
	wantWhole(t, store)
}

// A store that the disk has no room for leaves no partial file, which the next start would find damaged.
func TestStoreFullDiskAtStart(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "8k")
	file := filepath.Join(folder, "understudy.db")
	commandtest.Understudy(t, commandtest.ServeArgs("--store", "file:"+file)...).Want(t, command.ExitFailed, "no space left on device")
	enlarge(t, folder)
	commandtest.WantStatus(t, commandtest.StartProcess(t, "--store", "file:"+file).API(t).Get("/verification-requests/vr_lifecycle"), http.StatusOK)
}

// smallDisk returns a folder on a disk of a size.
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
		commandtest.SkipOrFail(t, "a disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { commandtest.NoError(t, syscall.Unmount(folder, syscall.MNT_DETACH)) })
}

// enlarge enlarges a small disk.
func enlarge(t *testing.T, folder string) {
	t.Helper()
	commandtest.NoError(t, syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
}

// nobody is the id of an unprivileged user.
const nobody = 65532

// unprivileged returns the command that serves a store as the user nobody.
func unprivileged(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", commandtest.ServeArgs("--store", "file:"+path)...)
	c.Path = "/proc/self/exe" // nobody may not read the folder of the binary
	c.Dir = "/"
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return c
}

// openFolder returns a folder that every user can write, and the path of a store in it. It needs root.
func openFolder(t *testing.T) (folder, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		commandtest.SkipOrFail(t, "only root can create files of other users")
	}
	folder = t.TempDir()
	commandtest.NoError(t, errors.Join(os.Chmod(folder, 0o755), os.Chmod(filepath.Dir(folder), 0o755)))
	folder = filepath.Join(folder, "store")
	commandtest.NoError(t, os.Mkdir(folder, 0o777))
	return folder, filepath.Join(folder, "understudy.db")
}

// serve refuses a store that its user cannot write, in one line that names the file and the remedy.
func TestStorePermissions(t *testing.T) {
	t.Parallel()
	whole := usedStore(t)
	const (
		denied   = "cannot be opened, permission denied: let this user read and write it, or name another file"
		readOnly = "read-only file system: correct that, or name another file"
	)
	for name, tt := range map[string]struct {
		prepare func(t *testing.T, folder, path string)
		want    string
	}{
		"a new file in a read-only folder": {
			func(t *testing.T, folder, _ string) { commandtest.NoError(t, os.Chmod(folder, 0o555)) },
			"cannot be created, this user may not write to its folder: allow that, or name another file",
		},
		"a read-only file":       {func(t *testing.T, _, path string) { put(t, path, whole, 0o444, nobody) }, denied},
		"a write-only file":      {func(t *testing.T, _, path string) { put(t, path, whole, 0o200, nobody) }, denied},
		"a file of another user": {func(t *testing.T, _, path string) { put(t, path, whole, 0o600, 0) }, denied},
		"a folder of another user": {
			func(t *testing.T, folder, path string) {
				put(t, path, whole, 0o666, nobody)
				commandtest.NoError(t, os.Chmod(folder, 0o700))
			}, denied,
		},
		"a new file on a read-only disk": {func(t *testing.T, folder, _ string) { disk(t, folder, "", nil) }, readOnly},
		"a file on a read-only disk":     {func(t *testing.T, folder, path string) { disk(t, folder, path, whole) }, readOnly},
		"a missing folder": {
			func(t *testing.T, folder, _ string) { commandtest.NoError(t, os.Remove(folder)) },
			"cannot be created, its folder does not exist: create the folder, or name another file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, path := openFolder(t)
			tt.prepare(t, folder, path)
			before, _ := os.ReadFile(path) // if it exists
			c := unprivileged(t, path)
			stderr := commandtest.Begin(t, c)
			wantRefusal(t, c, stderr, path)
			if !strings.HasSuffix(stderr.String(), tt.want+"\n") {
				t.Errorf("the message is %q, want %q", stderr, tt.want)
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Error("the file has changed")
			}
		})
	}
}

// A store needs write access to its file, not to the folder.
func TestStoreReadOnlyFolder(t *testing.T) {
	t.Parallel()
	folder, path := openFolder(t)
	put(t, path, usedStore(t), 0o600, nobody)
	commandtest.NoError(t, os.Chmod(folder, 0o555))
	s := commandtest.Launch(t, unprivileged(t, path))
	s.WantUpdate(t, "Quay", http.StatusOK)
	s.End(t)
}

// A write to a file that was moved away would be lost with the process, so writes fail while reads continue. Writes succeed again
// when the folder is back.
func TestStoreFolderMoved(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "store")
	commandtest.NoError(t, os.Mkdir(folder, 0o700))
	path := filepath.Join(folder, "understudy.db")
	s := commandtest.StartProcess(t, "--store", "file:"+path)
	wantName := func(name string) {
		t.Helper()
		if r := s.API(t).Get("/_understudy/v1/tenant-properties/tp_default"); r.Status != http.StatusOK || !strings.Contains(string(r.Body), `"name":"`+name+`"`) {
			t.Errorf("the name is not %s: %d %s", name, r.Status, r.Body)
		}
	}
	s.WantUpdate(t, "Quay", http.StatusOK)
	commandtest.NoError(t, os.Rename(folder, folder+"-moved"))
	s.WantUpdate(t, "Mill", http.StatusInternalServerError)
	s.Stderr.Find(t, `(store file `+path+` is no longer where it was: put it back, or stop)`)
	wantName("Quay")
	if r := s.API(t).Get("/_understudy/v1/ready"); r.Status != http.StatusServiceUnavailable || !strings.Contains(r.ErrorMessage(), "no longer where it was") {
		t.Errorf("ready: %d %s", r.Status, r.Body)
	}
	commandtest.NoError(t, os.Rename(folder+"-moved", folder))
	s.WantUpdate(t, "Wharf", http.StatusOK)
	wantName("Wharf")
	s.End(t)
	wantWhole(t, "file:"+path)
}

// put creates a file with a mode and an owner.
func put(t *testing.T, path string, content []byte, mode os.FileMode, user int) {
	t.Helper()
	commandtest.NoError(t, os.WriteFile(path, content, 0o600))
	commandtest.NoError(t, errors.Join(os.Chmod(path, mode), os.Chown(path, user, user)))
}

// disk mounts a read-only disk at a folder, with a file if path is not empty.
func disk(t *testing.T, folder, path string, content []byte) {
	t.Helper()
	mount(t, folder, "size=64m")
	if path != "" {
		put(t, path, content, 0o600, nobody)
	}
	commandtest.NoError(t, syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "mode=777"))
}
