package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// scenariosFlag names folders of scenario files. Each command says what it does with them.
func scenariosFlag(category, usage string) cli.Flag {
	return &cli.StringSliceFlag{Category: category, Name: "scenarios", Sources: fromEnvironment("scenarios"), Usage: usage}
}

// told has the problems of scenario files begin on a line of their own, behind one that counts them.
func told(err error) error {
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return fmt.Errorf("the scenario files have %s\n%w", problems.Count(), err)
	}
	return err
}
