package run

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// coverage is which documented answers have been met: statuses of operations, values of enumerations, and nulls.
type coverage struct {
	least float64 // of all, in percent

	mu       sync.Mutex
	all      []*covered
	byName   map[string]*covered
	document map[string]document.Operation // by id
}

// covered is a documented answer.
type covered struct {
	Kind  string `json:"kind"`  // status, value or null
	Name  string `json:"name"`  // such as cancelVerificationRequest 403, or reports.*.employee.status = inactive
	Met   bool   `json:"met"`   // by the command
	Magic string `json:"magic"` // a magic value that shows it; "" where the catalogue has none
}

// newCoverage returns the documented answers of all operations, none of them met.
func newCoverage() (*coverage, error) {
	c := &coverage{byName: make(map[string]*covered), document: make(map[string]document.Operation)}
	all, err := document.Operations()
	if err != nil {
		return nil, err
	}
	for _, op := range all {
		c.document[op.ID] = op
	}
	for _, op := range api.Operations() {
		for status := range c.document[op.Name].Responses {
			c.add("status", statusName(op, status))
		}
		for path, field := range c.document[op.Name].Responses[op.Success].Body {
			for _, word := range field.Words {
				c.add("value", valueName(path, word))
			}
			if slices.Contains(field.Types, "null") {
				c.add("null", valueName(path, "null"))
			}
		}
	}
	kinds := []string{"status", "value", "null"}
	slices.SortFunc(c.all, func(a, b *covered) int {
		if a.Kind != b.Kind {
			return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return c, nil
}

func statusName(op api.Operation, status int) string { return op.Name + " " + strconv.Itoa(status) }

func valueName(path, value string) string { return path + " = " + value }

func (c *coverage) add(kind, name string) {
	if c.byName[name] == nil {
		c.byName[name] = &covered{Kind: kind, Name: name}
		c.all = append(c.all, c.byName[name])
	}
}

// meet counts an answer that the command has met, or that a magic value shows.
func (c *coverage) meet(method, path string, status int, body []byte, magic string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, op := range api.Operations() {
		if _, ok := idIn(op, path); !ok || op.Method != method {
			continue
		}
		c.see(statusName(op, status), magic)
		var value any
		if status == op.Success && json.Unmarshal(body, &value) == nil {
			c.walk(c.document[op.Name].Responses[status].Body, "", value, magic)
		}
	}
}

func (c *coverage) walk(fields document.Fields, at string, value any, magic string) {
	switch value := value.(type) {
	case nil:
		c.see(valueName(at, "null"), magic)
	case string:
		c.see(valueName(at, value), magic)
	case []any:
		for _, element := range value {
			c.walk(fields, document.Join(at, "*"), element, magic)
		}
	case map[string]any:
		for key, inner := range value {
			if below := fields.Below(at, key); below != "" {
				c.walk(fields, below, inner, magic)
			}
		}
	}
}

func (c *coverage) see(name, magic string) {
	switch one := c.byName[name]; {
	case one == nil: // the document does not have it
	case magic == "":
		one.Met = true
	case one.Magic == "" || len(magic) < len(one.Magic): // the plainest one
		one.Magic = magic
	}
}

// find finds the magic values that show each answer: it asks for each of the catalogue, in a dry run.
func (c *coverage) find(ctx context.Context, e *emulator.Emulator) error {
	catalogue, err := scenarios.Load()
	if err != nil {
		return err
	}
	w, err := e.World(e.Key("trial_catalogue"))
	if err != nil {
		return err
	}
	for _, s := range catalogue.All() {
		for _, sample := range s.Samples(false) {
			r, err := http.NewRequestWithContext(ctx, sample.Method, sample.Target, strings.NewReader(sample.Body))
			if err != nil {
				return err
			}
			r.Header.Set("Accept", c.document[sample.Name].Accept)
			r.Header.Set("Content-Type", "application/json")
			shown, err := e.Resolve(ctx, w, r)
			if err != nil {
				return err
			}
			c.meet(sample.Method, r.URL.Path, shown.Status, shown.Body, sample.Magic.Value)
		}
	}
	return nil
}

// share returns how many of the documented answers have been met.
func (c *coverage) share() (met, all int) {
	for _, one := range c.all {
		if one.Met {
			met++
		}
	}
	return met, len(c.all)
}

// print prints what has been met, and for each answer that has not the magic value that shows it.
func (c *coverage) print(to io.Writer) {
	met, all := c.share()
	fmt.Fprintf(to, "\ncoverage  %d of %d documented answers (%d %%)\n", met, all, 100*met/all)
	for _, kind := range []string{"status", "value", "null"} {
		var rows [][]string
		met, all := 0, 0
		for _, one := range c.all {
			if one.Kind != kind {
				continue
			}
			if all++; one.Met {
				met++
				continue
			}
			rows = append(rows, []string{"  " + one.Name, cmp.Or(one.Magic, "-")})
		}
		fmt.Fprintf(to, "\n%s  %d of %d are met; missing:\n", kind, met, all)
		command.PrintRows(to, "  ANSWER|SHOWN BY", rows)
	}
}

// write writes the answers to a file, as JSON.
func (c *coverage) write(path string) error {
	text, err := json.MarshalIndent(c.all, "", "  ")
	return writeText(path, "coverage", text, err)
}
