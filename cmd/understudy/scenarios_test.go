package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

const mine = "name: mine\ntitle: A property of mine\nmagic: {tenant_property: tp_mine}\n"

// odd answers with a status that spec 4.4 does not list: allowed, with a warning.
const odd = "name: odd\ntitle: Odd\nmagic: {ssn: 000-00-7777}\nrules: [{on: create, respond: {status: 404}}]\n"

// folderOf writes a scenario file into a new folder.
func folderOf(t *testing.T, text string) (folder string) {
	t.Helper()
	return filepath.Dir(newFile(t, "a.yaml", text))
}

func TestServeScenarios(t *testing.T) {
	one, other := folderOf(t, mine), folderOf(t, strings.ReplaceAll(mine, "mine", "other"))
	catalogue, err := scenarios.Load(one, other)
	noError(t, err)
	flags := startServer(t, "--scenarios", one, "--scenarios", other)
	t.Setenv("UNDERSTUDY_SCENARIOS", one+","+other)
	variable := startServer(t)
	for name, s := range map[string]server{"flags": flags, "variable": variable} {
		if n := s.stderr.find(t, `scenarios=(\d+)`); n != strconv.Itoa(catalogue.Len()) {
			t.Errorf("%s: %s scenarios, want %d", name, n, catalogue.Len())
		}
		for _, id := range []string{"tp_mine", "tp_other", "tp_default"} {
			if r := s.api(t).Put("/tenant-properties/"+id, `{"name":"Quay"}`); r.Status != http.StatusOK {
				t.Errorf("%s: %s is answered %d", name, id, r.Status)
			}
		}
	}
}

func TestServeScenariosInvalid(t *testing.T) {
	t.Parallel()
	file := newFile(t, "a.yaml", "titel: a\nmagic: {}\n")
	other := folderOf(t, strings.ReplaceAll(mine, "tp_mine", "tp_default"))
	none := file + ".none"
	got := understudy(t, "serve", "--scenarios", filepath.Dir(file), "--scenarios", other, "--scenarios", file, "--scenarios", none)
	if got.code != exitFailed {
		t.Errorf("exit code %d", got.code)
	}
	for _, part := range []string{
		"understudy: the scenario files of --scenarios have ", " errors\n",
		file + ":1:1: unknown key \"titel\": did you mean title?\n  1 | titel: a\n    | ^\n",
		"the tenant property tp_default is taken: catalogue/",
		file + ": is a file: name the folder that it is in",
		none + ": cannot be read",
	} {
		if !strings.Contains(got.stderr, part) {
			t.Errorf("no %q in\n%s", part, got.stderr)
		}
	}
}

func TestServeScenariosWarning(t *testing.T) {
	t.Parallel()
	file := newFile(t, "a.yaml", odd)
	s := startServer(t, "--scenarios", filepath.Dir(file))
	if line := s.stderr.find(t, `(level=WARN msg="scenario file" .*)`); !strings.Contains(line, file+":4:") || !strings.Contains(line, "404 is not among") {
		t.Error(line)
	}
}

func TestScenariosList(t *testing.T) {
	t.Parallel()
	folder := folderOf(t, mine)
	got := understudy(t, "scenarios", "list", "--scenarios", folder)
	lines := strings.Split(got.stdout, "\n")
	if got.code != exitOK || !strings.HasPrefix(lines[0], "  NAME ") {
		t.Fatalf("exit code %d\n%s", got.code, got.stdout)
	}
	column := strings.Index(lines[0], "TITLE")
	for name, title := range map[string]string{"lifecycle": "Pending approval, then", "mine": "A property of mine"} {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  "+name+" ") })
		if at < 0 || strings.Index(lines[at], title) != column {
			t.Errorf("no %q in the column of titles beside %s:\n%s", title, name, got.stdout)
		}
	}
	if !strings.Contains(got.stdout, "\n"+filepath.Base(folder)+"\n  mine ") {
		t.Errorf("mine is not under its folder:\n%s", got.stdout)
	}
}

