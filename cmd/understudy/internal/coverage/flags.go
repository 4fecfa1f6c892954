package coverage

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
)

// Flags are the flags that measure the coverage.
func Flags() []cli.Flag {
	const category = "Coverage"
	return []cli.Flag{
		command.Toggle(category, "coverage", "say which documented statuses, values and nulls COMMAND has met, and which magic value shows each of the others"),
		command.Text(category, "coverage-min", "", "fail when COMMAND has met less than `SHARE`, such as 60%"),
		command.Text(category, "coverage-report", "", "write the coverage to `FILE`, as JSON"),
	}
}

// wanted reports whether the flags ask for the coverage.
func wanted(c *cli.Command) bool {
	return c.Bool("coverage") || c.String("coverage-min") != "" || c.String("coverage-report") != ""
}

// Of returns the coverage that the flags ask for, or that is needed, nil for none.
func Of(c *cli.Command, needed bool) (*Coverage, error) {
	least, err := leastShare(c)
	if err != nil || !needed && !wanted(c) {
		return nil, err
	}
	covered, err := New()
	if err == nil {
		covered.least = least
	}
	return covered, err
}

// leastShare parses --coverage-min, in percent.
func leastShare(c *cli.Command) (float64, error) {
	text := c.String("coverage-min")
	if text == "" {
		return 0, nil
	}
	share, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || share < 0 || share > 100 {
		return 0, command.Misused(c, "coverage-min", "is not a share such as 60%%")
	}
	return share, nil
}

// Report prints the coverage, and writes it, as the flags say. Its error says that it is too small.
func (c *Coverage) Report(ctx context.Context, flags *cli.Command, e *emulator.Emulator) error {
	if !wanted(flags) {
		return nil
	}
	if err := c.find(ctx, e); err != nil {
		return command.Failed(err)
	}
	if flags.Bool("coverage") {
		c.print(flags.Root().Writer)
	}
	if path := flags.String("coverage-report"); path != "" {
		text, err := json.MarshalIndent(c.all, "", "  ")
		if err := command.WriteFile(path, "coverage", text, err); err != nil {
			return err
		}
	}
	if met, all := c.share(); float64(100*met) < c.least*float64(all) {
		return command.Failed(fmt.Errorf("the command has met %d of %d documented answers, and --coverage-min is %s: --coverage lists the others", met, all, flags.String("coverage-min")))
	}
	return nil
}
