// Package coverage measures which documented answers a command has met. Its answers flow in one by one; out flows a list of the statuses
// of operations, the values of enumerations and the nulls of the document, each with whether it was met and the magic value that shows it.
package coverage

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

// Coverage is which documented answers have been met.
type Coverage struct {
	least float64 // of all, in percent

	mu       sync.Mutex
	all      []*Answer
	byName   map[string]*Answer
	document map[string]document.Operation // by id
}

// Answer is a documented answer.
type Answer struct {
	Kind  string `json:"kind"`  // one of kinds
	Name  string `json:"name"`  // such as cancelVerificationRequest 403, or reports.*.employee.status = inactive
	Met   bool   `json:"met"`   // by the command
	Magic string `json:"magic"` // a magic value that shows it; "" where the catalogue has none
}

// kinds are those of documented answers, in the order in which they are shown.
var kinds = []string{"status", "value", "null"}

// New returns the documented answers of all operations, none of them met.
func New() (*Coverage, error) {
	c := &Coverage{byName: make(map[string]*Answer), document: make(map[string]document.Operation)}
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
		for path, field := range c.Fields(op) {
			for _, word := range field.Words {
				c.add("value", ValueName(path, word))
			}
			if slices.Contains(field.Types, "null") {
				c.add("null", ValueName(path, "null"))
			}
		}
	}
	slices.SortFunc(c.all, func(a, b *Answer) int {
		if a.Kind != b.Kind {
			return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind)
		}
		return strings.Compare(a.Name, b.Name)
	})
	return c, nil
}

func statusName(op api.Operation, status int) string { return op.Name + " " + strconv.Itoa(status) }

// ValueName names a value at a path of a document.
func ValueName(path, value string) string { return path + " = " + value }

// Fields returns the fields of the answer of an operation that succeeds.
func (c *Coverage) Fields(op api.Operation) document.Fields {
	return c.document[op.Name].Responses[op.Success].Body
}

// Met reports whether a value at a path has been met.
func (c *Coverage) Met(path, value string) bool { return c.byName[ValueName(path, value)].Met }

func (c *Coverage) add(kind, name string) {
	if c.byName[name] == nil {
		c.byName[name] = &Answer{Kind: kind, Name: name}
		c.all = append(c.all, c.byName[name])
	}
}

// Meet counts an answer that the command has met, or that a magic value shows.
func (c *Coverage) Meet(method, path string, status int, body []byte, magic string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, op := range api.Operations() {
		if _, ok := IDIn(op, path); !ok || op.Method != method {
			continue
		}
		c.see(statusName(op, status), magic)
		var value any
		if status == op.Success && json.Unmarshal(body, &value) == nil {
			c.Fields(op).Walk("", value, func(at string, value any) bool {
				switch value := value.(type) {
				case nil:
					c.see(ValueName(at, "null"), magic)
				case string:
					c.see(ValueName(at, value), magic)
				}
				return true
			})
		}
	}
}

func (c *Coverage) see(name, magic string) {
	switch one := c.byName[name]; {
	case one == nil: // the document does not have it
	case magic == "":
		one.Met = true
	case one.Magic == "" || len(magic) < len(one.Magic): // the plainest one
		one.Magic = magic
	}
}

// find finds the magic values that show each answer: it asks for each of the catalogue, in a dry run.
func (c *Coverage) find(ctx context.Context, e *emulator.Emulator) error {
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
			c.Meet(sample.Method, r.URL.Path, shown.Status, shown.Body, sample.Magic.Value)
		}
	}
	return nil
}

// share returns how many of the documented answers have been met.
func (c *Coverage) share() (met, all int) {
	for _, one := range c.all {
		if one.Met {
			met++
		}
	}
	return met, len(c.all)
}

// print prints what has been met, and for each answer that has not the magic value that shows it.
func (c *Coverage) print(to io.Writer) {
	met, all := c.share()
	fmt.Fprintf(to, "\ncoverage  %d of %d documented answers (%d %%)\n", met, all, 100*met/all)
	for _, kind := range kinds {
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

// IDIn returns the id in the path of a request, "" for an operation without one; ok is false for the path of another operation.
func IDIn(op api.Operation, path string) (id string, ok bool) {
	before, after, has := strings.Cut(op.Path, ":id")
	path, begins := strings.CutPrefix(strings.TrimSuffix(path, "/"), before)
	id, ends := strings.CutSuffix(path, after)
	return id, begins && ends && (id != "") == has && !strings.Contains(id, "/")
}
