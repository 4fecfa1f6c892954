package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/snapshot"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// checked is what is known of a snapshot while its lines are checked, one after the other.
type checked struct {
	head  Snapshot
	files scenarios.Files
	texts int            // number of these
	size  int            // of these, in bytes
	group snapshot.Group // of the last line
	world *Tx            // the restored world, once its scenarios are known; it has no store

	journal *journal.Checker
	entries int
	dropped uint64
}

// check checks a snapshot.
func (w *World) check(ctx context.Context, d snapshot.Text) (*checked, error) {
	c := &checked{journal: w.worlds.config.Journal.Checker()}
	for l, err := range d.Lines() {
		if err == nil {
			err = c.line(ctx, w, l)
		}
		if err != nil {
			return nil, err
		}
	}
	if c.group != snapshot.End {
		return nil, snapshot.Refused("it is not whole: its last line has the key " + snapshot.EndKey)
	}
	return c, nil
}

func (c *checked) line(ctx context.Context, w *World, l snapshot.Line) error {
	if l.Number == 1 {
		return c.begin(l)
	}
	at := l.Group()
	if at < c.group || c.group == snapshot.End {
		return l.Refused("is not in its place: the keys of scenario/ come first, then all others, then those of journal/, then end")
	}
	if c.group = at; at == snapshot.Scenarios {
		return c.scenario(l)
	}
	if c.world == nil {
		if err := w.Do(ctx, func(tx *Tx) (err error) { c.world, err = c.restored(tx); return err }); err != nil {
			return err
		}
	}
	var err error
	switch at {
	case snapshot.End:
		err = stored.Strictly(l.Value, func(e snapshot.Ending) error {
			c.dropped = e.Dropped
			return stored.CheckCounts("", map[string]int{"journal_dropped": int(min(e.Dropped, math.MaxInt))})
		})
	case snapshot.Journal:
		err = c.entry(l)
	default:
		err = c.world.check(l.Key, l.Value)
	}
	if err != nil {
		return l.Refused(err.Error())
	}
	return nil
}

// begin checks the first line.
func (c *checked) begin(l snapshot.Line) error {
	var format struct {
		Version int `json:"understudy_snapshot"`
	}
	err := jsonv2.Unmarshal(l.Value, &format)
	if err == nil && format.Version != SnapshotVersion && format.Version != 0 {
		return snapshot.Refused(fmt.Sprintf("understudy_snapshot must be %d, as this release writes it, and is %d: restore it by the release that took it",
			SnapshotVersion, format.Version))
	}
	if err == nil {
		err = jsonv2.Unmarshal(l.Value, &c.head, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return l.Unreadable(err, false)
	}
	if lack := api.Missing(l.Value, reflect.TypeFor[Snapshot]()); lack != "" {
		return l.Refused("lacks something: " + lack)
	}
	if err := c.head.check(); err != nil {
		return snapshot.Refused(err.Error())
	}
	return nil
}

// scenario takes the text of a scenario file.
func (c *checked) scenario(l snapshot.Line) error {
	i := slices.IndexFunc(c.head.Scenarios, func(f catalogues.File) bool { return f.Stored() == l.Key })
	if i < 0 {
		return l.Refused("is the text of no file in scenarios of the first line")
	}
	text, err := jsontext.AppendUnquote(nil, l.Value)
	if err != nil {
		return l.Unreadable(err, false)
	}
	if c.size += len(text); c.size <= catalogues.MaxText { // else its size is refused
		c.files = c.files.With(catalogues.FileName(c.head.Scenarios[i].Name), text)
	}
	c.texts++
	return nil
}

// restored returns the restored world, with the catalogue of its scenario files.
func (c *checked) restored(tx *Tx) (restored *Tx, err error) {
	if named := len(c.head.Scenarios); c.texts != named {
		return nil, snapshot.Refused(fmt.Sprintf("scenarios of the first line are %d, and the texts of %d follow", named, c.texts))
	}
	if restored, err = tx.restored(c.head); err != nil {
		return nil, err
	}
	restored.Catalogue, err = tx.worlds.Limited(c.files, c.size)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return nil, snapshot.Refused("its scenario files are invalid:\n" + problems.Error())
	}
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return nil, snapshot.Refused(refusal.Message)
	}
	return restored, err
}

