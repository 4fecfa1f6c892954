// Package world keeps the worlds: one API key's private sandbox each, with its clock, its resources and their rules of
// motion (spec section 3). It is the only writer of the store, and remembers a resource only once it has changed.
package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Config is what worlds are made of.
type Config struct {
	Store     store.Store
	Catalogue *scenarios.Catalogue // until another is set
	Seed      uint64
	Clock     Clock
	Limit     Limit // of requests a world; the zero value is none
}

// Worlds are all worlds of an emulator. It keeps nothing of them in memory but documents that it could draw again.
type Worlds struct {
	config    Config
	catalogue atomic.Pointer[scenarios.Catalogue]
	rendered  *lru.Cache[view, []byte]
}

// New returns the worlds of a configuration.
func New(config Config) *Worlds {
	rendered, err := lru.New[view, []byte](renderedDocuments)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	ws := &Worlds{config: config, rendered: rendered}
	ws.SetCatalogue(config.Catalogue)
	return ws
}

// Config returns what the worlds are made of. Worlds are changed through [World] only.
func (ws *Worlds) Config() Config {
	config := ws.config
	config.Catalogue = ws.catalogue.Load()
	return config
}

// SetCatalogue has the requests that come from now on follow another catalogue. One that is under way ends with the one
// that it began with.
func (ws *Worlds) SetCatalogue(catalogue *scenarios.Catalogue) { ws.catalogue.Store(catalogue) }

// Ready returns an error while the store cannot be read.
func (ws *Worlds) Ready(ctx context.Context) error {
	_, err := ws.config.Store.Get(ctx, "ready")
	return err
}

// Close closes the store. No request may be under way.
func (ws *Worlds) Close() error { return ws.config.Store.Close() }

// World is a world as one request finds it: at one instant, which stands still while the request is served. It is not
// for concurrent use; every request opens its own.
type World struct {
	ID string // a hash of the key

	worlds   *Worlds
	follows  *scenarios.Catalogue // from beginning to end
	fixtures fixtures.Generator
	created  time.Time
	now      time.Time
	frozen   bool
	scenario string // that decided the answer
}

// record is what the store keeps of a world itself.
type record struct {
	Seed    uint64    `json:"seed"`
	Created time.Time `json:"created"` // whole seconds, unless it was frozen between two
	Frozen  bool      `json:"frozen,omitempty"`
}

// Open returns the world of an API key, which is made at first use.
func (ws *Worlds) Open(ctx context.Context, key string) (*World, error) {
	hash := sha256.Sum256([]byte(key))
	w := &World{ID: hex.EncodeToString(hash[:12]), worlds: ws, follows: ws.catalogue.Load()}
	stored, err := ws.config.Store.Get(ctx, w.key("world"))
	if err != nil {
		return nil, fmt.Errorf("read world %s: %w", w.ID, err)
	}
	if stored == nil {
		stored, err = ws.create(ctx, w.key("world"))
	}
	if err != nil {
		return nil, fmt.Errorf("create world %s: %w", w.ID, err)
	}
	var r record
	if err := json.Unmarshal(stored, &r); err != nil {
		return nil, fmt.Errorf("read world %s: %w", w.ID, err)
	}
	w.fixtures = fixtures.Generator{Seed: r.Seed}
	w.created, w.now, w.frozen = r.Created, r.Created, r.Frozen
	if !r.Frozen {
		w.now = ws.config.Clock.wall().UTC()
	}
	return w, nil
}

// create makes a world, unless another request has made it meanwhile, and returns its record.
func (ws *Worlds) create(ctx context.Context, key string) (stored []byte, err error) {
	err = ws.config.Store.Update(ctx, key, func(old []byte) (next []byte, err error) {
		if next = old; next == nil {
			next, err = json.Marshal(ws.config.Clock.newRecord(ws.config.Seed))
		}
		stored = append([]byte(nil), next...)
		return next, err
	})
	return stored, err
}

// Now returns the world's instant.
func (w *World) Now() time.Time { return w.now }

// Scenario names the scenario that decided the answer, "" while none has.
func (w *World) Scenario() string { return w.scenario }

// key returns the store's key of one of the world's things.
func (w *World) key(name string) string { return "w/" + w.ID + "/" + name }

// Rule judges the rules that the scenario of a resource has for an operation. It returns the rule's answer as an
// [*api.Error], nil when no rule decides.
func (w *World) Rule(ctx context.Context, op scenarios.Operation, kind scenarios.Kind, id string) error {
	s := w.catalogue().ByID(kind, id)
	if s == nil && kind == scenarios.VerificationRequestID {
		stored, err := w.get(ctx, verificationName(id))
		if err != nil || stored == nil {
			return err
		}
		v, err := decodeVerification(id, stored)
		if err != nil {
			return err
		}
		s = w.catalogue().ByName(v.Scenario)
	}
	return w.apply(op, s)
}

// apply returns the answer of a scenario's rule for an operation, nil when none decides.
func (w *World) apply(op scenarios.Operation, s *scenarios.Scenario) error {
	if s == nil {
		return nil
	}
	rule := s.Decide(op)
	if rule == nil {
		return nil
	}
	w.scenario = s.Name
	answer := api.NewError(rule.Respond.Status, fmt.Sprintf("scenario %s answers so, by its rule at %s", s.Name, rule.At))
	if rule.Respond.Message != "" {
		answer.Message = rule.Respond.Message
	}
	return answer
}

func (w *World) catalogue() *scenarios.Catalogue { return w.follows }

// get returns what the world remembers under a name, nil when there is nothing.
func (w *World) get(ctx context.Context, name string) ([]byte, error) {
	return w.worlds.config.Store.Get(ctx, w.key(name))
}

// update changes what the world remembers under a name, in one atomic step.
func (w *World) update(ctx context.Context, name string, change store.Change) error {
	return w.worlds.config.Store.Update(ctx, w.key(name), change)
}

// unknownID explains an id that nothing has.
func (w *World) unknownID(kind scenarios.Kind, id string) string {
	what := fmt.Sprintf("no %s is %s", kind, api.Quote(id))
	if nearest, ok := w.catalogue().Nearest(kind, id); ok {
		what += ": did you mean " + nearest + "?"
	}
	return what
}
