package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func showCommand() *cli.Command {
	return &cli.Command{
		Name:      "show",
		Usage:     "show how a scenario is written, and how to call it",
		ArgsUsage: "NAME",
		Description: `NAME is a scenario's, or a magic value. Examples:

   understudy scenarios show lifecycle
   understudy scenarios show vr_lifecycle
   understudy scenarios show 000-00-1001
   understudy scenarios show lifecycle > scenarios/mine.yaml   a start for your own: give it another name, and other values`,
		Flags:        []cli.Flag{scenariosFlag("", "look in `FOLDER` too; repeatable")},
		OnUsageError: onUsageError,
		Action:       show,
		ShellComplete: func(_ context.Context, c *cli.Command) {
			if catalogue, err := loadScenarios(c); err == nil {
				fmt.Fprintln(c.Root().Writer, strings.Join(namesOf(catalogue), "\n"))
			}
		},
	}
}

func show(_ context.Context, c *cli.Command) error {
	if c.Args().Len() != 1 {
		return errors.New("say which scenario, by its name or a magic value: understudy scenarios show vr_lifecycle")
	}
	catalogue, err := loadScenarios(c)
	if err != nil {
		return err
	}
	s, err := find(catalogue, c.Args().First())
	if err != nil {
		return failure{err}
	}
	if _, err := fmt.Fprintf(c.Root().Writer, "# %s\n%s%s", s.At, catalogue.Source(s), calls(s)); err != nil {
		return failure{err}
	}
	return nil
}

// find returns the scenario of a name or a magic value.
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
	hint := "see understudy scenarios list"
	if nearest, ok := api.Nearest(name, namesOf(catalogue)); ok {
		hint = "did you mean " + nearest + "? See understudy scenarios list"
	}
	return nil, fmt.Errorf("no scenario has the name or the magic value %s: %s", api.Quote(name), hint)
}

// namesOf returns what a scenario can be called by: names and magic values.
func namesOf(catalogue *scenarios.Catalogue) (all []string) {
	for _, s := range catalogue.All() {
		all = append(all, s.Name)
		for _, magic := range s.MagicValues() {
			all = append(all, magic.Value)
		}
	}
	return all
}

// calls returns a command line for each thing that a client can do with a scenario's magic values, as comments, so that
// the whole stays a scenario file.
func calls(s *scenarios.Scenario) string {
	var text strings.Builder
	for _, magic := range s.MagicValues() {
		for _, call := range callsOf[magic.Kind] {
			fmt.Fprintf(&text, "# %s\n", call.curl(magic))
		}
	}
	if text.Len() == 0 {
		return ""
	}
	return "\n# Beside understudy serve:\n" + text.String()
}

// call is a request of the emulated surface: a path in which %s is the magic value, and a body in which it may be.
type call struct{ method, path, body string }

var callsOf = map[scenarios.Kind][]call{
	scenarios.VerificationRequestID: {
		{"GET", "/verification-requests/%s", ""},
		{"PUT", "/verification-requests/%s/cancel", `{"cancellation_reason":"other"}`},
	},
	scenarios.APIKey:               {{"GET", "/verification-requests/vr_completed", ""}},
	scenarios.TenantPropertyID:     {{"PUT", "/tenant-properties/%s", `{"name":"Quay House"}`}},
	scenarios.QualificationCheckID: {{"GET", "/qualification-checks/%s", ""}},
	scenarios.SSN: {{"POST", "/credentials/session", `{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application",` +
		`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1990-02-28","social_security_number":"%s"}}`}},
}

// anyNumber is a number that no built-in scenario names.
const anyNumber = "000-12-3456"

// curl returns the command line that makes the call with a magic value.
func (c call) curl(magic scenarios.MagicValue) string {
	key, value := "me", magic.Value
	switch {
	case magic.Kind == scenarios.APIKey:
		key = strings.ReplaceAll(value, "*", key)
	case value == string(scenarios.AnySSN):
		value = anyNumber
	}
	line := "curl -s -H 'Authorization: Bearer " + keyBeginning + key + "'"
	if c.method != "GET" {
		line += " -X " + c.method
	}
	if c.body != "" {
		line += " -H 'Content-Type: application/json' -d '" + strings.ReplaceAll(c.body, "%s", value) + "'"
	}
	return line + " http://" + defaultAddr + strings.ReplaceAll(c.path, "%s", value)
}
