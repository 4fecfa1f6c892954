package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"
)

func putCommand() *cli.Command {
	return &cli.Command{
		Name: "put", Usage: "give a world of a running emulator a scenario file of its own", ArgsUsage: "FILE|-",
		Description: `The file counts at once, in this world only, until it is deleted or the world is reset. Examples:

   understudy scenarios put late.yaml --key svc_sk_test_me   under the name late
   understudy scenarios delete late --key svc_sk_test_me`,
		Flags: append(clientFlags(), &cli.StringFlag{
			Name: "name", Sources: fromEnvironment("name"), Usage: "under the name `NAME`; by default that of the file",
		}),
		OnUsageError: onUsageError,
		Action:       putScenarios,
	}
}

func deleteCommand() *cli.Command {
	return &cli.Command{
		Name: "delete", Usage: "take a scenario file of a world's own away", ArgsUsage: "NAME",
		Flags: clientFlags(), OnUsageError: onUsageError, Action: deletes(newRemoteWorld, "scenarios/", "which file, by the name under which it was put", "the scenario file %s is taken away"),
	}
}

func putScenarios(ctx context.Context, c *cli.Command) error {
	file, err := oneArgument(c, "which file; - is standard input")
	if err != nil {
		return err
	}
	name := c.String("name")
	if name == "" && file == "-" {
		return fmt.Errorf("say under which name the scenarios of standard input are put: --name late")
	}
	if name == "" {
		name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	text, err := readInput(c, file)
	if err != nil {
		return failure{err}
	}
	answer, err := r.ask(ctx, http.MethodPut, "scenarios/"+url.PathEscape(name), nil, text)
	if err != nil {
		return err
	}
	return tell(r, answer, sayScenarios)
}

// ownScenarios is what the control plane says of a file that was put.
type ownScenarios struct {
	Items []struct {
		Name, Title string
		Magic       []struct{ Kind, Value string }
	} `json:"items"`
	Warnings []string `json:"warnings"`
}

func sayScenarios(to io.Writer, own ownScenarios) {
	var rows [][]string
	for _, s := range own.Items {
		var values []string
		for _, m := range s.Magic {
			values = append(values, m.Value)
		}
		rows = append(rows, []string{s.Name, strings.Join(values, " "), s.Title})
	}
	printRows(to, "SCENARIO|MAGIC VALUES|TITLE", rows)
	for _, warning := range own.Warnings {
		fmt.Fprintln(to, warning)
	}
}
