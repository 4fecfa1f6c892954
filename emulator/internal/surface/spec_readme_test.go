package surface_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

var (
	heading   = regexp.MustCompile(`(?m)^#+ ([0-9.]*[0-9])\.? `)
	namedTest = regexp.MustCompile("`(Test[^`]+)`")
	testFunc  = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	citation  = regexp.MustCompile(`(?i)\bspec(?:ification)?(?: sections?)? ([0-9](?:\.[0-9])?(?:(?:, | and )[0-9](?:\.[0-9])?)*)`)
	section   = regexp.MustCompile(`[0-9.]+`)
)

// The sections of emulator/api/README.md are those that comments cite and rows of tests name, and its tests exist.
func TestSpecREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../api/README.md")
	lab.NoError(t, err)
	sections, tests := firstGroups(heading, string(text)), firstGroups(namedTest, string(text))
	functions := map[string]bool{}
	for _, row := range splitRows(specRows) {
		if number, _, _ := strings.Cut(row.name, " "); !sections[number] {
			t.Errorf("the row %q has no section", row.name)
		}
	}
	lab.NoError(t, filepath.WalkDir("../../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		source, err := os.ReadFile(path)
		for cited := range firstGroups(citation, string(source)) {
			for _, number := range section.FindAllString(cited, -1) {
				if !sections[number] {
					t.Errorf("%s cites spec %s, which is no section", path, number)
				}
			}
		}
		if strings.HasPrefix(path, "../../../emulator/") {
			maps.Copy(functions, firstGroups(testFunc, string(source)))
		}
		return err
	}))
	for test := range tests {
		if !functions[test] {
			t.Errorf("there is no test %s", test)
		}
	}
}

// firstGroups returns the first group of each match.
func firstGroups(expression *regexp.Regexp, text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range expression.FindAllStringSubmatch(text, -1) {
		found[match[1]] = true
	}
	return found
}
