// Package compare has the command that compares a real sandbox with the OpenAPI document and with the emulator: requests go in, and
// a report of paths and kinds comes out, without values.
package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

func Command() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "exit 1 if the answers of a real sandbox drift from the document, or from ours",
		ArgsUsage: "[ID...]",
		Description: `It reads verification requests and qualification checks of a sandbox of the real service, and reports where the answers leave the
OpenAPI document, and where they differ from our answers of the same shape. Examples, with the key in SANDBOX_KEY:

   understudy compare --upstream https://sandbox.example.com --key-env SANDBOX_KEY vr_123 qc_9
   understudy compare --upstream https://sandbox.example.com --key-env SANDBOX_KEY --requests reads.txt
   understudy compare --upstream https://sandbox.example.com --key-env SANDBOX_KEY vr_123 --ignore 'reports.*.paystubs.*.memo'

An ID begins with vr_ or qc_, or is a path such as /verification-requests/ID?income_analytics=true. The file has such reads, one
a line; lines that begin with # are comments:

   # a completed request, and a check
   GET /verification-requests/vr_123?income_analytics=true
   GET /qualification-checks/qc_9

The report has paths and kinds, and no values. A pattern of --ignore has the segments of a path; * is any text within one,
and what is below is ignored too. Only GETs are sent, one after the other, five a second at most, and only with the secret key of a
sandbox: any other key is refused before a request leaves.`,
		Flags: []cli.Flag{
			command.Text("", "upstream", "", "read from the sandbox at `URL`; https, or http on this machine"),
			command.Text("", "key-env", "", "send the key that the environment variable `NAME` has"),
			command.Text("", "key-prefix", "svc", "require a key that begins with `PREFIX` and _sk_test_"),
			command.Text("", "requests", "", "send the reads in `FILE`, too; - is standard input"),
			command.Texts("", "ignore", "report no findings at paths that match `PATTERN`; repeatable"),
			command.Text("", "ca", "", "trust the certificate authority in `FILE` (PEM) too"),
			command.JSONFlag(""),
		},
		Action: compareAnswers,
	}
}

func compareAnswers(ctx context.Context, c *cli.Command) error {
	in, err := readComparison(c)
	if err != nil {
		return err
	}
	report, err := compare(ctx, in)
	if err != nil {
		return command.Failed(fmt.Errorf("no answer from %s: %w", c.String("upstream"), err))
	}
	var out strings.Builder
	if c.Bool("json") {
		err = json.NewEncoder(&out).Encode(report)
	} else {
		printReport(&out, report)
	}
	if err := cmp.Or(err, command.Write(c, out.String())); err != nil {
		return command.Failed(err)
	}
	switch {
	case report.Findings > 0:
		return command.Failed(errors.New(summaryOf(report)))
	case !slices.ContainsFunc(report.Requests, func(r Result) bool { return r.Status != http.StatusUnauthorized }):
		return command.Failed(fmt.Errorf("nothing is compared: %s answers every request with 401: put a valid key into %s", c.String("upstream"), c.String("key-env")))
	}
	return nil
}

// readComparison parses the flags and arguments of compare. Its errors contain no key.
func readComparison(c *cli.Command) (in options, err error) {
	if err := emulator.Check(emulator.WithKeyPrefix(c.String("key-prefix"))); err != nil {
		return in, command.Named(c, "key-prefix", err)
	}
	if url := c.String("upstream"); url != "" {
		if err := checkURL(url); err != nil {
			return in, fmt.Errorf("%s %w", command.Given(c, "upstream"), err)
		}
	}
	key, err := keyFromEnvironment(c)
	if err != nil {
		return in, err
	}
	for _, pattern := range c.StringSlice("ignore") {
		if err := checkPattern(pattern); err != nil {
			return in, command.Named(c, "ignore", err)
		}
	}
	requests, err := readRequests(c)
	if err != nil {
		return in, err
	}
	transport, err := command.NewTransport(c)
	if err != nil {
		return in, err
	}
	switch {
	case c.String("upstream") == "":
		return in, errors.New("compare needs a sandbox: name its address with --upstream")
	case key == "":
		return in, errors.New("compare needs a key: name the environment variable that has it with --key-env")
	case len(requests) == 0:
		return in, errors.New("compare needs requests: name ids such as vr_123, or a file with --requests")
	case len(requests) > maxRequests:
		return in, fmt.Errorf("%d requests are too many: send at most %d at a time", len(requests), maxRequests)
	}
	return options{newUpstream(c.String("upstream"), key, transport), requests, c.StringSlice("ignore")}, nil
}

// variableName matches the names of variables that compare shows. Another text may be a key.
var variableName = expression(`^[A-Z][A-Z0-9_]*$`)

// keyFromEnvironment returns the key in the variable of --key-env, "" without the flag.
func keyFromEnvironment(c *cli.Command) (string, error) {
	name := c.String("key-env")
	if name == "" {
		return "", nil
	}
	if !variableName().MatchString(name) {
		return "", fmt.Errorf("%s takes the name of an environment variable in upper case, such as SANDBOX_KEY, and no key", command.Given(c, "key-env"))
	}
	key := os.Getenv(name)
	if key == "" {
		return "", fmt.Errorf("%s: the environment variable %s is not set", command.Given(c, "key-env"), name)
	}
	if err := checkKey(c.String("key-prefix"), key); err != nil {
		return "", fmt.Errorf("the value of %s %w", name, err)
	}
	return key, nil
}

// readRequests returns the reads of the arguments and of --requests.
func readRequests(c *cli.Command) (all []Request, err error) {
	for _, argument := range c.Args().Slice() {
		request, err := parseArgument(argument)
		if err != nil {
			return nil, err
		}
		all = append(all, request)
	}
	file := c.String("requests")
	if file == "" {
		return all, nil
	}
	text, err := command.ReadInput(c, file)
	if err != nil {
		return nil, command.Named(c, "requests", err)
	}
	requests, err := parseFile(file, string(text))
	return append(all, requests...), err
}

// printReport prints the requests that have findings, and a summary if none has.
func printReport(to io.Writer, report Report) {
	for _, result := range report.Requests {
		if len(result.Findings) == 0 {
			continue
		}
		outcome := "no answer"
		if result.Status != 0 {
			outcome = fmt.Sprint(result.Status)
		}
		if result.Ours != "" {
			outcome += ", compared with " + result.Ours
		}
		var rows [][]string
		for _, f := range result.Findings {
			rows = append(rows, []string{"  " + f.Kind, f.Path, f.Text})
		}
		command.PrintRows(to, result.Request+": "+outcome, rows)
		fmt.Fprintln(to)
	}
	if report.Findings == 0 {
		fmt.Fprintln(to, summaryOf(report))
	}
}

// summaryOf returns the numbers of a report in words. Errors are counted, because they hide what the sandbox would answer.
func summaryOf(report Report) string {
	drifting, refused := 0, 0
	for _, result := range report.Requests {
		if len(result.Findings) > 0 {
			drifting++
		}
		if result.Status >= 400 {
			refused++
		}
	}
	drift := "no drift"
	if drifting > 0 {
		drift = fmt.Sprintf("drift in %d, %s", drifting, command.Count(report.Findings, "finding"))
	}
	summary := command.Count(len(report.Requests), "request") + ": " + drift
	if report.Ignored > 0 {
		summary += fmt.Sprintf(", %d ignored", report.Ignored)
	}
	if refused > 0 {
		summary += fmt.Sprintf(" (%d answered with an error)", refused)
	}
	return summary
}
