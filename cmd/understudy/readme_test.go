package main

import (
	"cmp"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

var update = flag.Bool("update", false, "write what README.md says of the program anew")

// README's tables are made from the program, and its tour is typed as it stands and answers as it stands.
func TestREADMESaysWhatTheProgramDoes(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "grep"} {
		need(t, program)
	}
	const file = "../../README.md"
	text := string(readFile(t, file))
	got := takeTour(t, text, startServer(t, "--clock", "2025-01-15T09:00:00Z").url)
	got = section(t, got, "magic values", magicTable(t))
	got = section(t, got, "flags", flagTable())
	if *update {
		noError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	if got != text {
		t.Errorf("README says otherwise; if that is meant, run go test ./cmd/understudy -run README -update\n%s", gocmp.Diff(text, got))
	}
}

// section returns README with another text between the two comments that mark a section.
func section(t *testing.T, readme, name, text string) string {
	t.Helper()
	begin := fmt.Sprintf("<!-- %s: written by go test ./cmd/understudy -run README -update -->\n", name)
	end := fmt.Sprintf("<!-- end of %s -->\n", name)
	before, rest, ok := strings.Cut(readme, begin)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("README.md has no place for %s: %s%s", name, begin, end)
	}
	return before + begin + text + end + after
}

// flagTable has a row for each flag of serve.
func flagTable() string {
	var table strings.Builder
	table.WriteString("\n| flag of `serve` | default | meaning |\n|---|---|---|\n")
	for _, f := range serveFlags() {
		flag := f.(cli.DocGenerationFlag)
		value := strings.Trim(flag.GetValue(), `"`)
		if value == "" || value == "false" {
			value = "off"
		}
		fmt.Fprintf(&table, "| `--%s` | `%s` | %s |\n", f.Names()[0], value, flag.GetUsage())
	}
	return table.String() + "\n"
}

// magicTable has, for each kind of magic value, a row for each document of the catalogue.
func magicTable(t *testing.T) string {
	t.Helper()
	catalogue, err := scenarios.Load()
	noError(t, err)
	var table strings.Builder
	for _, kind := range []struct {
		name  string
		value func(scenarios.Magic) string
	}{
		{"verification request", func(m scenarios.Magic) string { return m.VerificationRequest }},
		{"tenant property", func(m scenarios.Magic) string { return m.TenantProperty }},
		{"qualification check", func(m scenarios.Magic) string { return m.QualificationCheck }},
		{"SSN in a credentials session", func(m scenarios.Magic) string { return shownSSN(m.SSN) }},
	} {
		fmt.Fprintf(&table, "\n| %s | behaviour |\n|---|---|\n", kind.name)
		for _, row := range documents(catalogue, kind.value) {
			fmt.Fprintf(&table, "| %s | %s |\n", strings.Join(row.values, " "), row.title)
		}
	}
	return table.String() + "\n"
}

// document is a document of the catalogue: one scenario, or as many as its matrix makes.
type document struct {
	at     scenarios.Position
	title  string
	values []string
}

// tableOrder is the order in which a stranger wants to meet the files of the catalogue; others follow.
var tableOrder = []string{
	"states", "lifecycle", "types", "reports", "employment-status", "pay-frequencies", "incidents", "errors", "test-people", "sessions",
}

// documents returns those that have values of a kind, in the order of the table.
func documents(c *scenarios.Catalogue, value func(scenarios.Magic) string) (all []document) {
	place := func(s *scenarios.Scenario) int {
		at := slices.Index(tableOrder, strings.TrimSuffix(filepath.Base(s.At.File), ".yaml"))
		return cmp.Or(at+1, len(tableOrder)+1)
	}
	inOrder := slices.SortedStableFunc(slices.Values(c.All()), func(a, b *scenarios.Scenario) int { return cmp.Compare(place(a), place(b)) })
	for _, s := range inOrder {
		v := value(s.Magic)
		if v == "" {
			continue
		}
		if !strings.Contains(v, " ") {
			v = "`" + v + "`" // to be typed as it stands
		}
		if len(all) == 0 || all[len(all)-1].at != s.At {
			all = append(all, document{at: s.At, title: s.Title})
		}
		last := &all[len(all)-1]
		last.title, last.values = shared(last.title, s.Title), append(last.values, v)
	}
	return all
}

// shared returns what the titles of a document's scenarios have in common, with … for the words that differ.
func shared(one, other string) string {
	a, b := strings.Fields(one), strings.Fields(other)
	if len(a) != len(b) {
		return one
	}
	for i := range a {
		if a[i] != b[i] {
			a[i] = "…"
		}
	}
	return strings.Join(a, " ")
}

func shownSSN(ssn scenarios.MagicSSN) string {
	switch ssn {
	case "":
		return ""
	case scenarios.AnySSN:
		return "any other number"
	}
	return string(ssn[:3] + "-" + ssn[3:5] + "-" + ssn[5:])
}

// takeTour types the lines of README's console blocks that begin with $ into one shell, and returns README with what
// they print.
func takeTour(t *testing.T, readme, url string) string {
	t.Helper()
	self, err := os.Executable()
	noError(t, err)
	var script strings.Builder
	fmt.Fprintf(&script, "export UNDERSTUDY_URL=%s\nunderstudy() { %s=1 '%s' \"$@\"; }\n", url, asUnderstudy, self)
	for line, inConsole := range consoleLines(readme) {
		if command, ok := strings.CutPrefix(line, "$ "); ok && inConsole {
			script.WriteString(strings.ReplaceAll(command, "http://127.0.0.1:8080", url) + "printf '\\0'\n")
		}
	}
	printed, err := exec.CommandContext(t.Context(), "bash", "-c", script.String()).Output()
	noError(t, err)
	answers := strings.Split(strings.ReplaceAll(string(printed), "\r", ""), "\x00")

	var out strings.Builder
	for line, inConsole := range consoleLines(readme) {
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
