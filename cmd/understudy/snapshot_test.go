package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestAWorldIsSavedAndRestoredFromAShell(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.asks()
	file := filepath.Join(t.TempDir(), "arranged.json")
	s.run("snapshot", "save", file).want(t, exitOK, "the world is in "+file+", ")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("what was sent may be read by others: %v, error %v", info.Mode(), err)
	}
	document := string(readFile(t, file))
	s.says(document, "snapshot", "save", "-")
	s.run("clock", "advance", "1h")
	s.run("snapshot", "restore", file).want(t, exitOK, " is restored, its clock at 2025-01-15T09:00:00Z frozen\n")
	s.says(document, "snapshot", "save", "-")
	s.fails("the emulator answers 400: The snapshot is refused, and nothing is changed: understudy_snapshot must be 1, as this release writes it, and is 7",
		"snapshot", "restore", newFile(t, "seven.json", `{"understudy_snapshot":7}`))
}

func TestAWorldIsGivenScenariosFromAShell(t *testing.T) {
	t.Parallel()
	s := steer(t)
	file := newFile(t, "late.yaml", "name: my-late\ntitle: It comes late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n")
	s.says("SCENARIO  MAGIC VALUES  TITLE\nmy-late   vr_late       It comes late\n", "scenarios", "put", file)
	if r := s.api(t).Get("/verification-requests/vr_late?fields=state"); r.Status != 200 || string(r.Body) != `{"state":"processing"}` {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.says("the scenario file late is taken away\n", "scenarios", "delete", "late")
	s.fails(`the emulator answers 404: The world has no scenario file of its own that is named "late"`, "scenarios", "delete", "late")
	got := s.run("scenarios", "put", newFile(t, "late.yaml", "name: late\ntitel: x\n"), "--name", "other")
	if got.code != exitFailed || !strings.Contains(got.stderr, "other.yaml:2:1: unknown key \"titel\"") {
		t.Errorf("%+v", got)
	}
}
