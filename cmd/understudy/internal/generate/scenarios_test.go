package generate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestScenariosList(t *testing.T) {
	t.Parallel()
	folder := commandtest.FolderOf(t, commandtest.Mine)
	got := commandtest.Understudy(t, "scenarios", "list", "--scenarios", folder)
	lines := strings.Split(got.Stdout, "\n")
	if got.Code != command.ExitOK || !strings.HasPrefix(lines[0], "  NAME ") {
		t.Fatalf("exit code %d\n%s", got.Code, got.Stdout)
	}
	column := strings.Index(lines[0], "TITLE")
	for name, title := range map[string]string{"lifecycle": "Pending approval, then", "mine": "A property of mine"} {
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "  "+name+" ") })
		if at < 0 || strings.Index(lines[at], title) != column {
			t.Errorf("no %q in the column of titles beside %s:\n%s", title, name, got.Stdout)
		}
	}
	if !strings.Contains(got.Stdout, "\n"+filepath.Base(folder)+"\n  mine ") {
		t.Errorf("mine is not under its folder:\n%s", got.Stdout)
	}
}

func TestScenariosListControlCharacters(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "a\x1b[2Jb")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Skip(err)
	}
	commandtest.NoError(t, os.WriteFile(filepath.Join(folder, "a.yaml"), []byte(commandtest.Mine), 0o600))
	got := commandtest.Understudy(t, "scenarios", "list", "--scenarios", folder)
	if got.Want(t, command.ExitOK, "a?[2Jb"); strings.Contains(got.Stdout, "\x1b") {
		t.Errorf("%q", got.Stdout)
	}
}

func TestScenariosListWords(t *testing.T) {
	t.Parallel()
	got := commandtest.Understudy(t, "scenarios", "list", "LIFECYCLE", "1001")
	if got.Want(t, command.ExitOK, "vr_lifecycle 000-00-1001"); strings.Contains(got.Stdout, "1002") {
		t.Errorf("other scenarios are listed:\n%s", got.Stdout)
	}
	commandtest.Understudy(t, "scenarios", "list", "rate", "limit").Want(t, command.ExitOK, "  limited-bare ", "  error-429 ")
	commandtest.Understudy(t, "scenarios", "list", "promtion").Want(t, command.ExitFailed, `no scenario matches "promtion": the nearest is promotion`)
}

func TestScenariosListJSON(t *testing.T) {
	t.Parallel()
	all := commandtest.Decoded[[]listed](t, commandtest.Understudy(t, "scenarios", "list", "--json").Stdout)
	catalogue, err := scenarios.Load()
	commandtest.NoError(t, err)
	if len(all) != len(catalogue.Names()) {
		t.Errorf("%d scenarios, want %d", len(all), len(catalogue.Names()))
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
			got := commandtest.Understudy(t, "scenarios", "show", name)
			got.Want(t, command.ExitOK, parts...)
			if found, problems := scenarios.Parse("s.yaml", []byte(got.Stdout)); len(found) != 1 || len(problems) > 0 {
				t.Errorf("%d scenarios, %v", len(found), problems)
			}
		})
	}
}

func TestScenariosShowCalls(t *testing.T) {
	t.Parallel()
	commandtest.Need(t, "curl")
	s := commandtest.StartServer(t)
	for _, name := range []string{"vr_lifecycle", "tp_default", "qc_qualified", "any"} {
		for line := range strings.Lines(commandtest.Understudy(t, "scenarios", "show", name).Stdout) {
			line, ok := strings.CutPrefix(line, "# curl ")
			if !ok {
				continue
			}
			curl := "curl -f " + strings.ReplaceAll(line, "http://"+command.DefaultAddr, s.URL)
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", curl).CombinedOutput(); err != nil {
				t.Errorf("%s%v: %s", curl, err, out)
			}
		}
	}
}

func TestScenariosKeyedAndGlobal(t *testing.T) {
	t.Parallel()
	folder := commandtest.FolderOf(t, "name: keyed\ntitle: Some keys\nmagic: {api_key: '*_bad'}\nrules: [{on: any, respond: {status: 500}}]\n"+
		"---\nname: global\ntitle: Every call\nrules: [{on: any, every: 5, respond: {status: 500}}]\n")
	commandtest.Understudy(t, "scenarios", "list", "--scenarios", folder).Want(t, command.ExitOK, "  svc_sk_test_*_bad ", "  every call ")
	commandtest.Understudy(t, "scenarios", "show", "keyed", "--scenarios", folder).Want(t, command.ExitOK,
		"# curl -s -H 'Authorization: Bearer svc_sk_test_me_bad' http://127.0.0.1:8080/verification-requests/vr_completed\n")
	if got := commandtest.Understudy(t, "scenarios", "show", "global", "--scenarios", folder); got.Code != command.ExitOK || strings.Contains(got.Stdout, "curl") {
		t.Errorf("exit code %d\n%s", got.Code, got.Stdout)
	}
}

