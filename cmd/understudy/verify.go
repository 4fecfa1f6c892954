package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name: "verify", Usage: "exit 1 unless something was asked as often as it should have been", ArgsUsage: "[EXPECTATION]",
		Description: `What is expected is said by flags, or as the JSON that the control plane takes. Examples:

   understudy journal verify --operation getVerificationRequest                      once or more
   understudy journal verify --path /verification-requests/vr_1/cancel --at-most 0   never
   understudy journal verify --body '{"cancellation_reason":"competitor"}' --exactly 2
   understudy journal verify '{"match":{"headers":{"User-Agent":{"contains":"acme"}}},"times":{"at_least":3}}'`,
		Flags: []cli.Flag{
			text("", "operation", "", "requests of the operation `NAME`"),
			text("", "method", "", "with the method `METHOD`"),
			text("", "path", "", "of exactly the path `PATH`"),
			text("", "status", "", "that were answered `STATUS`, such as 404 or 4xx"),
			text("", "body", "", "whose body has all that the `JSON` has"),
			number("", "exactly", "asked `N` times"),
			number("", "at-least", "asked `N` times or more; once or more is what is expected by default"),
			number("", "at-most", "asked `N` times or less"),
		},
		Action: verifyJournal,
	}
}

// expectation returns what the argument or the flags say, as the control plane takes it.
func expectation(c *cli.Command) (any, error) {
	expected, err := expectationOfFlags(c)
	if err != nil {
		return nil, err
	}
	argument := c.Args().First()
	switch {
	case c.Args().Len() > 1:
		return nil, fmt.Errorf("%s takes one expectation, but was given %d", c.FullName(), c.Args().Len())
	case !c.Args().Present():
		return expected, nil
	case len(expected) > 0:
		return nil, errors.New("say what is expected by flags or as JSON, not both")
	case !json.Valid([]byte(argument)):
		return nil, fmt.Errorf(`the expectation is not JSON, such as {"operation":"getVerificationRequest","times":{"exactly":1}}: %s`, argument)
	}
	return []byte(argument), nil
}

func expectationOfFlags(c *cli.Command) (map[string]any, error) {
	expected, match, times := make(map[string]any), make(map[string]any), make(map[string]any)
	for flag, in := range map[string]map[string]any{"operation": expected, "method": match, "path": match, "status": match} {
		if value := c.String(flag); value != "" {
			in[flag] = value
		}
	}
	if body := c.String("body"); body != "" {
		if !json.Valid([]byte(body)) {
			return nil, fmt.Errorf("--body %s is not JSON", body)
		}
		match["body"] = map[string]any{"contains": json.RawMessage(body)}
	}
	for _, flag := range []string{"exactly", "at-least", "at-most"} {
		if c.IsSet(flag) {
			times[strings.ReplaceAll(flag, "-", "_")] = c.Int(flag)
		}
	}
	for name, part := range map[string]map[string]any{"match": match, "times": times} {
		if len(part) > 0 {
			expected[name] = part
		}
	}
	return expected, nil
}

type verdict struct {
	api.ErrorEnvelope
	Count   *int
	Nearest []struct {
		summary
		Differences []string
	}
}

func verifyJournal(ctx context.Context, c *cli.Command) error {
	expected, err := expectation(c)
	if err != nil {
		return err
	}
	err = show(ctx, c, call{method: http.MethodPost, path: "journal/verify", body: expected}, func(to io.Writer, v verdict) {
		times := strconv.Itoa(*v.Count) + " times"
		if *v.Count == 1 {
			times = "once"
		}
		fmt.Fprintf(to, "it was asked %s\n", times)
	})
	var unmet verdict
	refused := (*refusal)(nil)
	if !errors.As(err, &refused) || refused.status != http.StatusConflict || json.Unmarshal(refused.body, &unmet) != nil || unmet.Count == nil {
		return err
	}
	return errors.Join(printAnswer(c, refused.body, printNearest), failure{errors.New(unmet.Error.Message)})
}

// printNearest prints the requests that come nearest to an expectation that does not hold.
func printNearest(to io.Writer, v verdict) {
	for _, near := range v.Nearest {
		fmt.Fprintf(to, "%s  %s  %s\n", near.ID, near.outcome(), near.target())
		for _, difference := range near.Differences {
			fmt.Fprintf(to, "  - %s\n", difference)
		}
	}
}
