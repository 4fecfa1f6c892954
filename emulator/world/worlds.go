package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

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
	Limit     scenarios.Limit // of requests a world; the zero value is none
	TTL       time.Duration   // after which a world that nobody uses is deleted; 0: never
}

// Worlds are all worlds of an emulator. In memory they keep only what they could compute again. They are safe for
// concurrent use.
type Worlds struct {
	config    Config
	catalogue atomic.Pointer[scenarios.Catalogue]
	rendered  *lru.Cache[view, []byte]
	parsed    *lru.Cache[ownCatalogue, *scenarios.Catalogue]
	created   atomic.Uint64
	deleted   atomic.Uint64

	stopCollecting context.CancelFunc
	collecting     sync.WaitGroup
}

// New returns the worlds of a configuration. Close ends what they do in the background.
func New(config Config) *Worlds {
	config.Clock = config.Clock.steady()
	ws := &Worlds{
		config:   config,
		rendered: newCache[view, []byte](renderedDocuments),
		parsed:   newCache[ownCatalogue, *scenarios.Catalogue](ownCatalogues),
	}
	ws.SetCatalogue(config.Catalogue)
	ctx, stop := context.WithCancel(context.Background())
	ws.stopCollecting = stop
	ws.collecting.Go(func() { ws.collect(ctx) })
	return ws
}

func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	return cache
}

// Config returns what the worlds are made of, with the catalogue that requests follow now.
func (ws *Worlds) Config() Config {
	config := ws.config
	config.Catalogue = ws.catalogue.Load()
	return config
}

// SetCatalogue makes requests follow another catalogue. A request that is under way ends with the one that it began with.
func (ws *Worlds) SetCatalogue(catalogue *scenarios.Catalogue) { ws.catalogue.Store(catalogue) }

// Created returns how many worlds this process has made.
func (ws *Worlds) Created() uint64 { return ws.created.Load() }

// Deleted returns how many worlds this process has deleted, also because nobody used them.
func (ws *Worlds) Deleted() uint64 { return ws.deleted.Load() }

// Ready returns why the store cannot be used now, nil when it can.
func (ws *Worlds) Ready(ctx context.Context) error { return ws.config.Store.Ready(ctx) }

// Close ends the background work and closes the store. No request may be under way.
func (ws *Worlds) Close() error {
	ws.stopCollecting()
	ws.collecting.Wait()
	return ws.config.Store.Close()
}

// Ref names a world: see [ByKey] and [ByID].
type Ref struct{ key, id string }

// ByKey names the world of an API key. It is made at first use.
func ByKey(key string) Ref { return Ref{key, IDOf(key)} }

// ByID names the world of an id that [Status] gave. It is not made by use.
func ByID(id string) Ref { return Ref{id: id} }

// Do runs fn in a world, in one transaction: first in a snapshot, and again in a transaction that may write as soon as fn
// tries to write. So fn may run several times, must have no effect but on its world, and returns the errors of the world's
// methods. When fn returns an error, nothing is changed.
func (ws *Worlds) Do(ctx context.Context, at Ref, fn func(*World) error) error {
	err := ws.in(ctx, ws.config.Store.View, at, fn)
	if errors.Is(err, store.ErrReadOnly) {
		return ws.Update(ctx, at, fn)
	}
	return err
}

// Update is [Worlds.Do] for a function that is known to write.
func (ws *Worlds) Update(ctx context.Context, at Ref, fn func(*World) error) error {
	return ws.in(ctx, ws.config.Store.Update, at, fn)
}

// DryRun is [Worlds.Do] of which nothing is stored.
func (ws *Worlds) DryRun(ctx context.Context, at Ref, fn func(*World) error) error {
	return ws.config.Store.View(ctx, func(tx store.Tx) error {
		w, _, err := ws.open(store.NewBuffer(tx), at)
		if err != nil {
			return err
		}
		return fn(w)
	})
}

