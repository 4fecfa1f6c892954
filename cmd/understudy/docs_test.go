package main

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

var update = flag.Bool("update", false, "write the generated parts of README.md and docs again")

// repository is the folder of the repository.
const repository = "../../"

// userPages returns the paths of README, of the chapters in docs, from the folder of the repository.
func userPages(t *testing.T) (paths []string) {
	t.Helper()
	chapters, err := filepath.Glob(repository + "docs/*.md")
	commandtest.NoError(t, err)
	for _, chapter := range chapters {
		paths = append(paths, "docs/"+filepath.Base(chapter))
	}
	return append(paths, "README.md")
}

// The generated parts of README and docs are current, and the console examples print what they show.
func TestDocs(t *testing.T) {
	for _, program := range []string{"bash", "curl", "grep"} {
		commandtest.Need(t, program)
	}
	var all strings.Builder
	for _, page := range userPages(t) {
		all.Write(commandtest.ReadFile(t, repository+page))
	}
	for name := range sections {
		if !strings.Contains(all.String(), "<!-- "+name+": written by ") {
			t.Errorf("no page has the section %q", name)
		}
	}
	for _, page := range userPages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			text := string(commandtest.ReadFile(t, repository+page))
			got := fillSections(t, runConsole(t, text))
			if *update {
				commandtest.NoError(t, os.WriteFile(repository+page, []byte(got), 0o644))
			} else if got != text {
				t.Errorf("%s is out of date: run go test ./cmd/understudy -run Docs -update\n%s", page, gocmp.Diff(text, got))
			}
			checkBlocks(t, got)
		})
	}
}

// sections are the generated parts of the pages, by the name in their first comment.
var sections = map[string]func(t *testing.T) string{
	"wanted magic values": wantedTable,
	"defects":             defectTable,
}

// copied are the parts of pages that are copied from files, by the first word of the name.
var copied = map[string]func(t *testing.T, name string) string{
	"go":        goSource,        // FILE FUNC
	"paragraph": paragraphSource, // FILE TEXT
}

var sectionStart = regexp.MustCompile(`(?m)^<!-- (.+): written by go test ./cmd/understudy -run Docs -update -->\n`)

// fillSections returns a page with the text between each pair of section comments generated again. The name of a section is
// one of sections, or begins with one of copied.
func fillSections(t *testing.T, page string) string {
	t.Helper()
	var out strings.Builder
	for {
		start := sectionStart.FindStringSubmatchIndex(page)
		if start == nil {
			return out.String() + page
		}
		name := page[start[2]:start[3]]
		end := fmt.Sprintf("<!-- end of %s -->\n", name)
		_, after, closed := strings.Cut(page[start[1]:], end)
		if !closed {
			t.Fatalf("%q is missing", end)
		}
		generate := sections[name]
		kind, rest, _ := strings.Cut(name, " ")
		if source := copied[kind]; source != nil {
			generate = func(t *testing.T) string { return source(t, rest) }
		} else if generate == nil {
			t.Fatalf("no section has the name %q", name)
		}
		out.WriteString(page[:start[1]] + "\n" + generate(t) + "\n" + end)
		page = after
	}
}

// goSource returns a code block with a function, for the name "FILE FUNC".
func goSource(t *testing.T, name string) string {
	t.Helper()
	file, function, _ := strings.Cut(name, " ")
	_, body, ok := strings.Cut(string(commandtest.ReadFile(t, repository+file)), "\nfunc "+function+"(")
	body, _, closed := strings.Cut(body, "\n}\n")
	if !ok || !closed {
		t.Fatalf("%s has no function %s", file, function)
	}
	return "```go\nfunc " + function + "(" + body + "\n}\n```\n"
}

// paragraphSource returns a code block with the lines around a text up to the next empty ones, for the name "FILE TEXT".
func paragraphSource(t *testing.T, name string) string {
	t.Helper()
	file, text, _ := strings.Cut(name, " ")
	for paragraph := range strings.SplitSeq(string(commandtest.ReadFile(t, repository+file)), "\n\n") {
		if strings.Contains(paragraph, text) {
			paragraph = strings.Trim(paragraph, "\n")
			indent := paragraph[:len(paragraph)-len(strings.TrimLeft(paragraph, " "))]
			return "```go\n" + strings.ReplaceAll(strings.TrimPrefix(paragraph, indent), "\n"+indent, "\n") + "\n```\n"
		}
	}
	t.Fatalf("%s has no paragraph with %q", file, text)
	return ""
}

// runConsole types the lines of a page's console blocks that begin with $ into one shell, next to a server of their own, and
// returns the page with what they print.
func runConsole(t *testing.T, page string) string {
	t.Helper()
	if !strings.Contains(page, "```console\n") {
		return page
	}
	url := commandtest.StartServer(t, "--clock", "2025-01-15T09:00:00Z").URL
	self, err := os.Executable()
	commandtest.NoError(t, err)
	var script strings.Builder
	fmt.Fprintf(&script, "export UNDERSTUDY_URL=%s\nunderstudy() { %s=1 '%s' \"$@\"; }\n", url, commandtest.AsUnderstudy, self)
	for line, inConsole := range consoleLines(page) {
		if command, ok := strings.CutPrefix(line, "$ "); ok && inConsole {
			script.WriteString(strings.ReplaceAll(command, "http://127.0.0.1:8080", url) + "printf '\\0'\n")
		}
	}
	printed, err := exec.CommandContext(t.Context(), "bash", "-c", script.String()).Output()
	commandtest.NoError(t, err)
	answers := strings.Split(strings.ReplaceAll(string(printed), "\r", ""), "\x00")

	var out strings.Builder
	for line, inConsole := range consoleLines(page) {
		if !inConsole {
			out.WriteString(line)
		} else if strings.HasPrefix(line, "$ ") {
			out.WriteString(line)
			if answer := strings.TrimSuffix(answers[0], "\n"); answer != "" {
				out.WriteString(answer + "\n")
			}
			answers = answers[1:]
		}
	}
	return out.String()
}

// consoleLines yields the lines of a text, and whether each is within a console block.
func consoleLines(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		inConsole := false
		for line := range strings.Lines(text) {
			inConsole = inConsole && line != "```\n"
			if !yield(line, inConsole) {
				return
			}
			inConsole = inConsole || line == "```console\n"
		}
	}
}
