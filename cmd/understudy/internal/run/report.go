package run

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// outcome is an attempt with its verdict, as the report has it.
type outcome struct {
	Part     string    `json:"part"`
	Verdict  verdict   `json:"verdict"`
	Why      string    `json:"why,omitempty"`
	ExitCode int       `json:"exit_code"`
	Output   string    `json:"output,omitempty"` // the end of it, of a bad one
	Requests []request `json:"requests"`
}

// request is a request of an attempt.
type request struct {
	ID        string   `json:"id"`
	Method    string   `json:"method"`
	Path      string   `json:"path"`
	Operation string   `json:"operation"`
	Answer    string   `json:"answer"` // the status, and the fault in parentheses; --- for none
	Diagnosis []string `json:"diagnosis,omitempty"`
}

// outcomeOf returns the outcome of an attempt beside the baseline.
func outcomeOf(a, baseline attempt) outcome {
	o := outcome{Part: a.part.name, ExitCode: a.code, Requests: []request{}}
	if o.Verdict, o.Why = verdictOf(a, baseline); o.Verdict.bad() {
		o.Output = a.output
	}
	for _, e := range a.entries {
		o.Requests = append(o.Requests, request{e.ID, e.Method, e.Path, e.Operation, e.Outcome(), e.Diagnosis})
	}
	return o
}

// shownLines is how many lines of the output of a bad attempt the table has.
const shownLines = 3

// printOutcomes prints outcomes for people: what is bad one by one, the worst first, and the rest by operation.
func printOutcomes(to io.Writer, outcomes []outcome, colors bool) {
	for _, v := range verdict("").Values() {
		var of []outcome
		for _, o := range outcomes {
			if o.Verdict == v {
				of = append(of, o)
			}
		}
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(to, "\n%s  %s\n", v.shown(colors), command.Count(len(of), "part"))
		if !v.bad() {
			printNames(to, of)
			continue
		}
		for _, o := range of {
			fmt.Fprintf(to, "  %s\n      %s\n", o.Part, o.Why)
			lines := strings.Split(strings.TrimSpace(o.Output), "\n")
			for _, line := range lines[max(0, len(lines)-shownLines):] {
				if line != "" {
					fmt.Fprintf(to, "      | %s\n", command.InLine(line))
				}
			}
		}
	}
}

// shown returns the verdict as a terminal shows it: red, yellow or green.
func (v verdict) shown(colors bool) string {
	color := map[verdict]string{reports: "33", survives: "32"}[v]
	if !colors {
		return string(v)
	}
	return "\x1b[" + cmp.Or(color, "31") + "m" + string(v) + "\x1b[0m"
}

// printNames prints the names of parts, a line or more for each operation.
func printNames(to io.Writer, of []outcome) {
	var operations []string
	names := make(map[string][]string)
	for _, o := range of {
		operation, name, _ := strings.Cut(o.Part, ": ")
		name = strings.TrimSuffix(name, ", first call")
		if all, ok := strings.CutSuffix(name, ", all calls"); ok {
			name = all + " always"
		}
		if names[operation] == nil {
			operations = append(operations, operation)
		}
		names[operation] = append(names[operation], name)
	}
	const width = 100
	for _, operation := range operations {
		line, shown := "  "+operation+":", ""
		for i, name := range names[operation] {
			if before := strings.LastIndex(name, " ") + 1; before > 0 && name[:before] == shown { // another value of a field
				name = name[before:]
			} else {
				shown = name[:before]
			}
			if i < len(names[operation])-1 {
				name += ","
			}
			if len(line)+len(name)+1 > width {
				fmt.Fprintln(to, line)
				line = "     "
			}
			line += " " + name
		}
		fmt.Fprintln(to, line)
	}
}

// suite is a JUnit report.
type suite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Cases    []testCase
}

type testCase struct {
	XMLName xml.Name `xml:"testcase"`
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Failure *failed  `xml:"failure,omitempty"`
	Output  string   `xml:"system-out,omitempty"`
}

type failed struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
}

// writeReport writes outcomes to a file: JUnit XML to one that ends with .xml, else JSON.
func writeReport(path string, outcomes []outcome) error {
	text, err := json.MarshalIndent(outcomes, "", "  ")
	if filepath.Ext(path) == ".xml" {
		s := suite{Name: "trial", Tests: len(outcomes)}
		for _, o := range outcomes {
			c := testCase{Name: o.Part, Class: string(o.Verdict), Output: strings.Map(command.Visible, o.Output)}
			if o.Verdict.bad() {
				s.Failures++
				c.Failure = &failed{string(o.Verdict), o.Why}
			}
			s.Cases = append(s.Cases, c)
		}
		text, err = xml.MarshalIndent(s, "", "  ")
	}
	return command.WriteFile(path, "report", text, err)
}

// readOutcomes reads an earlier report, nil without a path.
func readOutcomes(path string) (before []outcome, err error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err == nil {
		before = []outcome{}
		err = json.Unmarshal(text, &before)
	}
	if err != nil {
		return nil, command.Failed(fmt.Errorf("--expect %s is no report of a trial, as --report writes it: %w", path, err))
	}
	return before, nil
}

// changes lists how outcomes differ from those of an earlier report.
func changes(before, outcomes []outcome) (all []string) {
	byPart := func(of []outcome, part string) verdict {
		if i := slices.IndexFunc(of, func(o outcome) bool { return o.Part == part }); i >= 0 {
			return of[i].Verdict
		}
		return "is not played"
	}
	parts := make(map[string]bool)
	for _, o := range slices.Concat(before, outcomes) {
		if was, is := byPart(before, o.Part), byPart(outcomes, o.Part); was != is && !parts[o.Part] {
			all = append(all, fmt.Sprintf("%s: %s, expected was %s", o.Part, is, was))
		}
		parts[o.Part] = true
	}
	return all
}
