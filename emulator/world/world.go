// Package world keeps the worlds: one API key's private sandbox each, with its clock, its resources and their rules of
// motion (spec section 3). It is the only writer of the store, and remembers a resource only once it has changed.
package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	Catalogue *scenarios.Catalogue
	Seed      uint64
	Clock     Clock
	Limit     Limit // of requests a world; the zero value is none
}

// Worlds are all worlds of an emulator. It keeps nothing of them but what [Worlds.Open] can read again.
type Worlds struct {
	Config
	rendered *lru.Cache[view, []byte]
}

// New returns the worlds of a configuration.
func New(config Config) (*Worlds, error) {
	rendered, err := lru.New[view, []byte](renderedDocuments)
	return &Worlds{Config: config, rendered: rendered}, err
}

// World is a world as one request finds it: at one instant, which stands still while the request is served. It is not
// for concurrent use; every request opens its own.
type World struct {
	ID string // derived from the key, which cannot be told from it

	worlds   *Worlds
	fixtures fixtures.Generator
	born     time.Time
	now      time.Time
	scenario string
}

// record is what the store keeps of a world itself.
type record struct {
	Seed   uint64    `json:"seed"`
	Born   time.Time `json:"born"` // whole seconds, unless it was frozen between two
	Frozen bool      `json:"frozen,omitempty"`
}

// Open returns the world of an API key, which is made at first use.
func (ws *Worlds) Open(ctx context.Context, key string) (*World, error) {
	hash := sha256.Sum256([]byte(key))
	w := &World{ID: hex.EncodeToString(hash[:12]), worlds: ws}
	stored, err := ws.Store.Get(ctx, w.key("world"))
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
	w.born, w.now = r.Born, r.Born
	if !r.Frozen {
		w.now = ws.Clock.wall().UTC()
	}
	return w, nil
}

// create makes a world, unless another request has made it meanwhile, and returns its record.
func (ws *Worlds) create(ctx context.Context, key string) (stored []byte, err error) {
	err = ws.Store.Update(ctx, key, func(old []byte) (next []byte, err error) {
		if next = old; next == nil {
			next, err = json.Marshal(ws.Clock.birth(ws.Seed))
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
func (w *World) Rule(op scenarios.Operation, kind scenarios.Kind, id string) error {
	return w.apply(op, w.worlds.Catalogue.ByID(kind, id))
}

// apply returns the answer of a scenario's rule for an operation, nil when none decides.
func (w *World) apply(op scenarios.Operation, s *scenarios.Scenario) error {
	if s == nil {
		return nil
	}
	response := s.Respond(op)
	if response == nil {
		return nil
	}
	w.scenario = s.Name
	answer := api.NewError(response.Status, "scenario "+s.Name+" answers so")
	if response.Message != "" {
		answer.Message = response.Message
	}
	return answer
}

// unknownID explains an id that nothing has.
func (w *World) unknownID(kind scenarios.Kind, id string) string {
	what := fmt.Sprintf("no %s is %s", kind, api.Quote(id))
	if nearest, ok := w.worlds.Catalogue.Nearest(kind, id); ok {
		what += ": did you mean " + nearest + "?"
	}
	return what
}