func TestScenariosListControlCharacters(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a\x1b[2Jb")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Skip(err)
	}
	noError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(mine), 0o600))
	got := understudy(t, "scenarios", "list", "--scenarios", folder)
	if got.want(t, exitOK, "a?[2Jb"); strings.Contains(got.stdout, "\x1b") {
		t.Errorf("%q", got.stdout)
	}
}

func TestScenariosListWords(t *testing.T) {
	t.Parallel()
	got := understudy(t, "scenarios", "list", "LIFECYCLE", "1001")
	if got.want(t, exitOK, "vr_lifecycle 000-00-1001"); strings.Contains(got.stdout, "1002") {
		t.Errorf("other scenarios are listed:\n%s", got.stdout)
	}
	understudy(t, "scenarios", "list", "rate", "limit").want(t, exitOK, "  limited-bare ", "  error-429 ")
	understudy(t, "scenarios", "list", "promtion").want(t, exitFailed, `no scenario matches "promtion": the nearest is promotion`)
}

func TestScenariosListJSON(t *testing.T) {
	t.Parallel()
	all := decoded[[]listed](t, understudy(t, "scenarios", "list", "--json").stdout)
	catalogue, err := scenarios.Load()
	noError(t, err)
	if len(all) != catalogue.Len() {
		t.Errorf("%d scenarios, want %d", len(all), catalogue.Len())
	}
	for _, l := range all {
		if l.Name == "lifecycle" && (l.Magic["verification_request"] != "vr_lifecycle" || l.Magic["ssn"] != "000-00-1001" || l.Line == 0 || l.File == "") {
			t.Errorf("%+v", l)
		}
	}
}

// The output is a valid scenario file.
func TestScenariosShow(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][]string{
		"lifecycle":       {"# Requests that move", "name: lifecycle\n", "# curl ", "/verification-requests/vr_lifecycle\n", "/verification-requests/vr_lifecycle/cancel\n", `"social_security_number":"000-00-1001"`},
		"vr_lifecycle":    {"name: lifecycle\n"},
		"000-00-1001":     {"name: lifecycle\n"},
		"000001001":       {"name: lifecycle\n"},
		"vr_error_451":    {"here <status> is 451", "{status: 451}"},
		"tp_default":      {"-X PUT", "/tenant-properties/tp_default\n"},
		"qc_qualified":    {"/qualification-checks/qc_qualified\n"},
		"000-12-3456":     {"name: credentials-session\n", "/credentials/session\n"},
		"tenant-property": {"name: tenant-property\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := understudy(t, "scenarios", "show", name)
			got.want(t, exitOK, parts...)
			if found, problems := scenarios.Parse("s.yaml", []byte(got.stdout)); len(found) != 1 || len(problems) > 0 {
				t.Errorf("%d scenarios, %v", len(found), problems)
			}
		})
	}
}

func TestScenariosShowCalls(t *testing.T) {
	t.Parallel()
	need(t, "curl")
	s := startServer(t)
	for _, name := range []string{"vr_lifecycle", "tp_default", "qc_qualified", "any"} {
		for line := range strings.Lines(understudy(t, "scenarios", "show", name).stdout) {
			command, ok := strings.CutPrefix(line, "# curl ")
			if !ok {
				continue
			}
			command = "curl -f " + strings.ReplaceAll(command, "http://"+defaultAddr, s.url)
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", command).CombinedOutput(); err != nil {
				t.Errorf("%s%v: %s", command, err, out)
			}
		}
	}
}

func TestScenariosKeyedAndGlobal(t *testing.T) {
	t.Parallel()
	folder := folderOf(t, "name: keyed\ntitle: Some keys\nmagic: {api_key: '*_bad'}\nrules: [{on: any, respond: {status: 500}}]\n"+
		"---\nname: global\ntitle: Every call\nrules: [{on: any, every: 5, respond: {status: 500}}]\n")
	understudy(t, "scenarios", "list", "--scenarios", folder).want(t, exitOK, "  svc_sk_test_*_bad ", "  every call ")
	understudy(t, "scenarios", "show", "keyed", "--scenarios", folder).want(t, exitOK,
		"# curl -s -H 'Authorization: Bearer svc_sk_test_me_bad' http://127.0.0.1:8080/verification-requests/vr_completed\n")
	if got := understudy(t, "scenarios", "show", "global", "--scenarios", folder); got.code != exitOK || strings.Contains(got.stdout, "curl") {
		t.Errorf("exit code %d\n%s", got.code, got.stdout)
	}
}

