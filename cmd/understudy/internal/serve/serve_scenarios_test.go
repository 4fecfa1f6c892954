package serve

import (
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestServeScenarios(t *testing.T) {
	one, other := commandtest.FolderOf(t, commandtest.Mine), commandtest.FolderOf(t, strings.ReplaceAll(commandtest.Mine, "mine", "other"))
	catalogue, err := scenarios.Load(one, other)
	commandtest.NoError(t, err)
	flags := commandtest.StartServer(t, "--scenarios", one, "--scenarios", other)
	t.Setenv("UNDERSTUDY_SCENARIOS", one+","+other)
	variable := commandtest.StartServer(t)
	for name, s := range map[string]commandtest.Server{"flags": flags, "variable": variable} {
		if n := s.Stderr.Find(t, `scenarios=(\d+)`); n != strconv.Itoa(len(catalogue.Names())) {
			t.Errorf("%s: %s scenarios, want %d", name, n, len(catalogue.Names()))
		}
		for _, id := range []string{"tp_mine", "tp_other", "tp_default"} {
			if r := s.API(t).Put("/tenant-properties/"+id, `{"name":"Quay"}`); r.Status != http.StatusOK {
				t.Errorf("%s: %s is answered %d", name, id, r.Status)
			}
		}
	}
}

func TestServeScenariosInvalid(t *testing.T) {
	t.Parallel()
	file := commandtest.NewFile(t, "a.yaml", "titel: a\nmagic: {}\n")
	other := commandtest.FolderOf(t, strings.ReplaceAll(commandtest.Mine, "tp_mine", "tp_default"))
	none := file + ".none"
	got := commandtest.Understudy(t, "serve", "--scenarios", filepath.Dir(file), "--scenarios", other, "--scenarios", file, "--scenarios", none)
	if got.Code != command.ExitFailed {
		t.Errorf("exit code %d", got.Code)
	}
	for _, part := range []string{
		"understudy: the scenario files of --scenarios have ", " errors\n",
		file + ":1:1: unknown key \"titel\": did you mean title?\n  1 | titel: a\n    | ^\n",
		"the tenant property tp_default is taken: catalogue/",
		file + ": is a file: name the folder that it is in",
		none + ": cannot be read",
	} {
		if !strings.Contains(got.Stderr, part) {
			t.Errorf("no %q in\n%s", part, got.Stderr)
		}
	}
}

func TestServeScenariosWarning(t *testing.T) {
	t.Parallel()
	file := commandtest.NewFile(t, "a.yaml", commandtest.Odd)
	s := commandtest.StartServer(t, "--scenarios", filepath.Dir(file))
	if line := s.Stderr.Find(t, `(level=WARN msg="scenario file" .*)`); !strings.Contains(line, file+":4:") || !strings.Contains(line, "404 is not among") {
		t.Error(line)
	}
}
