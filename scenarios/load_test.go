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
	if c.ByName("lifecycle") == nil || c.Len() != builtin(t).Len()+3 || len(c.Replaced()) > 0 || len(c.Warnings()) > 0 {
		t.Errorf("%d scenarios, replaced %v, warnings %v", c.Len(), c.Replaced(), c.Warnings())
	}
}

func TestLoadReplacement(t *testing.T) {
	t.Parallel()
	mine := folder(t, map[string]string{"somewhere/lifecycle.yaml": strings.ReplaceAll(property("vr_lifecycle"), "tenant_property", "verification_request")})
	c := load(t, mine)
	if s := c.ByID(scenarios.VerificationRequestID, "vr_lifecycle"); s == nil || s.Title != "A property" {
		t.Errorf("vr_lifecycle is %+v", s)
	}
	if s := c.ByID(scenarios.VerificationRequestID, "vr_lifecycle_timed"); s != nil {
		t.Errorf("another scenario of the replaced file is left: %+v", s)
	}
	if w := c.ReplacementWarnings(); len(w) != 1 || !w[0].Warning || !strings.Contains(w[0].What, "lifecycle.yaml, and these magic values are lost: 000-00-1001 vr_lifecycle_timed ") {
		t.Errorf("warnings: %v", w)
	}
	if r := c.Replaced(); len(r) != 1 || !strings.HasPrefix(r[0], "catalogue/") || !strings.HasSuffix(r[0], "lifecycle.yaml by "+filepath.Join(mine, "somewhere", "lifecycle.yaml")) {
		t.Errorf("replaced %v", r)
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
		"which is built in: choose another, or name your file tenant-properties.yaml to replace all of that file",
		filepath.Join(other, "b.yaml") + ":1:7: the name x is taken: " + file + ":1:1",
		filepath.Join(other, "b.yaml") + ":3:26: the tenant property x is taken: " + file + ":1:1",
		filepath.Join(other, "c.yaml") + ":1:1: a scenario file may have 65536 bytes (64 KiB), this one has 70000: split it",
		missing + ": cannot be read: no such file or directory",
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
