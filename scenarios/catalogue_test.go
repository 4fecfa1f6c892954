package scenarios_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func builtin(t testing.TB) *scenarios.Catalogue {
	t.Helper()
	c, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// builtinFiles returns the paths of the built-in catalogue's files.
func builtinFiles(t testing.TB) (files []string) {
	t.Helper()
	err := filepath.WalkDir("catalogue", func(file string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, file)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	return files
}

// index.txt must agree with the built-in files.
func TestIndex(t *testing.T) {
	t.Parallel()
	var files scenarios.Files
	for _, file := range builtinFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		files = files.With(filepath.ToSlash(file), data)
	}
	together, err := files.Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range together.Warnings() { // outages.yaml has statuses that the spec does not list
		if path.Base(w.At.File) != "outages.yaml" || !strings.Contains(w.What, "is not among the statuses") {
			t.Error(w)
		}
	}
	var want strings.Builder
	for _, s := range together.All() {
		if s.At.Column != 1 {
			t.Errorf("%s: the index has no columns", s.At)
		}
		fmt.Fprintf(&want, "%s:%d %s", s.At.File, s.At.Line, s.Name)
		for field, value := range reflect.ValueOf(s.Magic).Fields() {
			if !value.IsZero() {
				fmt.Fprintf(&want, " %s=%s", field.Tag.Get("yaml"), value.String())
			}
		}
		want.WriteByte('\n')
	}
	if *rewrite {
		if err := os.WriteFile("index.txt", []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile("index.txt"); err != nil {
		t.Fatal(err)
	} else if string(got) != want.String() {
		t.Fatal("index.txt does not agree with the catalogue: run go test ./scenarios -run Index -update")
	}
	if n := len(builtin(t).All()); n != len(together.Names()) || n != len(builtin(t).Names()) {
		t.Fatalf("%d scenarios, %d in the files", n, len(together.Names()))
	}
	for i, want := range together.All() {
		got := builtin(t).All()[i]
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s differs from the one in its file", want.Name)
		}
		if builtin(t).ByName(want.Name) != got {
			t.Errorf("%s is not always the same pointer", want.Name)
		}
		if source := got.Source(); source == "" || source != want.Source() {
			t.Errorf("the source of %s is %s", want.Name, source)
		}
	}
}

func TestMagicIDs(t *testing.T) {
	t.Parallel()
	c := builtin(t)
	if s := c.ByID(scenarios.VerificationRequestID, "vr_completed"); s == nil || s != c.ByName("completed") {
		t.Errorf("vr_completed is %+v", s)
	}
	if s := c.ByID(scenarios.VerificationRequestID, "VR_completed"); s != nil {
		t.Errorf("VR_completed is %s", s.Name)
	}
	if s := c.ByID(scenarios.TenantPropertyID, "vr_completed"); s != nil {
		t.Errorf("the tenant property vr_completed is %s", s.Name)
	}
}

func TestMagicSSN(t *testing.T) {
	t.Parallel()
	c := builtin(t)
	for text, name := range map[string]string{"000-00-0451": "session-error-0451", "000-00-0452": "credentials-session"} {
		ssn, err := api.ParseSSN(text)
		if err != nil {
			t.Fatal(err)
		}
		if s := c.BySSN(ssn); s == nil || s.Name != name {
			t.Errorf("%s follows %+v, want %s", text, s, name)
		}
	}
}

func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		builtin(b)
	}
}