// entry checks an entry of the journal.
func (c *checked) entry(l snapshot.Line) error {
	var e *journal.Entry
	if err := jsonv2.Unmarshal(l.Value, &e); err != nil {
		return errors.New("cannot be read: " + api.ExplainJSON(err))
	}
	if err := c.journal.Check(e); err != nil {
		return err
	}
	if key := snapshot.EntryKey(e); key != l.Key {
		return errors.New("has the sequence of the key " + key)
	}
	c.entries++
	return nil
}

// check returns an error for what no world is.
func (s Snapshot) check() error {
	never := func(at time.Time) bool { return at.IsZero() || clock.FrozenAt(at).Check() != nil }
	switch {
	case never(s.Created) || never(s.Now):
		return errors.New("created and now must be instants from the year 1970 to 9990")
	case s.Now.Before(s.Created):
		return fmt.Errorf("now is %s, which is before created, %s", s.Now.Format(time.RFC3339), s.Created.Format(time.RFC3339))
	case len(s.Faults) > rules.MaxFaults:
		return fmt.Errorf("faults are %d: a world has %d at most", len(s.Faults), rules.MaxFaults)
	case len(s.Scenarios) > catalogues.MaxFiles:
		return fmt.Errorf("scenarios are %d: a world has %d files of its own at most", len(s.Scenarios), catalogues.MaxFiles)
	}
	if err := s.Settings.Check(); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if err := stored.CheckCounts("", map[string]int{"scenarios_made": s.ScenariosMade, "faults_made": s.FaultsMade, "webhooks_made": s.WebhooksMade}); err != nil {
		return err
	}
	before := 0
	for _, f := range s.Faults {
		number := rules.FaultNumber(f.ID)
		if number <= before || number > s.FaultsMade {
			return fmt.Errorf("no fault here can have the id %s: they are %s1 to %s%d, by faults_made, each once and in order",
				api.Quote(f.ID), rules.FaultPrefix, rules.FaultPrefix, s.FaultsMade)
		}
		if err := f.Check(); err != nil {
			return err
		}
		before = number
	}
	for i, f := range s.Scenarios {
		if !scenarios.ValidName(f.Name) || i > 0 && s.Scenarios[i-1].Name >= f.Name {
			return fmt.Errorf("no scenario file here can have the name %s: it has 1 to 64 of a-z 0-9 . _ -, and they are in order", api.Quote(f.Name))
		}
	}
	return nil
}

// check returns an error for a value that the world could not read under a name.
func (tx *Tx) check(name string, part []byte) error {
	kind, id, _ := strings.Cut(name, "/")
	switch of := resource.KindOf(name); {
	case of != "" && !scenarios.ValidID(id):
		return errors.New("has an id that no resource has")
	case of == scenarios.VerificationRequestID:
		return stored.Strictly(part, func(v resource.Request) error { return v.Check(tx.Scene, id) })
	case of == scenarios.TenantPropertyID:
		return stored.Strictly(part, func(p api.TenantProperty) error { return resource.CheckProperty(id, p) })
	case of == scenarios.QualificationCheckID:
		return stored.Strictly(part, func(q resource.Qualification) error { return q.Check(tx.Scene, id) })
	case kind == "calls" && isCounter(id):
		return stored.Strictly(part, func(c scenarios.Counters) error {
			return cmp.Or(stored.CheckCounts("at calls.", c.Calls), stored.CheckCounts("at applied.", c.Applied), stored.CheckInstants(c.Arrivals))
		})
	case name == "sessions" || name == "created":
		return stored.Strictly(part, func(count int) error { return stored.CheckCounts("", map[string]int{"": count}) })
	case name == "limit":
		return stored.Strictly(part, func(arrival time.Time) error { return stored.CheckInstants(map[string]time.Time{name: arrival}) })
	}
	if ok, err := delivery.Check(name, part, inventory.IsStep); ok {
		return err
	}
	return errors.New("is no name of a value that a world stores")
}

// isCounter reports whether a name is that of a rule's counters: of a resource, a fault, or a scenario for sessions or for
// every request.
func isCounter(of string) bool {
	kind, name, _ := strings.Cut(of, "/")
	scenario := slices.Contains([]string{"fault", "cs", "all"}, kind)
	return resource.KindOf(of) != "" && scenarios.ValidID(name) || scenario && scenarios.ValidName(name)
}
