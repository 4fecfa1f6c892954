package world_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// inState returns a scenario file of a verification request in a state.
func inState(state api.State) string {
	return "name: mine\ntitle: Mine\nmagic: {verification_request: vr_mine}\nverification_request:\n  timeline: [{state: " + string(state) + "}]\n"
}

// replace replaces a file by renaming, as editors do.
func replace(t *testing.T, file, text string) {
	t.Helper()
	lab.Save(t, file+".new", text)
	lab.NoError(t, os.Rename(file+".new", file))
}

func untilInvalid(t *testing.T, c *apitest.Client) {
	t.Helper()
	lab.Until(t, "vr_mine is invalid", func() bool { // a half written file may be read before
		return string(c.Get("/verification-requests/vr_mine?fields=state").Body) == `{"state":"invalid"}`
	})
}

func TestScenarioFolder(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	lab.Save(t, filepath.Join(mine, "deep", "mine.yaml"), inState(api.StateProcessing))
	lab.Save(t, filepath.Join(mine, "lifecycle.yaml"), strings.NewReplacer("mine", "lifecycle", "Mine", "Mine").Replace(inState(api.StateInvalid))+"replaces: lifecycle\n")
	lab.Save(t, filepath.Join(mine, "other.json"), "{}")
	log, option := lab.Logged(slog.LevelInfo)
	c := lab.Start(t, emulator.WithScenarios(mine), option)
	lab.WantStates(t, c, "vr_mine", api.StateProcessing)
	lab.WantStates(t, c, "vr_lifecycle", api.StateInvalid)
	lab.WantStates(t, c, "vr_completed", api.StateCompleted)
	lab.WantParts(t, log.String(), "leaves magic values without a scenario: 000-00-1001", "was skipped: scenario files end with .yaml or .yml")
}

func TestScenarioFolderInvalidFile(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	lab.Save(t, filepath.Join(mine, "a.yaml"), "titel: a\n")
	lab.Save(t, filepath.Join(mine, "b.yaml"), "{")
	_, err := emulator.New(emulator.WithScenarios(mine))
	var problems scenarios.Problems
	if !errors.As(err, &problems) || len(problems) < 3 {
		t.Errorf("%v", err)
	}
}

func TestReloadSavedFile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, folder string){
		"a file that is written": func(t *testing.T, folder string) {
			lab.Save(t, filepath.Join(folder, "mine.yaml"), inState(api.StateInvalid))
		},
		"a file that an editor puts in its place": func(t *testing.T, folder string) {
			replace(t, filepath.Join(folder, "mine.yaml"), inState(api.StateInvalid))
		},
		"a file that moves into a new folder": func(t *testing.T, folder string) {
			lab.Save(t, filepath.Join(folder, "deep", "er", "mine.yaml"), inState(api.StateInvalid))
			lab.NoError(t, os.Remove(filepath.Join(folder, "mine.yaml")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mine := t.TempDir()
			lab.Save(t, filepath.Join(mine, "mine.yaml"), inState(api.StateProcessing))
			c := lab.Start(t, emulator.WithScenarios(mine))
			lab.WantStates(t, c, "vr_mine", api.StateProcessing)
			change(t, mine)
			untilInvalid(t, c)
		})
	}
}

// Kubernetes updates a mounted folder by replacing a link.
func TestReloadMountedFolder(t *testing.T) {
	t.Parallel()
	mount := t.TempDir()
	lab.Save(t, filepath.Join(mount, "..1", "mine.yaml"), inState(api.StateProcessing))
	lab.Save(t, filepath.Join(mount, "..2", "mine.yaml"), inState(api.StateInvalid))
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(mount, name)); err != nil {
			t.Skipf("this system has no symbolic links: %v", err)
		}
	}
	link("..1", "..data")
	link(filepath.Join("..data", "mine.yaml"), "mine.yaml")
	c := lab.Start(t, emulator.WithScenarios(mount))
	lab.WantStates(t, c, "vr_mine", api.StateProcessing)
	link("..2", "..data_tmp")
	lab.NoError(t, os.Rename(filepath.Join(mount, "..data_tmp"), filepath.Join(mount, "..data")))
	untilInvalid(t, c)
}

