package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/goccy/go-yaml"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// README is a short page for users, and the index of docs lists every page.
func TestREADME(t *testing.T) {
	t.Parallel()
	text := string(commandtest.ReadFile(t, repository+"README.md"))
	if lines, words := strings.Count(text, "\n"), len(strings.Fields(text)); lines > 170 || words > 1200 {
		t.Errorf("README.md has %d lines and %d words, and may have 170 and 1,200", lines, words)
	}
	index := string(commandtest.ReadFile(t, repository+"docs/README.md"))
	for _, page := range userPages(t) {
		name, inDocs := strings.CutPrefix(page, "docs/")
		if !inDocs {
			name = "../" + name
		}
		if name != "README.md" && name != "../README.md" && !strings.Contains(index, "("+name+")") {
			t.Errorf("docs/README.md has no link to %s", page)
		}
	}
}

// Each direct dependency has its reason behind its line in go.mod.
func TestDependencies(t *testing.T) {
	t.Parallel()
	_, direct, _ := strings.Cut(string(commandtest.ReadFile(t, repository+"go.mod")), "require (\n")
	direct, _, _ = strings.Cut(direct, "\n)")
	modules := strings.Split(direct, "\n")
	for _, module := range modules {
		if _, reason, _ := strings.Cut(module, " // "); reason == "" {
			t.Errorf("go.mod has no reason for %s", module)
		}
	}
	if len(modules) < 10 {
		t.Errorf("go.mod has %d direct dependencies", len(modules))
	}
}

// The control plane's page has each call of emulator/api/openapi.yaml.
func TestDocsControlPlane(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]any
	}
	commandtest.NoError(t, yaml.Unmarshal(api.Parts{Control: true, Extensions: true}.YAML(), &document))
	page := string(commandtest.ReadFile(t, repository+"docs/control-plane.md"))
	want, got := make(map[string]bool), make(map[string]bool)
	for path, methods := range document.Paths {
		for method := range methods {
			if call, ok := strings.CutPrefix(path, "/_understudy/v1"); ok {
				want[strings.ToUpper(method)+" "+call] = true
			} else if strings.HasPrefix(path, "/_understudy/") && !strings.Contains(page, "`"+path+"`") {
				t.Errorf("the page has no %s", path)
			}
		}
	}
	for _, found := range regexp.MustCompile("(?m)^\\| (`/.*?`) \\| ([A-Z ]+) \\|").FindAllStringSubmatch(page, -1) {
		for _, path := range codeSpan.FindAllString(found[1], -1) {
			for method := range strings.FieldsSeq(found[2]) {
				got[method+" "+strings.Trim(path, "`")] = true
			}
		}
	}
	if len(want) < 40 || !maps.Equal(got, want) {
		t.Errorf("the calls are not those of openapi.yaml:\n%s", gocmp.Diff(want, got))
	}
}

// The emulator says what the first column of the troubleshooting page has.
func TestDocsTroubleshooting(t *testing.T) {
	t.Parallel()
	var source strings.Builder
	for _, folder := range []string{"emulator/api", "emulator/internal/surface", "emulator/internal/control", "emulator/internal/resource", "emulator/internal/world", "emulator/internal/rules", "emulator/internal/delivery"} {
		files, err := filepath.Glob(repository + folder + "/*.go")
		commandtest.NoError(t, err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				source.Write(commandtest.ReadFile(t, file))
			}
		}
	}
	sentences := 0
	for _, row := range regexp.MustCompile("(?m)^\\| [a-z-]+ \\| (`.*?) \\| [1-5a]").FindAllStringSubmatch(string(commandtest.ReadFile(t, repository+"docs/troubleshooting.md")), -1) {
		for _, sentence := range codeSpan.FindAllString(row[1], -1) {
			for part := range strings.SplitSeq(strings.Trim(sentence, "`"), " … ") {
				sentences++
				if !strings.Contains(source.String(), part) {
					t.Errorf("nothing says %q", part)
				}
			}
		}
	}
	if sentences < 15 {
		t.Errorf("the page has %d sentences", sentences)
	}
}

