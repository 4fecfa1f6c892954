package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// folder writes files into a new folder and returns its path.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// property returns a scenario whose name is also the id of its tenant property.
func property(name string) string {
	return "name: " + name + "\ntitle: A property\nmagic: {tenant_property: " + name + "}\n"
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("this system has no symbolic links: %v", err)
	}
}

func load(t *testing.T, folders ...string) *scenarios.Catalogue {
	t.Helper()
	c, err := scenarios.Load(folders...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func names(all []*scenarios.Scenario) (names []string) {
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names
}

func TestLoad(t *testing.T) {
	t.Parallel()
	one := folder(t, map[string]string{"a.yaml": property("a"), "deep/er/b.YML": property("b"), "notes.md": "name: c"})
	other := folder(t, map[string]string{"a.yaml": property("d")})
	c := load(t, one, other, one, filepath.Join(one, "deep"))
	if diff := cmp.Diff([]string{"a", "b", "d"}, names(c.Added())); diff != "" {
		t.Error(diff)
	}
	if c.ByName("lifecycle") == nil || len(c.Names()) != len(builtin(t).Names())+3 || len(c.Warnings()) > 0 {
		t.Errorf("%d scenarios, warnings %v", len(c.Names()), c.Warnings())
	}
}

// replacing returns a scenario with a name, an id of a verification request, and more lines.
func replacing(name, id, more string) string {
	return "name: " + name + "\ntitle: A request\nmagic: {verification_request: " + id + "}\n" + more
}

func TestLoadReplacement(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		one, other string // scenarios of two folders, in files of one name
		want       string // the scenario of vr_lifecycle
		problems   []string
	}{
		"the names of files mean nothing":  {replacing("mine", "vr_mine", ""), replacing("yours", "vr_yours", ""), "lifecycle", nil},
		"by its own name":                  {replacing("lifecycle", "vr_lifecycle", "replaces: lifecycle\n"), "", "lifecycle", []string{"lifecycle.yaml:4:11: warning: leaves magic values without a scenario: 000-00-1001"}},
		"by another name":                  {replacing("mine", "vr_lifecycle", "replaces: [lifecycle]\n"), "", "mine", []string{"4:11: warning: leaves"}},
		"without its values":               {replacing("mine", "vr_mine", "replaces: lifecycle\n"), "", "", []string{": 000-00-1001 vr_lifecycle"}},
		"of a scenario of the other team":  {replacing("mine", "vr_mine", ""), replacing("yours", "vr_mine", "replaces: mine\n"), "lifecycle", nil},
		"of a later scenario":              {replacing("yours", "vr_mine", "replaces: mine\n"), replacing("mine", "vr_mine", ""), "lifecycle", nil},
		"of one that replaces another":     {replacing("mine", "vr_lifecycle", "replaces: lifecycle\n"), replacing("yours", "vr_lifecycle", "replaces: mine\n"), "yours", []string{"1001"}},
		"a name is taken":                  {replacing("lifecycle", "vr_mine", ""), "", "", []string{"lifecycle.yaml:1:7: the name lifecycle is taken: catalogue/verification-requests/lifecycle.yaml:", ", which is built in: choose another, or write replaces: lifecycle to take its place"}},
		"a value is taken":                 {replacing("mine", "vr_lifecycle", ""), "", "", []string{"lifecycle.yaml:3:31: the verification request vr_lifecycle is taken: catalogue/verification-requests/lifecycle.yaml:", "write replaces: lifecycle to"}},
		"a value is taken by another team": {replacing("mine", "vr_mine", ""), replacing("yours", "vr_mine", ""), "", []string{"other/lifecycle.yaml:3:31: the verification request vr_mine is taken: one/lifecycle.yaml:1:1: choose another, or write replaces: mine to"}},
		"of no scenario":                   {replacing("mine", "vr_mine", "replaces: lifecicle\n"), "", "", []string{`4:11: there is no other scenario "lifecicle": did you mean lifecycle?`}},
		"of itself":                        {replacing("mine", "vr_mine", "replaces: mine\n"), "", "", []string{`there is no other scenario "mine": leave replaces out`}},
		"by two teams":                     {replacing("mine", "vr_lifecycle", "replaces: lifecycle\n"), replacing("yours", "vr_yours", "replaces: lifecycle\n"), "", []string{"other/lifecycle.yaml:4:11: replaces lifecycle, as one/lifecycle.yaml:1:1 does: leave it out in one of them"}},
		"of one another":                   {replacing("mine", "vr_mine", "replaces: yours\n"), replacing("yours", "vr_yours", "replaces: mine\n"), "", []string{"other/lifecycle.yaml:4:11: replaces mine at one/lifecycle.yaml:1:1, which replaces this"}},

		"of another one by each team": {
			replacing("mine", "vr_mine", "replaces: lifecycle\n"), replacing("yours", "vr_yours", "replaces: completed\n"), "",
			[]string{"one/lifecycle.yaml:4:11: warning: leaves magic values without a scenario: 000-00-1001 vr_lifecycle\n", "other/lifecycle.yaml:4:11: warning: leaves magic values without a scenario: vr_completed\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := scenarios.Files{}.With("one/lifecycle.yaml", []byte(tt.one))
			if tt.other != "" {
				files = files.With("other/lifecycle.yaml", []byte(tt.other))
			}
			c, err := files.Load()
			if err == nil {
				if err = c.Warnings(); tt.want == "" && c.ByID(scenarios.VerificationRequestID, "vr_lifecycle") != nil {
					t.Error("vr_lifecycle is still there")
				}
				if s := c.ByID(scenarios.VerificationRequestID, "vr_lifecycle"); s != nil && (s.Name != tt.want || c.ByName(s.Name) != s) {
					t.Errorf("vr_lifecycle is %s", s.Name)
				}
				if c.ByID(scenarios.VerificationRequestID, "vr_lifecycle_timed") == nil {
					t.Error("another scenario of the file is lost")
				}
			} else if tt.want != "" {
				t.Fatal(err)
			}
			if text := err.Error(); tt.problems == nil && text != "" {
				t.Error(text)
			}
			for _, want := range tt.problems {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %s in\n%v", want, err)
				}
			}
		})
	}
}

