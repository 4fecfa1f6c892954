package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func listCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list scenarios with their magic values",
		ArgsUsage: "[WORD...]",
		Description: `Words choose those that have all of them in the name, a magic value, the title or the subject. Examples:

   understudy scenarios list                               all, by subject
   understudy scenarios list lifecycle                     those with that word
   understudy scenarios list --scenarios ./scenarios mine  your own too
   understudy scenarios list --json | jq -r '.[].name'     for programs

It exits 1 when there is none.`,
		Flags: []cli.Flag{
			scenariosFlag("", "list those in `FOLDER` too; repeatable"),
			&cli.BoolFlag{Name: "json", Sources: fromEnvironment("json"), Usage: "print a JSON array"},
		},
		OnUsageError: onUsageError,
		Action:       list,
	}
}

// listed is a scenario as the list has it.
type listed struct {
	Name    string            `json:"name"`
	Title   string            `json:"title"`
	Subject string            `json:"subject"`
	Magic   map[string]string `json:"magic"` // by the keys of scenario files
	File    string            `json:"file"`
	Line    int               `json:"line"`

	values string // of Magic, in the language's order
}

func list(_ context.Context, c *cli.Command) error {
	catalogue, err := loadScenarios(c)
	if err != nil {
		return err
	}
	chosen := []listed{}
	for _, s := range catalogue.All() {
		if l := listing(s); l.has(c.Args().Slice()) {
			chosen = append(chosen, l)
		}
	}
	if err := printList(c, chosen); err != nil {
		return failure{err}
	}
	if len(chosen) == 0 {
		return failure{fmt.Errorf("no scenario has %q: see all with %s", strings.Join(c.Args().Slice(), " "), c.FullName())}
	}
	return nil
}

func listing(s *scenarios.Scenario) listed {
	l := listed{Name: s.Name, Title: s.Title, Subject: subject(s), Magic: map[string]string{}, File: s.At.File, Line: s.At.Line}
	var values []string
	for _, magic := range s.MagicValues() {
		l.Magic[strings.ToLower(strings.ReplaceAll(string(magic.Kind), " ", "_"))] = magic.Value
		values = append(values, shownValue(magic))
	}
	l.values = cmp.Or(strings.Join(values, " "), "every call")
	return l
}

// keyBeginning is what every API key begins with, unless --key-prefix says otherwise.
const keyBeginning = "svc_sk_test_"

// shownValue is a magic value as the table has it.
func shownValue(magic scenarios.MagicValue) string {
	switch {
	case magic.Kind == scenarios.APIKey:
		return keyBeginning + magic.Value
	case magic.Kind == scenarios.SSN && magic.Value == string(scenarios.AnySSN):
		return "any other SSN"
	}
	return magic.Value
}

// subject is the folder that a scenario's file is in.
func subject(s *scenarios.Scenario) string {
	folder := filepath.Dir(s.At.File)
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole // of . too
	}
	return filepath.Base(folder)
}

// has reports whether all words are in the listing, in any case.
func (l listed) has(words []string) bool {
	text := strings.ToLower(strings.Join([]string{l.Name, l.values, l.Title, l.Subject}, "\n"))
	for _, word := range words {
		if !strings.Contains(text, strings.ToLower(word)) {
			return false
		}
	}
	return true
}

func printList(c *cli.Command, all []listed) error {
	if !c.Bool("json") {
		return printTable(c.Root().Writer, all)
	}
	encoder := json.NewEncoder(c.Root().Writer)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(all)
}

// printTable prints the scenarios of a subject under its name.
func printTable(to io.Writer, all []listed) error {
	if len(all) == 0 {
		return nil
	}
	name, values := len("NAME"), len("MAGIC VALUES")
	for _, l := range all {
		name, values = max(name, len(l.Name)), max(values, len(l.values))
	}
	var table strings.Builder
	row := func(a, b, c string) { fmt.Fprintf(&table, "  %-*s  %-*s  %s\n", name, a, values, b, c) }
	row("NAME", "MAGIC VALUES", "TITLE")
	for i, l := range all {
		if i == 0 || l.Subject != all[i-1].Subject {
			fmt.Fprintf(&table, "%s\n", l.Subject)
		}
		row(l.Name, l.values, l.Title)
	}
	_, err := io.WriteString(to, strings.Map(visible, table.String()))
	return err
}

// visible keeps names of folders from moving the cursor: a character of theirs that cannot be seen is a question mark.
func visible(r rune) rune {
	if r != '\n' && !unicode.IsPrint(r) {
		return '?'
	}
	return r
}
