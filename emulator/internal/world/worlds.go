package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Config is what worlds are made of.
type Config struct {
	Store     store.Store
	Journal   *journal.Journal     // whose entries of a world go when it is reset or deleted
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
	ws := &Worlds{config: config}
	ws.rendered, _ = lru.New[view, []byte](renderedDocuments) // it fails on a size below 1 only
	ws.parsed, _ = lru.New[ownCatalogue, *scenarios.Catalogue](ownCatalogues)
	ws.SetCatalogue(config.Catalogue)
	ctx, stop := context.WithCancel(context.Background())
	ws.stopCollecting = stop
	ws.collecting.Go(func() { ws.collect(ctx) })
	return ws
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

// idLength is the length of a world's id: 12 bytes in hexadecimal digits.
const idLength = 24

// ByKey names the world of an API key. It is made at first use.
func ByKey(key string) Ref {
	hash := sha256.Sum256([]byte(key))
	return Ref{key, hex.EncodeToString(hash[:idLength/2])}
}

// ByID names the world of an id that [Status] gave. It is not made by use.
func ByID(id string) Ref { return Ref{id: id} }

// IDOf returns the id of a key's world, made or not. It does not lead back to the key.
func IDOf(key string) string { return ByKey(key).id }

// Do runs fn in a world, in one transaction: first in a snapshot, and again in a transaction that may write as soon as fn
// tries to write. So fn may run several times, must have no effect but on its world, and returns the errors of the world's
// methods. When fn returns an error, nothing is changed.
func (ws *Worlds) Do(ctx context.Context, at Ref, fn func(*World) error) error {
	err := ws.config.Store.View(ctx, func(tx store.Tx) error { return ws.in(tx, at, fn) })
	if errors.Is(err, store.ErrReadOnly) {
		return ws.Update(ctx, at, fn)
	}
	return err
}

// Update is [Worlds.Do] for a function that is known to write.
func (ws *Worlds) Update(ctx context.Context, at Ref, fn func(*World) error) error {
	var w *World
	err := ws.config.Store.Update(ctx, func(tx store.Tx) error {
		return ws.in(tx, at, func(opened *World) error {
			w = opened
			return fn(w)
		})
	})
	if err != nil {
		return err
	}
	if w.made {
		ws.created.Add(1)
	}
	if w.began != w.record.Generation {
		ws.config.Journal.Begin(w.Journal())
	}
	return nil
}

// DryRun is [Worlds.Do] of which nothing is stored.
func (ws *Worlds) DryRun(ctx context.Context, at Ref, fn func(*World) error) error {
	return ws.config.Store.View(ctx, func(tx store.Tx) error { return ws.in(store.NewBuffer(tx), at, fn) })
}

// in runs fn in a world within a transaction.
func (ws *Worlds) in(tx store.Tx, at Ref, fn func(*World) error) error {
	r, err := readRecord(tx, at.id)
	if err != nil {
		return err
	}
	w := &World{ID: at.id, worlds: ws, tx: tx, record: r, made: r.Generation == 0}
	_, w.keyName, _ = strings.Cut(at.key, "_sk_test_")
	if w.made {
		if at.key == "" {
			return worldUnknown(at.id)
		}
		generation, err := freeGeneration(tx, at.id, max(1, ws.config.Clock.Wall().UnixMicro())) // 0 is that of no world
		if err != nil {
			return err
		}
		w.record = ws.config.newRecord(mask(at.key), generation)
	}
	w.began = w.record.Generation
	if used := w.record.Used; w.made || ws.config.lastUsed(used) != used {
		err = w.setRecord(w.record) // which writes the last-used time
	} else {
		err = w.follow()
	}
	if err != nil {
		return err
	}
	return fn(w)
}

// List returns the status of up to limit worlds in the order of their ids, from the first behind after.
func (ws *Worlds) List(ctx context.Context, after string, limit int) (all []Status, err error) {
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan(recordPrefix, recordPrefix+after) {
			if err != nil || len(all) == limit {
				return err
			}
			w := World{ID: strings.TrimPrefix(entry.Key, recordPrefix)}
			if err := decodeStored(w.ID, entry.Value, &w.record); err != nil {
				return err
			}
			w.now = w.record.now(ws.config.Clock)
			all = append(all, w.Status())
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
