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
	saved := understudy(t, "snapshot", "save", file, "--url", s.url, "--key", key)
	if saved.code != exitOK || !strings.HasPrefix(saved.stdout, "the world is in "+file+", ") {
		t.Errorf("%+v", saved)
	}
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("what was sent may be read by others: %v, error %v", info.Mode(), err)
	}
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s.says(string(document), "snapshot", "save", "-")
	understudy(t, "clock", "advance", "1h", "--url", s.url, "--key", key)
	restored := understudy(t, "snapshot", "restore", file, "--url", s.url, "--key", key)
	if restored.code != exitOK || !strings.HasSuffix(restored.stdout, " is restored, its clock at 2025-01-15T09:00:00Z frozen\n") {
		t.Errorf("%+v", restored)
	}
	s.says(string(document), "snapshot", "save", "-")

	if err := os.WriteFile(file, []byte(`{"understudy_snapshot":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s.fails("the emulator answers 400: The snapshot is refused, and nothing is changed: understudy_snapshot must be 1, as this release writes it, and is 7",
		"snapshot", "restore", file)
	if got := understudy(t, "snapshot", "restore", filepath.Join(t.TempDir(), "none"), "--url", s.url, "--key", key); got.code != exitFailed || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	if got := understudy(t, "snapshot", "save", "--url", s.url, "--key", key); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
}

func TestAWorldIsGivenScenariosFromAShell(t *testing.T) {
	t.Parallel()
	s := steer(t)
	file := filepath.Join(t.TempDir(), "late.yaml")
	const text = "name: my-late\ntitle: It comes late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.says("SCENARIO  MAGIC VALUES  TITLE\nmy-late   vr_late       It comes late\n", "scenarios", "put", file)
	if r := s.api(t).Get("/verification-requests/vr_late?fields=state"); r.Status != 200 || string(r.Body) != `{"state":"processing"}` {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.says("the scenario file late is taken away\n", "scenarios", "delete", "late")
	s.fails(`the emulator answers 404: The world has no scenario file of its own that is named "late"`, "scenarios", "delete", "late")
	if err := os.WriteFile(file, []byte("name: late\ntitel: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := understudy(t, "scenarios", "put", file, "--name", "other", "--url", s.url, "--key", key); got.code != exitFailed || !strings.Contains(got.stderr, "other.yaml:2:1: unknown key \"titel\"") {
		t.Errorf("%+v", got)
	}
	if got := understudy(t, "scenarios", "put", "-", "--url", s.url, "--key", key); got.code != exitUsage {
		t.Errorf("%+v", got)
	}
}