// What a base has gained since files were stored over it takes nothing from them.
func TestOverChangedBase(t *testing.T) {
	t.Parallel()
	base, err := scenarios.Files{}.With("base.yaml", []byte(replacing("gained", "vr_gained", "")+"---\n"+replacing("named", "vr_named", ""))).Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Files{}.With("own.yaml", []byte(replacing("mine", "vr_gained", "")+"---\n"+replacing("named", "vr_mine", ""))).Over(base)
	if c == nil || err == nil {
		t.Fatalf("%v, %v", c, err)
	}
	for id, want := range map[string]string{"vr_gained": "mine", "vr_mine": "named"} {
		if s := c.ByID(scenarios.VerificationRequestID, id); s == nil || s.Name != want {
			t.Errorf("%s is %+v", id, s)
		}
	}
	if c.ByID(scenarios.VerificationRequestID, "vr_named") != nil || len(c.Names()) != 3 {
		t.Error("a scenario that lost its name is left")
	}
}

func TestLoadProblems(t *testing.T) {
	t.Parallel()
	one := folder(t, map[string]string{"a.yaml": "titel: a\n", "b.yaml": property("tp_default")})
	other := folder(t, map[string]string{"a.yaml": property("x"), "b.yaml": property("x"), "c.yaml": strings.Repeat("#", 70_000)})
	missing := filepath.Join(one, "missing")
	file := filepath.Join(other, "a.yaml")
	_, err := scenarios.Load(one, other, missing, file)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		filepath.Join(one, "a.yaml") + `:1:1: unknown key "titel": did you mean title?`,
		filepath.Join(one, "b.yaml") + ":3:26: the tenant property tp_default is taken: catalogue/",
		", which is built in: choose another, or write replaces: tenant-property to take its place",
		filepath.Join(other, "b.yaml") + ":1:7: the name x is taken: " + file + ":1:1",
		filepath.Join(other, "b.yaml") + ":3:26: the tenant property x is taken: " + file + ":1:1",
		filepath.Join(other, "c.yaml") + ":1:1: a scenario file may have 65536 bytes (64 KiB), this one has 70000: split it",
		missing + ": cannot be read: no such file or directory: name a folder of scenario files",
		file + ": is a file: name the folder that it is in, " + other,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in\n%v", want, err)
		}
	}
}

