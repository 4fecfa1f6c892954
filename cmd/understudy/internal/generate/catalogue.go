package generate

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func listCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list scenarios with their magic values",
		ArgsUsage: "[WORD...]",
		Description: `With words, it lists the scenarios that have to do with all of them, the best first: names, magic values, titles, statuses, states
and what people call them. Examples:

   understudy scenarios list                               all, by subject
   understudy scenarios list rate limit                    those that a person means by that
   understudy scenarios list --scenarios ./scenarios mine  among your own too
   understudy scenarios list --json | jq -r '.[].name'     for programs

It exits 1 when no scenario matches.`,
		Flags: []cli.Flag{
			command.Texts("", "scenarios", "add the scenario files in `FOLDER`; repeatable"),
			command.JSONFlag(""),
		},
		Action: list,
	}
}

// listed is a scenario in the output of list.
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
	words := strings.Join(c.Args().Slice(), " ")
	if words == "" {
		return printList(c, listings(catalogue.All()), true)
	}
	found, whole := catalogue.Search(words)
	var chosen []*scenarios.Scenario
	for _, m := range found {
		chosen = append(chosen, m.Scenario)
	}
	if whole {
		return printList(c, listings(chosen), false)
	}
	if err := printList(c, []listed{}, false); err != nil {
		return err
	}
	nearest := ""
	if len(chosen) > 0 {
		nearest = "the nearest is " + chosen[0].Name + ", or "
	}
	return command.Failed(fmt.Errorf("no scenario matches %q: %slist all with %s", words, nearest, c.FullName()))
}

func listings(all []*scenarios.Scenario) []listed {
	found := make([]listed, len(all))
	for i, s := range all {
		found[i] = listing(s)
	}
	return found
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

func shownValue(magic scenarios.MagicValue) string {
	switch {
	case magic.Kind == scenarios.APIKey:
		return command.KeyBeginning + magic.Value
	case magic.Kind == scenarios.SSN && magic.Value == string(scenarios.AnySSN):
		return "any other SSN"
	}
	return magic.Value
}

func subject(s *scenarios.Scenario) string {
	folder := filepath.Dir(s.At.File)
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole // of . too
	}
	return filepath.Base(folder)
}

// printList prints scenarios as JSON, or as a table, with the scenarios of a subject below its name where they are grouped.
func printList(c *cli.Command, all []listed, grouped bool) error {
	var out strings.Builder
	if c.Bool("json") {
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		if err := encoder.Encode(all); err != nil {
			return command.Failed(err)
		}
		return command.Write(c, out.String())
	}
	name, values := len("NAME"), len("MAGIC VALUES")
	for _, l := range all {
		name, values = max(name, len(l.Name)), max(values, len(l.values))
	}
	row := func(a, b, c string) { fmt.Fprintf(&out, "  %-*s  %-*s  %s\n", name, a, values, b, c) }
	for i, l := range all {
		if i == 0 {
			row("NAME", "MAGIC VALUES", "TITLE")
		}
		if grouped && (i == 0 || l.Subject != all[i-1].Subject) {
			fmt.Fprintln(&out, l.Subject)
		}
		row(l.Name, l.values, l.Title)
	}
	return command.Write(c, strings.Map(command.Visible, out.String())) // the name of a folder may have any character
}

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "print a scenario file, and how to call the scenario",
		ArgsUsage: "NAME",
		Description: `NAME is the name of a scenario, or a magic value. Examples:

   understudy scenarios show lifecycle
   understudy scenarios show vr_lifecycle
   understudy scenarios show 000-00-1001
   understudy scenarios show lifecycle > scenarios/mine.yaml   a start for your own file: change the name and the values`,
		Flags:  []cli.Flag{command.Texts("", "scenarios", "add the scenario files in `FOLDER`; repeatable")},
		Action: command.WithArgument("which scenario, by its name or a magic value such as vr_lifecycle", showScenario),
		ShellComplete: func(_ context.Context, c *cli.Command) {
			if catalogue, err := loadScenarios(c); err == nil {
				fmt.Fprintln(c.Root().Writer, strings.Join(namesOf(catalogue), "\n"))
			}
		},
	}
}

func showScenario(_ context.Context, c *cli.Command, name string) error {
	catalogue, err := loadScenarios(c)
	if err != nil {
		return err
	}
	s, err := find(catalogue, name)
	if err != nil {
		return command.Failed(err)
	}
	return command.Write(c, fmt.Sprintf("# %s\n%s%s", s.At, s.Source(), calls(s)))
}

func find(catalogue *scenarios.Catalogue, name string) (*scenarios.Scenario, error) {
	if s := catalogue.ByName(name); s != nil {
		return s, nil
	}
	for _, s := range catalogue.All() {
		for _, magic := range s.MagicValues() {
			if magic.Value == name {
				return s, nil
			}
		}
	}
	if ssn, err := api.ParseSSN(name); err == nil {
		if s := catalogue.BySSN(ssn); s != nil {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no scenario has the name or the magic value %s: %s", api.Quote(name), command.Hint("", name, namesOf(catalogue), "understudy scenarios list"))
}

// namesOf returns the names and magic values of all scenarios.
func namesOf(catalogue *scenarios.Catalogue) (all []string) {
	for _, s := range catalogue.All() {
		all = append(all, s.Name)
		for _, magic := range s.MagicValues() {
			all = append(all, magic.Value)
		}
	}
	return all
}

// calls returns a curl command line for each call with a scenario's magic values, as YAML comments.
func calls(s *scenarios.Scenario) string {
	var text strings.Builder
	for _, magic := range s.MagicValues() {
		if magic.Kind == scenarios.APIKey {
			fmt.Fprintf(&text, "# %s\n", curl(strings.ReplaceAll(magic.Value, "*", "me"), http.MethodGet, "/verification-requests/vr_completed", ""))
		}
	}
	for _, sample := range s.Samples(false) {
		fmt.Fprintf(&text, "# %s\n", curl("me", sample.Method, sample.Target, sample.Body))
	}
	if text.Len() == 0 {
		return ""
	}
	return "\n# While understudy serve runs:\n" + text.String()
}

func curl(key, method, path, body string) string {
	line := "curl -s -H 'Authorization: Bearer " + command.KeyBeginning + key + "'"
	if method != http.MethodGet {
		line += " -X " + method
	}
	if body != "" {
		line += " -H 'Content-Type: application/json' -d '" + body + "'"
	}
	return line + " http://" + command.DefaultAddr + path
}
