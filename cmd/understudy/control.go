package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator"
)

// controlFlags say where the control plane is served, and to whom.
func controlFlags() []cli.Flag {
	const category = "Control plane"
	return []cli.Flag{
		&cli.StringFlag{
			Category: category, Name: "control-addr", Sources: fromEnvironment("control-addr"),
			Usage: "serve the control plane on `HOST:PORT`, and not on that of --addr",
		},
		&cli.StringFlag{
			Category: category, Name: "control-token", Sources: fromEnvironment("control-token"),
			Usage: "serve the control plane to those who send `TOKEN`; the variable keeps it out of the list of processes",
		},
		&cli.StringSliceFlag{
			Category: category, Name: "control-host", Sources: fromEnvironment("control-host"),
			Usage: "let the control plane be reached by `NAME` on a loopback address, beside localhost; repeatable",
		},
	}
}

// checkControl returns what is wrong with these flags.
func checkControl(c *cli.Command) error {
	var errs []error
	if addr := c.String("control-addr"); addr != "" {
		_, _, err := splitAddr("control-addr", addr)
		errs = append(errs, err)
	}
	if c.IsSet("control-token") && c.String("control-token") == "" {
		errs = append(errs, errors.New("--control-token, or UNDERSTUDY_CONTROL_TOKEN, is empty: leave it out, or give one"))
	}
	if err := emulator.CheckControlToken(c.String("control-token")); err != nil {
		errs = append(errs, fmt.Errorf("--control-token: %w", err))
	}
	return errors.Join(errs...)
}
