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
)

func verifyCommand() *cli.Command {
	text := func(name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Sources: fromEnvironment(name), Usage: usage}
	}
	return &cli.Command{
		Name: "verify", Usage: "exit 1 unless something was asked as often as it should have been", ArgsUsage: "[EXPECTATION]",
		Description: `What is expected is said by flags, or as the JSON that the control plane takes. Examples:

   understudy journal verify --operation getVerificationRequest                      once or more
   understudy journal verify --path /verification-requests/vr_1/cancel --at-most 0   never
   understudy journal verify --body '{"cancellation_reason":"competitor"}' --exactly 2
   understudy journal verify '{"match":{"headers":{"User-Agent":{"contains":"acme"}}},"times":{"at_least":3}}'`,
		Flags: []cli.Flag{
			text("operation", "requests of the operation `NAME`"),
			text("method", "with the method `METHOD`"),
			text("path", "of exactly the path `PATH`"),
			text("status", "that were answered `STATUS`, such as 404 or 4xx"),
			text("body", "whose body has all that the `JSON` has"),
			text("exactly", "asked `N` times"),
			text("at-least", "asked `N` times or more; once or more is what is expected by default"),
			text("at-most", "asked `N` times or less"),
		},
		OnUsageError: onUsageError,
		Action:       verifyJournal,
	}
}

// expectation returns what the argument or the flags say, as the control plane takes it.
func expectation(c *cli.Command) ([]byte, error) {
	said, err := expectationOfFlags(c)
	if err != nil {
		return nil, err
	}
	switch {
	case c.Args().Len() > 1:
		return nil, fmt.Errorf("%s takes one expectation, but was given %d", c.FullName(), c.Args().Len())
	case !c.Args().Present():
		return json.Marshal(said)
	case len(said) > 0:
		return nil, errors.New("say what is expected by flags or as JSON, not both")
	case !json.Valid([]byte(c.Args().First())):
		return nil, fmt.Errorf(`the expectation is not JSON, such as {"operation":"getVerificationRequest","times":{"exactly":1}}: %s`, c.Args().First())
	}
	return []byte(c.Args().First()), nil
}

func expectationOfFlags(c *cli.Command) (map[string]any, error) {
	said, match, times := make(map[string]any), make(map[string]any), make(map[string]any)
	for flag, place := range map[string]map[string]any{"operation": said, "method": match, "path": match, "status": match} {
		if value := c.String(flag); value != "" {
			place[flag] = value
		}
	}
	if body := c.String("body"); body != "" {
		if !json.Valid([]byte(body)) {
			return nil, fmt.Errorf("--body %s is not JSON", body)
		}
		match["body"] = map[string]any{"contains": json.RawMessage(body)}
	}
	for _, flag := range []string{"exactly", "at-least", "at-most"} {
		value := c.String(flag)
		if value == "" {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, fmt.Errorf("--%s %q is not a whole number", flag, value)
		}
		times[strings.ReplaceAll(flag, "-", "_")] = n
	}
	for name, part := range map[string]map[string]any{"match": match, "times": times} {
		if len(part) > 0 {
			said[name] = part
		}
	}
	return said, nil
}

// verdict is what became of an expectation.
type verdict struct {
	Error *struct {
		Message string `json:"message"`
	} `json:"error"`
	Count   *int `json:"count"`
	Nearest []struct {
		asked
		Differences []string `json:"differences"`
	} `json:"nearest"`
}

func verifyJournal(ctx context.Context, c *cli.Command) error {
	expected, err := expectation(c)
	if err != nil {
		return err
	}
	r, err := newRemoteWorld(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(ctx, http.MethodPost, "journal/verify", nil, expected)
	if refused := (*refusal)(nil); errors.As(err, &refused) && refused.status == http.StatusConflict {
		return r.unmet(refused, err)
	}
	if err != nil {
		return err
	}
	return tell(r, answer, func(to io.Writer, v verdict) { fmt.Fprintf(to, "it was asked %s\n", times(*v.Count)) })
}

// unmet prints what was asked instead. Its error says that the expectation does not hold; what else was refused stays as it is.
func (r *remote) unmet(refused *refusal, err error) error {
	var v verdict
	if json.Unmarshal(refused.body, &v) != nil || v.Count == nil {
		return err
	}
	said := tell(r, refused.body, func(to io.Writer, v verdict) {
		for _, near := range v.Nearest {
			fmt.Fprintf(to, "%s  %s  %s\n", near.ID, near.outcome(), near.target())
			for _, difference := range near.Differences {
				fmt.Fprintf(to, "  - %s\n", difference)
			}
		}
	})
	if said != nil {
		return said
	}
	return failure{errors.New(v.Error.Message)}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}
