package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// A write that finds the disk full is refused in the envelope; what was acknowledged is read on, and writes go on once
// there is room.
func TestAFullDiskRefusesWritesAndLosesNone(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "1m")
	store := "file:" + filepath.Join(folder, "understudy.db")
	c, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", store)
	client := apitest.New(t, stderr.find(t, listening), key)
	create := func(n int) *apitest.Response {
		return client.Post("/_understudy/v1/verification-requests", fmt.Sprintf(`{"id":"vr_%d","scenario":"processing"}`, n))
	}
	written := 0
	for ; ; written++ {
		r := create(written)
		if r.Status == http.StatusCreated && written < 10_000 {
			continue
		}
		var refusal api.ErrorEnvelope
		if err := json.Unmarshal(r.Body, &refusal); r.Status != http.StatusInternalServerError || err != nil {
			t.Fatalf("after %d writes on a disk of 1 MiB: %d %s", written, r.Status, r.Body)
		}
		break
	}
	if written == 0 {
		t.Fatal("nothing could be written")
	}
	stderr.find(t, `(no space left on device)`)
	for n := range written {
		if r := client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", n)); r.Status != http.StatusOK {
			t.Fatalf("vr_%d was acknowledged: %d %s", n, r.Status, r.Body)
		}
	}
	if r := client.Get(fmt.Sprintf("/_understudy/v1/verification-requests/vr_%d", written)); r.Status != http.StatusNotFound {
		t.Errorf("what was refused is there: %d", r.Status)
	}

	enlarge(t, folder)
	if r := create(written); r.Status != http.StatusCreated {
		t.Errorf("with room again: %d %s", r.Status, r.Body)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("the end: %v", strings.TrimSpace(stderr.String()))
	}
	wantWhole(t, store)
}

// A file that there was no room to make is not left behind in part: the next start would find it damaged.
func TestAStoreThatAFullDiskHasNoRoomForIsMadeOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "8k")
	file := filepath.Join(folder, "understudy.db")
	r := understudy(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+file)
	if r.code != exitFailed || !strings.Contains(r.stderr, "no space left on device") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	enlarge(t, folder)
	_, stderr := process(t, "serve", "--addr", "127.0.0.1:0", "--store", "file:"+file)
	client := apitest.New(t, stderr.find(t, listening), key)
	if r := client.Get("/verification-requests/vr_lifecycle"); r.Status != http.StatusOK {
		t.Errorf("with room: %d %s", r.Status, r.Body)
	}
}

// smallDisk returns a folder with room for little.
func smallDisk(t *testing.T, size string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return folder
}

// enlarge gives a small disk room for more.
func enlarge(t *testing.T, folder string) {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
}
