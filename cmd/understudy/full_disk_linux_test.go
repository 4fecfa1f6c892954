package main

import (
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// A write that finds the disk full is refused in the envelope; what was acknowledged is read on, and writes go on once
// there is room.
func TestAFullDiskRefusesWritesAndLosesNone(t *testing.T) {
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
	s.end(t)
	wantWhole(t, store)
}

// A file that there was no room to make is not left behind in part: the next start would find it damaged.
func TestAStoreThatAFullDiskHasNoRoomForIsMadeOnceThereIsRoom(t *testing.T) {
	t.Parallel()
	folder := smallDisk(t, "8k")
	file := filepath.Join(folder, "understudy.db")
	understudy(t, serveArgs("--store", "file:"+file)...).want(t, exitFailed, "no space left on device")
	enlarge(t, folder)
	if r := startProcess(t, "--store", "file:"+file).api(t).Get("/verification-requests/vr_lifecycle"); r.Status != http.StatusOK {
		t.Errorf("with room: %d %s", r.Status, r.Body)
	}
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