func TestReloadFailure(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	lab.Save(t, file, inState(api.StateProcessing))
	log, option := lab.Logged(slog.LevelInfo)
	url := lab.Serve(t, emulator.WithScenarios(mine), option)
	c := apitest.New(t, url, lab.Key)
	replace(t, file, "titel: Mine\n")
	lab.Until(t, "the failure is in the log", func() bool { return strings.Contains(log.String(), "scenarios not reloaded") })
	lab.WantParts(t, log.String(), "level=ERROR", `unknown key \"titel\": did you mean title?`, file+":1:1", "a scenario needs a name")
	lab.WantStates(t, c, "vr_mine", api.StateProcessing)
	refused := ", first at " + file + ":1:1: the last valid ones are served"
	lab.WantDiagnosis(t, c.Get("/verification-requests/unheard-of"), "no verification request is \"unheard-of\"; scenario files are refused since 20")
	lab.WantDiagnosis(t, c.Get("/verification-requests/unheard-of"), refused)
	for _, path := range []string{lab.Control + "ready", lab.Control + "info", "/_understudy/", "/_understudy/catalogue"} {
		answer, err := http.Get(url + path) // a page is none of the API's documents
		lab.NoError(t, err)
		body, err := io.ReadAll(answer.Body)
		lab.NoError(t, errors.Join(err, answer.Body.Close()))
		lab.WantParts(t, string(body), "scenario files are refused since 20", refused)
	}
	replace(t, file, inState(api.StateInvalid))
	untilInvalid(t, c)
	if diagnosis := c.Get("/verification-requests/unheard-of").Header.Get("Understudy-Diagnosis"); strings.Contains(diagnosis, "refused") {
		t.Error(diagnosis)
	}
	lab.WantStatus(t, c.Get(lab.Control+"ready"), 200, "")
	if body := string(c.Get(lab.Control + "ready").Body); body != `{"status":"ready"}` {
		t.Error(body)
	}
	lab.WantParts(t, log.String(), "scenarios reloaded")
	const last = `understudy_scenario_reload_timestamp_seconds{result=`
	lab.WantParts(t, string(c.Get("/_understudy/metrics").Body), last+`"refused"} `, last+`"ok"} `)
}

// A world's scenario keeps its magic value when a file of all worlds is given it later, which a new one cannot have then.
func TestReloadTakenFromWorld(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	lab.Save(t, file, inState(api.StateProcessing))
	log, option := lab.Logged(slog.LevelInfo)
	c := lab.Start(t, emulator.WithScenarios(mine), option)
	own := strings.NewReplacer("mine", "own", "Mine", "Own").Replace(inState(api.StateInvalid))
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/own", own), 200, "")
	replace(t, file, strings.ReplaceAll(inState(api.StateProcessing), "vr_mine", "vr_own"))
	lab.Until(t, "the file is reloaded", func() bool { return strings.Contains(log.String(), "scenarios reloaded") })
	lab.WantStates(t, c, "vr_own", api.StateInvalid)
	lab.WantParts(t, string(c.Put(lab.Control+"scenarios/own", own).Body), "the verification request vr_own is taken: "+file+":1:1", "replaces: mine")
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/new", strings.NewReplacer("mine", "new", "Mine", "New").Replace(inState(api.StateInvalid))), 200, "")
	snapshot := c.Get(lab.Control + "snapshot").Body
	lab.WantParts(t, string(c.Send("PUT", lab.Control+"snapshot", snapshot).Body), "the verification request vr_own is taken: ")
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/own", own+"replaces: mine\n"), 200, "")
	lab.WantStatus(t, c.Send("PUT", lab.Control+"snapshot", c.Get(lab.Control+"snapshot").Body), 200, "")
}

// Every request sees one catalogue: the one before a reload or the one after it.
func TestReloadDuringRequests(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	lab.Save(t, file, inState(api.StateProcessing))
	url := lab.Serve(t, emulator.WithScenarios(mine))
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			c := apitest.New(t, url, lab.Key)
			lab.Until(t, "vr_mine is invalid", func() bool {
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
	replace(t, file, inState(api.StateInvalid))
	clients.Wait()
}

// A world with a scenario of its own serves the present files of all worlds below it.
func TestReloadBelowWorld(t *testing.T) {
	t.Parallel()
	mine := t.TempDir()
	file := filepath.Join(mine, "mine.yaml")
	lab.Save(t, file, inState(api.StateProcessing))
	c := lab.Start(t, emulator.WithScenarios(mine))
	own := strings.NewReplacer("mine", "own", "Mine", "Own").Replace(inState(api.StateInvalid))
	lab.WantStatus(t, c.Put(lab.Control+"scenarios/own", own), 200, "")
	lab.WantStates(t, c, "vr_mine", api.StateProcessing)
	lab.WantStates(t, c, "vr_own", api.StateInvalid)
	replace(t, file, inState(api.StateInvalid))
	untilInvalid(t, c)
	lab.WantStates(t, c, "vr_own", api.StateInvalid)
}