func TestScenariosValidate(t *testing.T) {
	t.Parallel()
	defaults := strings.ReplaceAll(mine, "tp_mine", "tp_default")
	file, invalid, taken := newFile(t, "a.yaml", mine+"---\n"+strings.ReplaceAll(mine, "mine", "other")), newFile(t, "b.yaml", "titel: a\nmagic: {}\n"), newFile(t, "c.yaml", defaults)
	replacing, odd := newFile(t, "tenant-properties.yaml", mine+"replaces: tenant-property\n"), newFile(t, "odd.yaml", odd)
	named, empty := newFile(t, "c.json", mine), newFile(t, "empty.yaml", "")
	for name, tt := range map[string]struct {
		paths []string
		code  int
		want  []string
	}{
		"a file":                     {[]string{file}, exitOK, []string{"2 scenarios in 1 file: fine\n"}},
		"a folder":                   {[]string{filepath.Dir(file)}, exitOK, []string{"2 scenarios in 1 file: fine\n"}},
		"paths stand alone":          {[]string{file, filepath.Dir(file)}, exitOK, []string{"4 scenarios in 2 files: fine\n"}},
		"an invalid file":            {[]string{invalid}, exitFailed, []string{invalid + ":1:1: unknown key", "  1 | titel: a\n    | ^\n", " errors in 1 file\n"}},
		"invalid paths":              {[]string{filepath.Dir(invalid), taken}, exitFailed, []string{invalid + ":1:1:", taken + ":3:26: the tenant property tp_default is taken: catalogue/", " in 2 files\n"}},
		"one that replaces":          {[]string{replacing}, exitOK, []string{replacing + ":4:11: warning: leaves magic values without a scenario: tp_default", "1 scenario in 1 file: 1 warning\n"}},
		"an odd status":              {[]string{odd}, exitOK, []string{odd + ":4:40: warning: 404 is not among the statuses", "  4 | rules: [{on: create", "1 scenario in 1 file: 1 warning\n"}},
		"JSON by its name":           {[]string{filepath.Dir(named)}, exitOK, []string{named + ": warning: was skipped: scenario files end with .yaml or .yml", "0 scenarios in 0 files: 1 warning\n"}},
		"an empty file":              {[]string{empty}, exitOK, []string{empty + ":1:1: warning: has no scenario in it: write one, or delete the file", "0 scenarios in 1 file: 1 warning\n"}},
		"a warning is no error":      {[]string{t.TempDir()}, exitOK, []string{"warning: has no scenario files", "0 scenarios in 0 files: 1 warning\n"}},
		"nothing there":              {[]string{file + ".none"}, exitFailed, []string{"cannot be read", "1 error in 0 files\n"}},
		"valid and invalid together": {[]string{file, taken}, exitFailed, []string{"1 error in 2 files\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := understudy(t, append([]string{"scenarios", "validate"}, tt.paths...)...)
			for _, part := range tt.want {
				if got.code != tt.code || !strings.Contains(got.stdout+got.stderr, part) {
					t.Errorf("exit code %d, want %d and %q in\n%s%s", got.code, tt.code, part, got.stdout, got.stderr)
				}
			}
		})
	}
}

func TestScenariosValidateStandardInput(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{mine: "1 scenario in 1 file: fine\n", "titel: a\n": "standard input:1:1: unknown key \"titel\""} {
		var stdout bytes.Buffer
		command := root(&stdout, &stdout)
		command.Reader = strings.NewReader(text)
		err := command.Run(t.Context(), []string{"understudy", "scenarios", "validate", "-"})
		if !strings.HasPrefix(stdout.String(), want) || (err == nil) != strings.HasSuffix(want, "fine\n") {
			t.Errorf("%v\n%s", err, stdout.String())
		}
	}
}
