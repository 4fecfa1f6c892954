package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// trialFlags are the flags that make run a trial.
func trialFlags() []cli.Flag {
	const trial = "Trial"
	return []cli.Flag{
		command.Toggle(trial, "trial", "run COMMAND as it is, and again for each part that the contract allows the service to play, and say which it cannot act with"),
		command.Text(trial, "only", "", "play `PART` alone, such as 'cancel: truncated, first call', and print its requests and the output of COMMAND"),
		command.Text(trial, "keep", "", "with --only, write a snapshot of the world in which COMMAND ran to `FILE`"),
		command.Number(trial, "jobs", "run `N` parts at the same time; as many as there are processors unless set"),
		&cli.DurationFlag{Category: trial, Name: "limit", Value: time.Minute, Usage: "end COMMAND when it has not ended after `TIME`: it hangs"},
		&cli.DurationFlag{Category: trial, Name: "patience", Value: 5 * time.Second, Usage: "let a slow answer come after `TIME`, for which no client should wait"},
		command.Texts(trial, "report", "write the parts and verdicts to `FILE`: JUnit if it ends with .xml, else JSON; repeatable"),
		command.Text(trial, "expect", "", "fail only where a verdict is not that of `FILE`, a report in JSON"),
	}
}

// wantsTrial reports whether the flags ask for a trial.
func wantsTrial(c *cli.Command) bool { return c.Bool("trial") || c.String("only") != "" }

// checkTrial returns an error for flags of the trial that exclude each other or have no meaning.
func checkTrial(c *cli.Command) error {
	if !wantsTrial(c) {
		for _, name := range []string{"keep", "jobs", "limit", "patience", "report", "expect"} {
			if c.IsSet(name) {
				return fmt.Errorf("--%s is for a trial: add --trial", name)
			}
		}
	}
	for name, span := range map[string]time.Duration{"limit": c.Duration("limit"), "patience": c.Duration("patience")} {
		if span <= 0 {
			return fmt.Errorf("--%s %s is not a time above 0, such as 5s", name, span)
		}
	}
	switch {
	case c.IsSet("jobs") && c.Int("jobs") < 1:
		return fmt.Errorf("--jobs %d is not a number from 1 on", c.Int("jobs"))
	case c.String("keep") != "" && c.String("only") == "":
		return errors.New("--keep is for one part: name it with --only")
	case c.String("expect") != "" && c.String("only") != "":
		return errors.New("--expect is for all parts: leave --only out")
	case c.String("journal-size") == "0" && wantsTrial(c):
		return errors.New("--journal-size 0 leaves nothing to judge: a trial needs the journal")
	}
	return nil
}

// try tries the command, and prints what it cannot act with.
func try(ctx context.Context, c *cli.Command, t *trial) error {
	before, err := readOutcomes(c.String("expect"))
	if err != nil {
		return err
	}
	t.limit, t.patience = c.Duration("limit"), c.Duration("patience")
	t.jobs = cmp.Or(c.Int("jobs"), runtime.GOMAXPROCS(0))
	t.progress = progress(c)
	baseline, err := t.baseline(ctx)
	if err != nil {
		fmt.Fprint(c.Root().ErrWriter, strings.Map(command.Visible, baseline.output))
		return err
	}
	fmt.Fprintf(c.Root().Writer, "baseline  %s\n", command.Count(len(baseline.entries), "request"))
	groups, met, err := t.plan(ctx, baseline)
	if err != nil {
		return command.Failed(err)
	}
	show := t.all
	if c.String("only") != "" {
		show = t.only
	}
	outcomes, err := show(ctx, c, baseline, groups, met)
	if err != nil {
		return err
	}
	all := append([]outcome{outcomeOf(baseline, baseline)}, outcomes...)
	for _, path := range c.StringSlice("report") {
		if err := writeReport(path, all); err != nil {
			return err
		}
	}
	if before != nil {
		return expected(c, before, all)
	}
	return verdictOn(outcomes)
}

