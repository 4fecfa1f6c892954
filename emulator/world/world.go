// Package world keeps the worlds: one API key's private sandbox each, with its clock, its resources and their rules of
// motion (spec section 3). It is the only writer of the store, and remembers a resource only once it has changed.
package world

import (
	"context"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// World is a world as one request finds it: at one instant, which stands still while the request is served. It is not
// for concurrent use; every request opens its own.
type World struct {
	ID string // a hash of the key

	worlds   *Worlds
	record   record
	place    string // before the names of all that the world remembers, in the store
	fixtures fixtures.Generator
	now      time.Time
	epoch    uint64 // of the store, when it was opened; see [World.Overtaken]

	catalogue *scenarios.Catalogue  // as it is when the request comes
	global    []*scenarios.Scenario // whose rules are for every call with this key
	loaded    loaded                // by [World.load]

	read bool // the verification request that is asked for was read along with its rules

	tried map[string][]byte // what a dry world remembers, by name; nil in any other

	scenario string          // that decided the answer
	rule     *scenarios.Rule // that decided the answer; nil when the resource did
	delay    time.Duration   // of the answer
	damage   scenarios.Fault // of the answer
	notes    []string        // what rules do to the answer, for whoever wonders
}

// Now returns the world's instant.
func (w *World) Now() time.Time { return w.now }

// Scenario names the scenario that decided the answer, "" while none has.
func (w *World) Scenario() string { return w.scenario }

// Rule returns the place of the rule that decided the answer, file:line:column; "" while none has.
func (w *World) Rule() string {
	if w.rule == nil {
		return ""
	}
	return w.rule.At.String()
}

// Generation tells the world from what it was before it was reset.
func (w *World) Generation() int64 { return w.record.Generation }

// Delay returns for how long rules hold the answer back, in real time.
func (w *World) Delay() time.Duration { return w.delay }

// Damage returns what rules do to the answer on its way.
func (w *World) Damage() scenarios.Fault { return w.damage }

// Notes explains the delay and the fault.
func (w *World) Notes() []string { return w.notes }

// Key returns the world's API key, masked.
func (w *World) Key() string { return w.record.Key }

// Seed returns what the world's data is drawn from.
func (w *World) Seed() uint64 { return w.record.Seed }

// Created returns the instant at which the world began, by its own clock.
func (w *World) Created() time.Time { return w.record.Created }

// Frozen reports whether the world's clock stands.
func (w *World) Frozen() bool { return w.record.Frozen != nil }

// key returns the store's key of one of the world's things.
func (w *World) key(name string) string { return w.place + name }

// Dry returns the world as one that can be tried out: it remembers what it is made to, and the store does not.
func (w *World) Dry() *World {
	dry := *w
	dry.tried = make(map[string][]byte)
	return &dry
}

// longestName is how long a name can be under which something is remembered, in bytes: ids are far shorter (see
// [scenarios.ValidID]), and what a client sends in the place of one is not looked for.
const longestName = 512

// get returns what the world remembers under a name, nil when there is nothing.
func (w *World) get(ctx context.Context, name string) ([]byte, error) {
	if value, ok := w.tried[name]; ok || len(name) > longestName {
		return value, nil
	}
	return w.worlds.config.Store.Get(ctx, w.key(name))
}

// recall is get for what does not change, as still says of it, unless somebody amends it.
func (w *World) recall(ctx context.Context, name string, still func([]byte) bool) ([]byte, error) {
	if value, ok := w.tried[name]; ok || len(name) > longestName {
		return value, nil
	}
	return w.worlds.config.Store.Recall(ctx, w.key(name), still)
}

// update changes what the world remembers under a name, in one atomic step.
func (w *World) update(ctx context.Context, name string, change store.Change) error {
	return w.write(ctx, w.worlds.config.Store.Update, name, change)
}

// amend is update of what may be recalled.
func (w *World) amend(ctx context.Context, name string, change store.Change) error {
	return w.write(ctx, w.worlds.config.Store.Amend, name, change)
}

func (w *World) write(ctx context.Context, toStore write, name string, change store.Change) error {
	switch {
	case w.tried != nil:
		return w.try(ctx, name, change)
	case len(name) > longestName:
		return changeNothing(name, change)
	}
	return toStore(ctx, w.key(name), change)
}

// changeNothing has a change be made of what cannot be there: most often its error says so.
func changeNothing(name string, change store.Change) error {
	next, err := change(nil)
	if err == nil && next != nil {
		return fmt.Errorf("nothing is remembered under a name of %d bytes", len(name))
	}
	return err
}

// try changes what a dry world remembers.
func (w *World) try(ctx context.Context, name string, change store.Change) error {
	old, err := w.get(ctx, name)
	if err != nil {
		return err
	}
	next, err := change(old)
	if err == nil {
		w.tried[name] = next
	}
	return err
}

// unknownID explains an id that nothing has.
func (w *World) unknownID(kind scenarios.Kind, id string) string {
	what := fmt.Sprintf("no %s is %s", kind, api.Quote(id))
	if nearest, ok := w.catalogue.Nearest(kind, id); ok {
		what += ": did you mean " + nearest + "?"
	}
	return what
}