// Links, paths, flags and test names in the pages lead somewhere.
func TestDocsLinks(t *testing.T) {
	t.Parallel()
	commandtest.NoError(t, filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "testdata"}, entry.Name()):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			t.Run(filepath.ToSlash(path[len(repository):]), func(t *testing.T) {
				text := string(commandtest.ReadFile(t, path))
				checkLinks(t, path, text)
				checkPaths(t, text)
				checkTestNames(t, text)
				checkFlags(t, text)
				page, below := strings.CutPrefix(filepath.ToSlash(path), filepath.ToSlash(repository)+"docs/")
				if index := page == "README.md" || page == "skill.md"; below && !index && !strings.Contains(page, "/") && !strings.Contains(text, "\nNext: [") {
					t.Error("the page does not say what to read next: end it with a line such as Next: [deploy](deploy.md).")
				}
			})
		}
		return nil
	}))
}

var (
	codeBlock  = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	relative   = regexp.MustCompile(`\]\(([^):]*)\)`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	codePath   = regexp.MustCompile("`((?:cmd|emulator|scenarios|fixtures|store|docs|\\.ci|\\.github)/[\\w./*-]*)`")
	testName   = regexp.MustCompile(`go test \./(\S+)[^\n|]*? -(?:run|bench) '?(\w+)`)
	namedFlag  = regexp.MustCompile("`--([a-z-]+)|understudy [a-z ]*--([a-z-]+)")
	flagsOfAll = []string{"help", "version"}
)

// checkLinks follows the links of a page to files and headings of the repository.
func checkLinks(t *testing.T, path, text string) {
	t.Helper()
	prose := codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(text, ""), "")
	for _, found := range relative.FindAllStringSubmatch(prose, -1) {
		file, anchor, _ := strings.Cut(found[1], "#")
		target := filepath.Join(filepath.Dir(path), file)
		if file == "" {
			target = path
		}
		if _, err := os.Stat(target); err != nil {
			t.Errorf("the link %s leads nowhere: %v", found[1], err)
		} else if anchor != "" && !slices.Contains(anchors(string(commandtest.ReadFile(t, target))), anchor) {
			t.Errorf("the link %s leads to no heading of %s", found[1], target)
		}
	}
}

// anchors returns the anchors of a page's headings, as GitHub makes them.
func anchors(text string) (all []string) {
	seen := make(map[string]int)
	for _, found := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		anchor := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, found[1])
		if n := seen[anchor]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", anchor, n))
		} else {
			all = append(all, anchor)
		}
		seen[anchor]++
	}
	return all
}

func checkPaths(t *testing.T, text string) {
	t.Helper()
	for _, found := range codePath.FindAllStringSubmatch(text, -1) {
		if files, err := filepath.Glob(repository + found[1]); err != nil || len(files) == 0 {
			t.Errorf("there is no %s", found[1])
		}
	}
}

// checkTestNames looks for the tests and benchmarks that a command of a page runs.
func checkTestNames(t *testing.T, text string) {
	t.Helper()
	for _, found := range testName.FindAllStringSubmatch(text, -1) {
		files, err := filepath.Glob(repository + found[1] + "/*_test.go")
		commandtest.NoError(t, err)
		function := regexp.MustCompile(`(?m)^func (Test|Benchmark|Fuzz)\w*` + found[2])
		if !slices.ContainsFunc(files, func(file string) bool { return function.Match(commandtest.ReadFile(t, file)) }) {
			t.Errorf("%q runs no test", found[0])
		}
	}
}

// checkFlags looks for the flags that a page names.
func checkFlags(t *testing.T, text string) {
	t.Helper()
	for _, found := range namedFlag.FindAllStringSubmatch(text, -1) {
		if name := found[1] + found[2]; !hasFlag(root(io.Discard, io.Discard), name) && !slices.Contains(flagsOfAll, name) {
			t.Errorf("no command has a flag --%s", name)
		}
	}
}

func hasFlag(c *cli.Command, name string) bool {
	return slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) ||
		slices.ContainsFunc(c.Commands, func(below *cli.Command) bool { return hasFlag(below, name) })
}

// checkBlocks parses the code blocks of a page.
func checkBlocks(t *testing.T, text string) {
	t.Helper()
	for _, found := range codeBlock.FindAllStringSubmatch(text, -1) {
		var err error
		switch language, code := found[1], found[2]; language {
		case "sh":
			err = exec.CommandContext(t.Context(), "bash", "-n", "-c", code).Run()
		case "yaml":
			err = yaml.Unmarshal([]byte(code), new(any))
		case "json":
			err = json.Unmarshal([]byte(code), new(any))
		case "console", "go", "java", "js", "powershell", "python", "text", "ts": // others try them
		default:
			t.Errorf("a code block has the language %q", language)
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, found[2])
		}
	}
}
