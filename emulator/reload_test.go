package emulator_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// inState is a scenario file of a verification request that stands in a state.
func inState(state api.State) string {
	return "name: mine\ntitle: Mine\nmagic: {verification_request: vr_mine}\nverification_request:\n  timeline: [{state: " + string(state) + "}]\n"
}

func save(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// until asks until something holds. A second is what a change may take to count; a busy machine may take longer.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

func TestScenariosOfAFolderAnswer(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	save(t, filepath.Join(mine, "deep", "mine.yaml"), inState(api.StateProcessing))
	save(t, filepath.Join(mine, "lifecycle.yaml"), strings.NewReplacer("mine", "lifecycle", "Mine", "Mine").Replace(inState(api.StateInvalid)))
	save(t, filepath.Join(mine, "other.json"), "{}")
	log, option := logged(slog.LevelInfo)
	c := start(t, emulator.WithScenarios(mine), option)
	for id, state := range map[string]api.State{"vr_mine": api.StateProcessing, "vr_lifecycle": api.StateInvalid, "vr_completed": api.StateCompleted} {
		if got := read(t, c, id).State; got != state {
			t.Errorf("%s is %s", id, got)
		}
	}
	if !strings.Contains(log.String(), "a built-in scenario file is replaced") {
		t.Error("that a file was replaced is not in the log")
	}
	if !strings.Contains(log.String(), "was passed over: scenario files end with .yaml or .yml") {
		t.Error("that a file was passed over is not in the log")
	}
}

func TestAnEmulatorDoesNotStartOnAScenarioFileThatIsWrong(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	save(t, filepath.Join(mine, "a.yaml"), "titel: a\n")
	save(t, filepath.Join(mine, "b.yaml"), "{")
	_, err := emulator.New(emulator.WithScenarios(mine))
	var problems scenarios.Problems
	if !errors.As(err, &problems) || len(problems) < 3 {
		t.Errorf("%v", err)
	}
}

func TestASavedScenarioFileCounts(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, folder string){
		"a file that is written": func(t *testing.T, folder string) {
			save(t, filepath.Join(folder, "mine.yaml"), inState(api.StateInvalid))
		},
		"a file that an editor puts in its place": func(t *testing.T, folder string) {
			save(t, filepath.Join(folder, ".mine.yaml.swp"), inState(api.StateInvalid))
			if err := os.Rename(filepath.Join(folder, ".mine.yaml.swp"), filepath.Join(folder, "mine.yaml")); err != nil {
				t.Fatal(err)
			}
		},
		"a file that moves into a new folder": func(t *testing.T, folder string) {
			save(t, filepath.Join(folder, "deep", "er", "mine.yaml"), inState(api.StateInvalid))
			if err := os.Remove(filepath.Join(folder, "mine.yaml")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := t.TempDir()
			save(t, filepath.Join(mine, "mine.yaml"), inState(api.StateProcessing))
			c := start(t, emulator.WithScenarios(mine))
			if state := read(t, c, "vr_mine").State; state != api.StateProcessing {
				t.Fatalf("it is %s from the start", state)
			}
			change(t, mine)
			until(t, "vr_mine is invalid", func() bool {
				r := c.Get("/verification-requests/vr_mine?fields=state")
				return string(r.Body) == `{"state":"invalid"}`
			})
		})
	}
}

// A mounted folder is updated by a link that is put in another's place, as Kubernetes does.
func TestAMountedFolderThatIsUpdatedCounts(t *testing.T) {
	t.Parallel()
	mount := t.TempDir()
	save(t, filepath.Join(mount, "..1", "mine.yaml"), inState(api.StateProcessing))
	save(t, filepath.Join(mount, "..2", "mine.yaml"), inState(api.StateInvalid))
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(mount, name)); err != nil {
			t.Skipf("this system has no symbolic links: %v", err)
		}
	}
	link("..1", "..data")
	link(filepath.Join("..data", "mine.yaml"), "mine.yaml")
	c := start(t, emulator.WithScenarios(mount))
	if state := read(t, c, "vr_mine").State; state != api.StateProcessing {
		t.Fatalf("it is %s from the start", state)
	}
	link("..2", "..data_tmp")
	if err := os.Rename(filepath.Join(mount, "..data_tmp"), filepath.Join(mount, "..data")); err != nil {
		t.Fatal(err)
	}
	until(t, "vr_mine is invalid", func() bool { return read(t, c, "vr_mine").State == api.StateInvalid })
}

