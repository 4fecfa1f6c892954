package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// row returns a row of a Markdown table.
func row(cells ...string) string {
	return "| " + strings.ReplaceAll(strings.Join(cells, "\x00"), "|", `\|`) + " |\n"
}

// table returns a Markdown table of a head and rows that row has made.
func table(head []string, rows ...string) string {
	text := row(head...) + "|" + strings.Repeat("---|", len(head)) + "\n" + strings.Join(rows, "")
	return strings.ReplaceAll(text, "\x00", " | ")
}

// commandTable has a row for each command.
func commandTable(*testing.T) string {
	var rows []string
	var add func(path string, commands []*cli.Command)
	add = func(path string, commands []*cli.Command) {
		for _, c := range commands {
			name := path + " " + c.Name
			rows = append(rows, row("`"+strings.TrimSpace(name+" "+c.ArgsUsage)+"`", c.Usage))
			add(name, c.Commands)
		}
	}
	add("understudy", root(io.Discard, io.Discard).Commands)
	return table([]string{"command", "does"}, rows...)
}

// flagTable has a row for each flag: its name, its default and its meaning.
func flagTable(flags []cli.Flag) string {
	var rows []string
	for _, f := range flags {
		flag := f.(cli.DocGenerationFlag)
		value := "`" + strings.Trim(flag.GetValue(), `"`) + "`"
		if number, ok := f.(*cli.IntFlag); value == "``" || ok && number.HideDefault {
			value = "none"
		} else if value == "`false`" {
			value = "off"
		}
		rows = append(rows, row("`--"+f.Names()[0]+"`", value, flag.GetUsage()))
	}
	return table([]string{"flag", "default", "meaning"}, rows...)
}

func serveFlagTable(*testing.T) string { return flagTable(serveFlags()) }

// clientFlagTable has the flags that all commands share which steer a running emulator.
func clientFlagTable(*testing.T) string { return flagTable(resetCommand().Flags) }

// otherFlagTable has a table for each other set of flags, below the commands that take them. A command that repeats flags of
// the command above it takes all of those.
func otherFlagTable(*testing.T) string {
	client := make(map[string]bool)
	for _, f := range resetCommand().Flags {
		client[f.Names()[0]+f.(cli.DocGenerationFlag).GetUsage()] = true
	}
	commands, order := make(map[string][]string), []string(nil) // of each table
	var add func(path string, all []*cli.Command, inherited []cli.Flag)
	add = func(path string, all []*cli.Command, inherited []cli.Flag) {
		for _, c := range all {
			own := slices.DeleteFunc(slices.Clone(c.Flags), func(f cli.Flag) bool {
				return c.Name == "serve" || c.Name == "run" || client[f.Names()[0]+f.(cli.DocGenerationFlag).GetUsage()]
			})
			if len(own) > 0 && strings.Contains(flagTable(inherited), flagTable(own)[len(flagTable(nil)):]) {
				own = inherited
			}
			if text := flagTable(own); len(own) > 0 {
				if commands[text] == nil {
					order = append(order, text)
				}
				commands[text] = append(commands[text], "`"+path+c.Name+"`")
			}
			add(path+c.Name+" ", c.Commands, own)
		}
	}
	add("", root(io.Discard, io.Discard).Commands, nil)
	var tables []string
	for _, text := range order {
		tables = append(tables, strings.Join(commands[text], ", ")+"\n\n"+text)
	}
	return strings.Join(tables, "\n")
}

// wanted are the magic values that most users begin with.
var wanted = []string{
	"vr_completed", "vr_lifecycle", "vr_lifecycle_timed", "vr_action_required", "vr_service_canceled", "vr_multiple_reports",
	"vr_error_451", "vr_flaky", "qc_not_qualified", "000-00-0451",
}

// wantedTable has a row for each of the wanted magic values.
func wantedTable(t *testing.T) string {
	t.Helper()
	catalogue, err := scenarios.Load()
	noError(t, err)
	titles := make(map[string]string)
	for _, s := range catalogue.All() {
		for _, value := range []string{s.Magic.VerificationRequest, s.Magic.QualificationCheck, shownSSN(s.Magic.SSN)} {
			titles[value] = s.Title
		}
	}
	var rows []string
	for _, value := range wanted {
		if titles[value] == "" {
			t.Errorf("no scenario has the magic value %s", value)
		}
		rows = append(rows, row("`"+value+"`", titles[value]))
	}
	return table([]string{"magic value", "behaviour"}, rows...)
}

// magicTable has, for each kind of magic value, a row for each document of the catalogue.
func magicTable(t *testing.T) string {
	t.Helper()
	catalogue, err := scenarios.Load()
	noError(t, err)
	var tables []string
	for _, kind := range []struct {
		name  string
		value func(scenarios.Magic) string
	}{
		{"verification request", func(m scenarios.Magic) string { return m.VerificationRequest }},
		{"tenant property", func(m scenarios.Magic) string { return m.TenantProperty }},
		{"qualification check", func(m scenarios.Magic) string { return m.QualificationCheck }},
		{"SSN in a credentials session", func(m scenarios.Magic) string { return shownSSN(m.SSN) }},
	} {
		var rows []string
		for _, d := range documents(catalogue, kind.value) {
			rows = append(rows, row(strings.Join(d.values, " "), d.title))
		}
		tables = append(tables, table([]string{kind.name, "behaviour"}, rows...))
	}
	return strings.Join(tables, "\n")
}

// document is a document of the catalogue: one scenario, or as many as its matrix makes.
type document struct {
	at     scenarios.Position
	title  string
	values []string
}

// tableOrder is the order of the catalogue's files in the table; the other files follow.
var tableOrder = []string{
	"states", "lifecycle", "types", "reports", "employment-status", "pay-frequencies", "incidents", "errors", "test-people", "sessions",
}

// documents returns the documents that have values of a kind, in the order of the table.
func documents(c *scenarios.Catalogue, value func(scenarios.Magic) string) (all []document) {
	rank := func(s *scenarios.Scenario) int {
		i := slices.Index(tableOrder, strings.TrimSuffix(filepath.Base(s.At.File), ".yaml"))
		return cmp.Or(i+1, len(tableOrder)+1)
	}
	inOrder := slices.SortedStableFunc(slices.Values(c.All()), func(a, b *scenarios.Scenario) int { return cmp.Compare(rank(a), rank(b)) })
	for _, s := range inOrder {
		v := value(s.Magic)
		if v == "" {
			continue
		}
		if !strings.Contains(v, " ") {
			v = "`" + v + "`" // a value as it is typed
		}
		if len(all) == 0 || all[len(all)-1].at != s.At {
			all = append(all, document{at: s.At, title: s.Title})
		}
		last := &all[len(all)-1]
		last.title, last.values = shared(last.title, s.Title), append(last.values, v)
	}
	return all
}

// shared returns the words that two titles have in common, with … for the words that differ.
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
	return fmt.Sprintf("%s-%s-%s", ssn[:3], ssn[3:5], ssn[5:])
}
