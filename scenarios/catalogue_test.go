package scenarios_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func builtin(t testing.TB) *scenarios.Catalogue {
	t.Helper()
	c, err := scenarios.Builtin()
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

func TestTheBuiltInCatalogueHasNoProblem(t *testing.T) {
	t.Parallel()
	if c := builtin(t); c.Len() == 0 || c.Len() != len(c.All()) || len(c.Warnings()) > 0 {
		t.Errorf("%d scenarios, %v", c.Len(), c.Warnings())
	}
}

func TestMagicIDsAreCaseSensitiveAndOfOneKind(t *testing.T) {
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

func TestANumberThatNoScenarioNamesFollowsTheOneForAny(t *testing.T) {
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
