package snapshot

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// World is the world that a snapshot is for.
type World struct {
	Scene      resource.Scene
	Catalogues *catalogues.Catalogues
	Hosts      []string // that webhooks may be sent to: see [delivery.Targets]
	Journal    *journal.Checker
}

// Checked is what a valid snapshot says of the world itself, and of its journal.
type Checked struct {
	Head
	Entries int    // of the journal
	Dropped uint64 // entries before these
}

// check is what is known of a snapshot while its lines are checked, one after the other.
type check struct {
	World
	Checked
	files scenarios.Files
	texts int   // number of these
	size  int   // of these, in bytes
	group Group // of the last line
}

// Check returns what a snapshot says, or the error of one that no world can be restored from.
func (d Text) Check(in World) (Checked, error) {
	c := &check{World: in}
	for l, err := range d.Lines() {
		if err == nil {
			err = c.line(l)
		}
		if err != nil {
			return Checked{}, err
		}
	}
	if c.group != End {
		return Checked{}, Refused("it is not whole: its last line has the key " + EndKey)
	}
	return c.Checked, nil
}

func (c *check) line(l Line) error {
	if l.Number == 1 {
		return c.begin(l)
	}
	at := l.Group()
	if at < c.group || c.group == End {
		return l.Refused("is not in its place: the keys of scenario/ come first, then all others, then those of journal/, then end")
	}
	if at == Scenarios {
		c.group = at
		return c.scenario(l)
	}
	var err error
	if c.group <= Scenarios { // all texts are known
		err = c.restored()
	}
	if c.group = at; err != nil {
		return err
	}
	switch at {
	case End:
		err = stored.Strictly(l.Value, func(e Ending) error {
			c.Dropped = e.Dropped
			return stored.CheckCounts("", map[string]int{"journal_dropped": int(min(e.Dropped, math.MaxInt))})
		})
	case Journal:
		err = c.entry(l)
	default:
		err = checkValue(c.Scene, l.Key, l.Value)
	}
	if err != nil {
		return l.Refused(err.Error())
	}
	return nil
}

// begin checks the first line.
func (c *check) begin(l Line) error {
	var format struct {
		Version int `json:"understudy_snapshot"`
	}
	err := jsonv2.Unmarshal(l.Value, &format)
	if err == nil && format.Version != Version && format.Version != 0 {
		return Refused(fmt.Sprintf("understudy_snapshot must be %d, as this release writes it, and is %d: restore it by the release that took it",
			Version, format.Version))
	}
	if err == nil {
		err = jsonv2.Unmarshal(l.Value, &c.Head, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return l.Unreadable(err, false)
	}
	if lack := api.Missing(l.Value, reflect.TypeFor[Head]()); lack != "" {
		return l.Refused("lacks something: " + lack)
	}
	if err := c.Head.check(); err != nil {
		return Refused(err.Error())
	}
	return nil
}

// scenario takes the text of a scenario file.
func (c *check) scenario(l Line) error {
	i := slices.IndexFunc(c.Head.Scenarios, func(f catalogues.File) bool { return f.Stored() == l.Key })
	if i < 0 {
		return l.Refused("is the text of no file in scenarios of the first line")
	}
	text, err := jsontext.AppendUnquote(nil, l.Value)
	if err != nil {
		return l.Unreadable(err, false)
	}
	if c.size += len(text); c.size <= catalogues.MaxText { // else its size is refused
		c.files = c.files.With(catalogues.FileName(c.Head.Scenarios[i].Name), text)
	}
	c.texts++
	return nil
}

// restored makes the scene that of the restored world, with the catalogue of its scenario files.
func (c *check) restored() (err error) {
	if named := len(c.Head.Scenarios); c.texts != named {
		return Refused(fmt.Sprintf("scenarios of the first line are %d, and the texts of %d follow", named, c.texts))
	}
	if err := c.Subscriptions.Check(delivery.Targets{Hosts: c.Hosts}); err != nil {
		return Refused(err.Error())
	}
	c.Scene.Fixtures.Seed = c.Seed
	c.Scene.Catalogue, err = c.Catalogues.Limited(c.files, c.size)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return Refused("its scenario files are invalid:\n" + problems.Error())
	}
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		return Refused(refusal.Message)
	}
	return err
}

// entry checks an entry of the journal.
func (c *check) entry(l Line) error {
	var e *journal.Entry
	if err := jsonv2.Unmarshal(l.Value, &e); err != nil {
		return errors.New("cannot be read: " + api.ExplainJSON(err))
	}
	if err := c.Journal.Check(e); err != nil {
		return err
	}
	if key := EntryKey(e); key != l.Key {
		return errors.New("has the sequence of the key " + key)
	}
	c.Entries++
	return nil
}
