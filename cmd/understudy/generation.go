package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// readGeneration reads the flags of generate, and reports all that are wrong.
func readGeneration(c *cli.Command) (g generation, err error) {
	seed, seedErr := parseSeed(c.String("seed"))
	g.from = fixtures.Generator{Seed: seed}
	count, countErr := strconv.Atoi(c.String("count"))
	if countErr != nil || count < 1 {
		countErr = fmt.Errorf("--count %q is not a whole number above 0", c.String("count"))
	}
	at, atErr := parseInstant(c.String("at"))
	format := c.String("format")
	var formatErr error
	if format != "json" && format != "ndjson" {
		formatErr = fmt.Errorf("--format %q is neither json nor ndjson", format)
	}
	g.count, g.at, g.lines, g.analytics = count, at, format == "ndjson", c.Bool("analytics")
	return g, errors.Join(seedErr, countErr, atErr, formatErr, g.readPerson(c), g.readShape(c))
}

func parseInstant(text string) (time.Time, error) {
	instant, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return instant, fmt.Errorf("--at %q is not an RFC 3339 instant such as %s", text, generatedAt)
	}
	if _, err := clockAt(instant); err != nil {
		return instant, fmt.Errorf("--at %q: %w", text, err)
	}
	return instant.UTC(), nil
}

// readPerson reads who the documents are about.
func (g *generation) readPerson(c *cli.Command) error {
	id, number := c.String("id"), c.String("ssn")
	if (id != "" || number != "") && c.String("count") != "1" {
		return errors.New("--count is for documents of many people: leave --id and --ssn out")
	}
	g.id, g.identity = id, id
	if number == "" {
		return nil
	}
	ssn, err := api.ParseSSN(number)
	if err != nil {
		return fmt.Errorf("--ssn %w", err)
	}
	g.identity, g.lastFour = g.from.Identity(ssn), ssn.LastFour()
	return nil
}

// readShape reads what documents look like.
func (g *generation) readShape(c *cli.Command) error {
	for _, setting := range c.StringSlice("set") {
		if below, ok := strings.CutPrefix(setting, "report."); ok {
			g.ofReport = append(g.ofReport, below)
		} else {
			g.own = append(g.own, setting)
		}
	}
	g.scenario = new(scenarios.Scenario)
	name := c.String("scenario")
	if name == "" {
		return nil
	}
	catalogue, err := scenarios.Builtin()
	if err != nil {
		return err
	}
	if g.scenario = catalogue.ByName(name); g.scenario != nil {
		return nil
	}
	var names []string
	for _, s := range catalogue.All() {
		names = append(names, s.Name)
	}
	if nearest, ok := api.Nearest(name, names); ok {
		return fmt.Errorf("--scenario %q is none: did you mean %s?", name, nearest)
	}
	return fmt.Errorf("--scenario %q is none: see understudy scenarios list", name)
}

// batchSize is how many documents a worker makes at once.
const batchSize = 256

// print writes the documents in their order, in memory that does not depend on how many there are.
func (g generation) print(ctx context.Context, stdout, stderr io.Writer, documents generator) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	out := bufio.NewWriterSize(stdout, 1<<20)
	bar := g.progress(stderr)
	list := g.count > 1 && !g.lines
	if list {
		out.WriteString("[\n")
	}
	first := 1
	for made := range g.make(ctx, documents) {
		next := <-made
		if next.err != nil {
			return next.err
		}
		if _, err := out.Write(next.text); err != nil {
			return err
		}
		size := min(batchSize, g.count-first+1)
		first += size
		_ = bar.Add(size) // a bar that cannot be drawn is not drawn
	}
	if list {
		out.WriteString("]\n")
	}
	_ = bar.Finish()
	return errors.Join(out.Flush(), context.Cause(ctx))
}

// batch is the text of some documents.
type batch struct {
	text []byte
	err  error
}

// make makes the documents in batches, on all cores and a little ahead of its reader. It ends early with ctx.
func (g generation) make(ctx context.Context, documents generator) <-chan chan batch {
	queue := make(chan chan batch, 2*runtime.GOMAXPROCS(0))
	go func() {
		defer close(queue)
		for first := 1; first <= g.count; first += batchSize {
			made := make(chan batch, 1)
			select {
			case queue <- made:
			case <-ctx.Done():
				return
			}
			go func() {
				text, err := g.encode(documents, first, min(first+batchSize-1, g.count))
				made <- batch{text, err}
			}()
		}
	}()
	return queue
}

// encode returns the JSON of documents by their numbers, from 1.
func (g generation) encode(documents generator, first, last int) ([]byte, error) {
	var text bytes.Buffer
	for number := first; number <= last; number++ {
		document, err := api.Render(documents(number))
		if err != nil {
			return nil, err
		}
		switch {
		case g.lines:
			text.Write(document)
		case g.count == 1:
			err = json.Indent(&text, document, "", "  ")
		default:
			text.WriteString("  ")
			err = json.Indent(&text, document, "  ", "  ")
			if number < g.count {
				text.WriteByte(',')
			}
		}
		if err != nil {
			return nil, err
		}
		text.WriteByte('\n')
	}
	return text.Bytes(), nil
}

// progress is a bar where somebody watches, and where there is something to wait for.
func (g generation) progress(stderr io.Writer) *progressbar.ProgressBar {
	terminal, ok := stderr.(*os.File)
	if !ok || g.count < 10*batchSize || !isTerminal(terminal) {
		return progressbar.DefaultSilent(int64(g.count))
	}
	return progressbar.NewOptions(g.count,
		progressbar.OptionSetWriter(terminal), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth(),
	)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