// all plays all parts, and prints how they went. The baseline meets some that are left out.
func (t *trial) all(ctx context.Context, c *cli.Command, baseline attempt, groups []group, met int) (outcomes []outcome, err error) {
	attempts, same, err := t.play(ctx, baseline, groups)
	if err != nil {
		return nil, command.Failed(err)
	}
	for _, a := range attempts {
		outcomes = append(outcomes, outcomeOf(a, baseline))
	}
	out := c.Root().Writer
	fmt.Fprintf(out, "trial     %s; left out are %d that the baseline meets, and %d that another part has shown to be the same\n", command.Count(len(outcomes), "part"), met, same)
	printOutcomes(out, outcomes, command.Colors(out))
	return outcomes, nil
}

// expected returns an error for outcomes that differ from those of a report.
func expected(c *cli.Command, before, outcomes []outcome) error {
	changed := changes(before, outcomes)
	if len(changed) == 0 {
		return nil
	}
	fmt.Fprintf(c.Root().Writer, "\nchanged   %s\n  %s\n", command.Count(len(changed), "part"), strings.Join(changed, "\n  "))
	return command.Failed(fmt.Errorf("the trial is not as %s has it: %s changed", c.String("expect"), command.Count(len(changed), "part")))
}

// verdictOn returns an error for bad outcomes.
func verdictOn(outcomes []outcome) error {
	counts := make(map[verdict]int)
	for _, o := range outcomes {
		counts[o.Verdict]++
	}
	var bad []string
	for _, v := range verdict("").Values() {
		if v.bad() && counts[v] > 0 {
			bad = append(bad, fmt.Sprintf("%s in %d", v, counts[v]))
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return command.Failed(fmt.Errorf("of %s the command %s: repeat one with --only PART", command.Count(len(outcomes), "part"), strings.Join(bad, ", ")))
}

// only plays one part, and prints its requests.
func (t *trial) only(ctx context.Context, c *cli.Command, baseline attempt, groups []group, _ int) ([]outcome, error) {
	var names []string
	parts := slices.Concat(groups...)
	for _, p := range parts {
		names = append(names, p.name)
	}
	wanted, out := c.String("only"), c.Root().Writer
	i := slices.Index(names, wanted)
	if i < 0 {
		return nil, fmt.Errorf("--only %q is no part of this command%s", wanted, api.DidYouMean(wanted, names, ": --trial lists them"))
	}
	a, err := t.attempt(ctx, parts[i], "only")
	if err != nil {
		return nil, command.Failed(err)
	}
	o := outcomeOf(a, baseline)
	fmt.Fprintf(out, "\n%s\n\n", strings.TrimSpace(fmt.Sprintf("%s  %s\n      %s", o.Verdict.shown(command.Colors(out)), o.Part, o.Why)))
	for _, r := range o.Requests {
		fmt.Fprintf(out, "%s %s -> %s\n", r.Method, command.InLine(r.Path), r.Answer)
		for _, line := range r.Diagnosis {
			fmt.Fprintf(out, "    %s\n", command.InLine(line))
		}
	}
	fmt.Fprintf(out, "\n%s", strings.Map(command.Visible, a.output))
	if path := c.String("keep"); path != "" {
		text, err := a.world.Snapshot(ctx)
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			return nil, command.Failed(err)
		}
	}
	return []outcome{o}, nil
}

// progress returns what shows how much of a trial is done, on a terminal alone.
func progress(c *cli.Command) func(done, all int) {
	to := c.Root().ErrWriter
	if !command.IsTerminal(to) {
		return func(int, int) {}
	}
	return func(done, all int) {
		const width = 40
		fmt.Fprintf(to, "\r[%-*s] %d of %d", width, strings.Repeat("#", width*done/all), done, all)
		if done == all {
			fmt.Fprint(to, "\r\x1b[K")
		}
	}
}