// in runs fn in a world, in a transaction of the store: its View or Update.
func (ws *Worlds) in(ctx context.Context, transact func(context.Context, func(store.Tx) error) error, at Ref, fn func(*World) error) error {
	var made bool
	err := transact(ctx, func(tx store.Tx) (err error) {
		var w *World
		if w, made, err = ws.open(tx, at); err != nil {
			return err
		}
		return fn(w)
	})
	if err == nil && made {
		ws.created.Add(1)
	}
	return err
}

// open returns a world within a transaction; made reports whether it is a new one.
func (ws *Worlds) open(tx store.Tx, at Ref) (w *World, made bool, err error) {
	if at.key == "" && !ValidID(at.id) {
		return nil, false, worldUnknown(at.id)
	}
	w = &World{ID: at.id, worlds: ws, tx: tx, key: at.key}
	stored, err := tx.Get(RecordKey(at.id))
	switch {
	case err != nil:
	case stored != nil:
		err = json.Unmarshal(stored, &w.record)
	case at.key == "":
		return nil, false, worldUnknown(at.id)
	default:
		made = true
		var generation int64
		generation, err = freeGeneration(tx, at.id, max(1, ws.config.Clock.wall().UnixMicro())) // 0 is that of no world
		w.record = ws.config.newRecord(mask(at.key), generation)
	}
	if err != nil {
		return nil, false, fmt.Errorf("open world %s: %w", at.id, err)
	}
	if made || ws.config.TTL > 0 && ws.config.lastUsed(w.record.Used) != w.record.Used {
		return w, made, w.setRecord(w.record) // which writes the last-used time
	}
	return w, false, w.follow()
}

// follow makes the world follow its record.
func (w *World) follow() (err error) {
	w.prefix = worldPrefix(w.ID, w.record.Generation)
	w.now = w.record.now(w.worlds.config.Clock)
	w.fixtures = fixtures.Generator{Seed: w.record.Seed}
	w.catalogue = w.worlds.catalogue.Load()
	if len(w.record.Scenarios) > 0 {
		w.catalogue, err = w.ownCatalogue(w.catalogue)
	}
	return err
}

// global returns the scenarios whose rules are for every request with the world's key. Of a world that was opened by its
// id they lack those that are for some keys only.
func (w *World) global() []*scenarios.Scenario {
	_, name, _ := strings.Cut(w.key, "_sk_test_")
	return w.catalogue.ForKey(name)
}

// List returns the status of up to limit worlds in the order of their ids, from the first behind after.
func (ws *Worlds) List(ctx context.Context, after string, limit int) (all []Status, err error) {
	if after != "" {
		after = RecordKey(after)
	}
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan(recordPrefix, after) {
			if err != nil || len(all) == limit {
				return err
			}
			var r record
			if err := decodeStored(entry.Key, entry.Value, &r); err != nil {
				return err
			}
			all = append(all, r.status(strings.TrimPrefix(entry.Key, recordPrefix), r.now(ws.config.Clock)))
		}
		return nil
	})
	return all, err
}

// Count returns how many worlds there are. It looks through all of them.
func (ws *Worlds) Count(ctx context.Context) (worlds int, err error) {
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		worlds = 0
		for _, err := range tx.Scan(recordPrefix, "") {
			if err != nil {
				return err
			}
			worlds++
		}
		return nil
	})
	return worlds, err
}

// Delete deletes a world, as if its key had never been used. Its error for one that is not there is an [*api.Error].
func (ws *Worlds) Delete(ctx context.Context, id string) error {
	if !ValidID(id) {
		return worldUnknown(id)
	}
	err := ws.config.Store.Update(ctx, func(tx store.Tx) error {
		generation, err := Generation(tx, id)
		if err != nil {
			return err
		}
		if generation == 0 {
			return worldUnknown(id)
		}
		return deleteWorld(tx, id, generation)
	})
	if err == nil {
		ws.deleted.Add(1)
	}
	return err
}