func TestLoadEmptyFolder(t *testing.T) {
	t.Parallel()
	empty := folder(t, map[string]string{"notes.md": ""})
	if w := load(t, empty, empty).Warnings(); len(w) != 1 || w[0].String() != empty+": warning: has no scenario files (.yaml, .yml)" {
		t.Errorf("%v", w)
	}
}

func TestLoadWarnings(t *testing.T) {
	t.Parallel()
	mine := folder(t, map[string]string{
		"a.yaml": property("a"), "b.JSON": "{}", "deep/c.json": "{}", "schema.json": "{}", "mine.schema.json": "{}", ".d.json": "{}",
		"empty.yaml": "", "remarks.yml": "# later\n---\n",
	})
	want := []string{
		filepath.Join(mine, "b.JSON") + ": warning: was skipped: scenario files end with .yaml or .yml, so rename it, also with JSON in it",
		filepath.Join(mine, "deep", "c.json") + ": warning: was skipped: scenario files end with .yaml or .yml, so rename it, also with JSON in it",
		filepath.Join(mine, "empty.yaml") + ":1:1: warning: has no scenario in it: write one, or delete the file",
		filepath.Join(mine, "remarks.yml") + ":1:1: warning: has no scenario in it: write one, or delete the file",
	}
	if diff := cmp.Diff(strings.Join(want, "\n"), load(t, mine).Warnings().Error()); diff != "" {
		t.Error(diff)
	}
}

// Kubernetes mounts a folder of links through ..data, a link to a folder with a new name for each update.
func TestLoadSymbolicLinks(t *testing.T) {
	t.Parallel()
	mount := folder(t, map[string]string{"..2025_01/a.yaml": property("a"), "..2025_01/b.yaml": property("b"), ".hidden.yaml": property("h")})
	link(t, "..2025_01", filepath.Join(mount, "..data"))
	link(t, filepath.Join("..data", "a.yaml"), filepath.Join(mount, "a.yaml"))
	link(t, filepath.Join("..data", "b.yaml"), filepath.Join(mount, "b.yaml"))
	elsewhere := folder(t, map[string]string{"c.yaml": property("c")})
	link(t, elsewhere, filepath.Join(mount, "more"))
	link(t, elsewhere, filepath.Join(mount, "more-again"))
	link(t, mount, filepath.Join(elsewhere, "back"))
	if diff := cmp.Diff([]string{"a", "b", "c"}, names(load(t, mount).Added())); diff != "" {
		t.Error(diff)
	}
}

func TestLoadBrokenLink(t *testing.T) {
	t.Parallel()
	mine := folder(t, nil)
	link(t, "gone", filepath.Join(mine, "a.yaml"))
	link(t, "gone", filepath.Join(mine, "notes.md"))
	_, err := scenarios.Load(mine)
	if want := filepath.Join(mine, "a.yaml") + ": cannot be read: "; err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "notes") {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// manyFiles writes a thousand scenario files of usual length.
func manyFiles(t testing.TB) string {
	t.Helper()
	files := make(map[string]string)
	for i := range 1000 {
		text := strings.ReplaceAll(whole, "name: slow", fmt.Sprintf("name: slow-%d", i))
		text = strings.ReplaceAll(text, "vr_slow", fmt.Sprintf("vr_slow_%d", i))
		files[fmt.Sprintf("%d/%d.yaml", i/100, i)] = strings.ReplaceAll(text, ", ssn: 000-00-1007", "")
	}
	return folder(t, files)
}

func BenchmarkLoad(b *testing.B) {
	mine := manyFiles(b)
	for b.Loop() {
		if _, err := scenarios.Load(mine); err != nil {
			b.Fatal(err)
		}
	}
}
