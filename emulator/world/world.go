// Package world keeps the worlds: one API key's private sandbox each, with its clock, its resources and their rules of
// motion (spec section 3). It is the only writer of the store. A world stores a resource only once it has changed.
package world

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// World is a world within one transaction, at one instant. Once the function that it is given to has returned, only what
// it says without an error remains: its status, the place of its journal, its scenarios. It is not for concurrent use.
type World struct {
	ID string // a hash of the key

	worlds    *Worlds
	tx        store.Tx
	key       string // the API key, "" for a world that was opened by its id
	record    record
	prefix    string // begins the store's keys of all that the world has, in this generation
	now       time.Time
	fixtures  fixtures.Generator
	catalogue *scenarios.Catalogue
}

// Status is what can be told of a world at one instant.
type Status struct {
	ID      string // names the world on the control plane; it does not lead back to the key
	Key     string // masked
	Seed    uint64
	Created time.Time // by its own clock
	Now     time.Time // by its own clock, in UTC
	Frozen  bool      // the clock stands
}

// Status returns the world's status.
func (w *World) Status() Status { return w.record.status(w.ID, w.now) }

// Now returns the world's instant.
func (w *World) Now() time.Time { return w.now }

// Journal returns the place of the world's journal.
func (w *World) Journal() journal.Place {
	return journal.Place{World: w.ID, Generation: w.record.Generation}
}

// Frozen reports whether the world's clock stands.
func (w *World) Frozen() bool { return w.record.Frozen != nil }

// Catalogue returns the scenarios that the world follows.
func (w *World) Catalogue() *scenarios.Catalogue { return w.catalogue }

// maxName bounds the names under which a world stores its things, in bytes. Ids are far shorter (see [scenarios.ValidID]);
// what a client sends in the place of one may be longer, and has nothing stored under it.
const maxName = 512

// get returns what the world has stored under a name, nil when there is nothing.
func (w *World) get(name string) ([]byte, error) {
	if len(name) > maxName {
		return nil, nil
	}
	return w.tx.Get(w.prefix + name)
}

// load decodes what the world has stored under a name into a value, and leaves that alone when there is nothing.
func (w *World) load(name string, value any) (found bool, err error) {
	stored, err := w.get(name)
	if err != nil || stored == nil {
		return false, err
	}
	return true, decodeStored(name, stored, value)
}

func decodeStored(name string, stored []byte, value any) error {
	if err := json.Unmarshal(stored, value); err != nil {
		return fmt.Errorf("read %s: %w", api.Quote(name), err)
	}
	return nil
}

// save stores a value under a name, and returns its bytes.
func (w *World) save(name string, value any) (stored []byte, err error) {
	if stored, err = json.Marshal(value); err != nil {
		return nil, err
	}
	return stored, w.tx.Put(w.prefix+name, stored)
}

// scan calls visit with what the world has stored under names that begin with prefix, by the rest of the name in byte
// order, from the first behind after, for as long as visit wants more.
func (w *World) scan(prefix, after string, visit func(rest string, stored []byte) (more bool, err error)) error {
	begin := w.prefix + prefix
	if after != "" {
		after = begin + after
	}
	for entry, err := range w.tx.Scan(begin, after) {
		if err != nil {
			return err
		}
		if more, err := visit(entry.Key[len(begin):], entry.Value); err != nil || !more {
			return err
		}
	}
	return nil
}

// find returns what the world has stored of a resource, nil when there is nothing, and the scenario whose magic value its id
// is, nil when it is none.
func (w *World) find(kind scenarios.Kind, id string) (stored []byte, magic *scenarios.Scenario, err error) {
	stored, err = w.get(resourceName(kind, id))
	return stored, w.catalogue.ByID(kind, id), err
}

// list returns up to limit of the resources of a kind that the world has stored, in the order of their ids, from the first
// behind after.
func list[S, T any](w *World, kind scenarios.Kind, after string, limit int, show func(id string, stored S) T) (all []T, err error) {
	err = w.scan(resourceName(kind, ""), after, func(id string, text []byte) (more bool, err error) {
		var stored S
		if err := decodeStored(id, text, &stored); err != nil {
			return false, err
		}
		all = append(all, show(id, stored))
		return len(all) < limit, nil
	})
	return all, err
}

// next counts from 1 under a name.
func (w *World) next(name string) (number int, err error) {
	if _, err := w.load(name, &number); err != nil {
		return 0, err
	}
	number++
	_, err = w.save(name, number)
	return number, err
}

// resourceName is the name under which a world stores a resource.
func resourceName(kind scenarios.Kind, id string) string {
	switch kind {
	case scenarios.VerificationRequestID:
		return "vr/" + id
	case scenarios.TenantPropertyID:
		return "tp/" + id
	default:
		return "qc/" + id
	}
}

// unknownID explains an id that nothing has.
func (w *World) unknownID(kind scenarios.Kind, id string) string {
	what := fmt.Sprintf("no %s is %s", kind, api.Quote(id))
	if nearest, ok := w.catalogue.Nearest(kind, id); ok {
		what += ": did you mean " + nearest + "?"
	}
	return what
}