func TestScenariosValidate(t *testing.T) {
	t.Parallel()
	defaults := strings.ReplaceAll(commandtest.Mine, "tp_mine", "tp_default")
	file, invalid, taken := commandtest.NewFile(t, "a.yaml", commandtest.Mine+"---\n"+strings.ReplaceAll(commandtest.Mine, "mine", "other")), commandtest.NewFile(t, "b.yaml", "titel: a\nmagic: {}\n"), commandtest.NewFile(t, "c.yaml", defaults)
	replacing, odd := commandtest.NewFile(t, "tenant-properties.yaml", commandtest.Mine+"replaces: tenant-property\n"), commandtest.NewFile(t, "odd.yaml", commandtest.Odd)
	named, empty := commandtest.NewFile(t, "c.json", commandtest.Mine), commandtest.NewFile(t, "empty.yaml", "")
	for name, tt := range map[string]struct {
		paths []string
		code  int
		want  []string
	}{
		"a file":                     {[]string{file}, command.ExitOK, []string{"2 scenarios in 1 file: fine\n"}},
		"a folder":                   {[]string{filepath.Dir(file)}, command.ExitOK, []string{"2 scenarios in 1 file: fine\n"}},
		"paths stand alone":          {[]string{file, filepath.Dir(file)}, command.ExitOK, []string{"4 scenarios in 2 files: fine\n"}},
		"an invalid file":            {[]string{invalid}, command.ExitFailed, []string{invalid + ":1:1: unknown key", "  1 | titel: a\n    | ^\n", " errors in 1 file\n"}},
		"invalid paths":              {[]string{filepath.Dir(invalid), taken}, command.ExitFailed, []string{invalid + ":1:1:", taken + ":3:26: the tenant property tp_default is taken: catalogue/", " in 2 files\n"}},
		"one that replaces":          {[]string{replacing}, command.ExitOK, []string{replacing + ":4:11: warning: leaves magic values without a scenario: tp_default", "1 scenario in 1 file: 1 warning\n"}},
		"an odd status":              {[]string{odd}, command.ExitOK, []string{odd + ":4:40: warning: 404 is not among the statuses", "  4 | rules: [{on: create", "1 scenario in 1 file: 1 warning\n"}},
		"JSON by its name":           {[]string{filepath.Dir(named)}, command.ExitOK, []string{named + ": warning: was skipped: scenario files end with .yaml or .yml", "0 scenarios in 0 files: 1 warning\n"}},
		"an empty file":              {[]string{empty}, command.ExitOK, []string{empty + ":1:1: warning: has no scenario in it: write one, or delete the file", "0 scenarios in 1 file: 1 warning\n"}},
		"a warning is no error":      {[]string{t.TempDir()}, command.ExitOK, []string{"warning: has no scenario files", "0 scenarios in 0 files: 1 warning\n"}},
		"nothing there":              {[]string{file + ".none"}, command.ExitFailed, []string{"cannot be read", "1 error in 0 files\n"}},
		"valid and invalid together": {[]string{file, taken}, command.ExitFailed, []string{"1 error in 2 files\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := commandtest.Understudy(t, append([]string{"scenarios", "validate"}, tt.paths...)...)
			for _, part := range tt.want {
				if got.Code != tt.code || !strings.Contains(got.Stdout+got.Stderr, part) {
					t.Errorf("exit code %d, want %d and %q in\n%s%s", got.Code, tt.code, part, got.Stdout, got.Stderr)
				}
			}
		})
	}
}

func TestScenariosValidateStandardInput(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{commandtest.Mine: "1 scenario in 1 file: fine\n", "titel: a\n": "standard input:1:1: unknown key \"titel\""} {
		var stdout bytes.Buffer
		root := commandtest.Program(&stdout, &stdout)
		root.Reader = strings.NewReader(text)
		err := root.Run(t.Context(), []string{"understudy", "scenarios", "validate", "-"})
		if !strings.HasPrefix(stdout.String(), want) || (err == nil) != strings.HasSuffix(want, "fine\n") {
			t.Errorf("%v\n%s", err, stdout.String())
		}
	}
}