func TestAReloadThatFailsKeepsTheLastGoodSetAndSaysSo(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	save(t, file, inState(api.StateProcessing))
	log, option := logged(slog.LevelInfo)
	c := start(t, emulator.WithScenarios(mine), option)
	save(t, file, "titel: Mine\n")
	until(t, "the failure is in the log", func() bool { return strings.Contains(log.String(), "scenarios not reloaded") })
	for _, part := range []string{"level=ERROR", `unknown key \"titel\": did you mean title?`, file + ":1:1", "a scenario needs a name"} {
		if !strings.Contains(log.String(), part) {
			t.Errorf("the log does not say %s", part)
		}
	}
	if state := read(t, c, "vr_mine").State; state != api.StateProcessing {
		t.Errorf("after a failed reload it is %s", state)
	}
	save(t, file, inState(api.StateInvalid))
	until(t, "vr_mine is invalid", func() bool { return read(t, c, "vr_mine").State == api.StateInvalid })
	if !strings.Contains(log.String(), "scenarios reloaded") {
		t.Error("the reload is not in the log")
	}
	figures := string(c.Get("/_understudy/metrics").Body)
	for _, result := range []string{"refused", "ok"} {
		if !strings.Contains(figures, `understudy_scenario_reload_timestamp_seconds{result="`+result+`"} `) {
			t.Errorf("the metrics tell of none that is %s:\n%s", result, figures)
		}
	}
}

// A request that is under way sees one catalogue; those around a reload see the old one or the new one, and never half.
func TestRequestsDuringAReloadSeeTheOldOrTheNewScenarios(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	save(t, file, inState(api.StateProcessing))
	url := serve(t, emulator.WithScenarios(mine))
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			c := apitest.New(t, url, key)
			until(t, "vr_mine is invalid", func() bool {
				var v api.VerificationRequest
				r := c.Get("/verification-requests/vr_mine")
				r.JSON(&v)
				if r.Status != 200 || v.State != api.StateProcessing && v.State != api.StateInvalid {
					t.Errorf("%d %s", r.Status, r.Body)
				}
				return v.State == api.StateInvalid
			})
		})
	}
	save(t, file+".new", inState(api.StateInvalid))
	if err := os.Rename(file+".new", file); err != nil {
		t.Error(err)
	}
	clients.Wait()
}

// A request that has moved along the old file begins anew with the new one: looks, steps and rules are all of one file.
func TestAMagicRequestBeginsAnewWhenItsScenarioChanges(t *testing.T) {
	t.Parallel()
	spec := "file:" + filepath.Join(t.TempDir(), "worlds.db")
	read := func(file string, reads int) (seen []string) {
		s, err := store.Open(spec)
		if err != nil {
			t.Fatal(err)
		}
		e, err := emulator.New(emulator.WithStore(s), scenarioFile(t, file))
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for range reads {
			seen = append(seen, askDirectly(e, key, "/verification-requests/vr_edited?fields=state,additional_information").Body.String())
		}
		return seen
	}
	const file = `
name: edited
title: Edited
magic: {verification_request: vr_edited}
verification_request:
  set: {additional_information: old}
  timeline: [{state: pending-approval}, {state: processing, after: {reads: 1}}, {state: completed, after: {elapsed: 1h}}]
`
	read(file, 2)
	again := read(file, 1)
	if diff := cmp.Diff([]string{`{"state":"processing","additional_information":"old"}`}, again); diff != "" {
		t.Errorf("the same file: %s", diff)
	}
	edited := strings.NewReplacer("old", "new", "pending-approval", "action-required").Replace(file)
	want := []string{`{"state":"action-required","additional_information":"new"}`, `{"state":"processing","additional_information":"new"}`}
	if diff := cmp.Diff(want, read(edited, 2)); diff != "" {
		t.Errorf("the file edited: %s", diff)
	}
}
