package console_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Each field of a resource stands in a page, or in a room that draws one.
func TestPagesHaveFields(t *testing.T) {
	t.Parallel()
	var written strings.Builder
	for _, pattern := range []string{"pages/*.html", "*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				written.Write(text)
			}
		}
	}
	used := map[string]bool{}
	for _, name := range regexp.MustCompile(`\.\w+`).FindAllString(written.String(), -1) {
		used[name] = true
	}
	seen := map[reflect.Type]bool{}
	for _, resource := range []any{api.VerificationRequest{}, api.TenantProperty{}, api.QualificationCheck{}} {
		requireFields(t, reflect.TypeOf(resource), used, seen)
	}
}

// requireFields reports the fields of a type of the API, and of the types below it, that are not used.
func requireFields(t *testing.T, of reflect.Type, used map[string]bool, seen map[reflect.Type]bool) {
	t.Helper()
	switch {
	case of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice:
		requireFields(t, of.Elem(), used, seen)
		return
	case of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[api.Report]().PkgPath() || seen[of]:
		return
	}
	seen[of] = true
	for field := range of.Fields() {
		currency := field.Name == "Currency" // of an amount, always USD
		if field.IsExported() && !field.Anonymous && !currency && !used["."+field.Name] {
			t.Errorf("no page shows %s.%s: give it a place in its template", of.Name(), field.Name)
		}
		requireFields(t, field.Type, used, seen)
	}
}
