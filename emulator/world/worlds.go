package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
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
	Limit     scenarios.Limit // of requests a world; the zero value is none
	TTL       time.Duration   // after which a world that nobody uses is forgotten; 0: never
	Journals  bool            // the store has the journals of the worlds too
}

// Worlds are all worlds of an emulator. It keeps nothing of them in memory but documents that it could draw again.
type Worlds struct {
	config    Config
	catalogue atomic.Pointer[scenarios.Catalogue]
	known     *lru.Cache[string, known]
	rendered  *lru.Cache[view, []byte]
	owned     *lru.Cache[ownCatalogue, *scenarios.Catalogue]
	created   atomic.Uint64
	forgotten atomic.Uint64
}

// New returns the worlds of a configuration.
func New(config Config) *Worlds {
	config.Clock = config.Clock.steady()
	ws := &Worlds{
		config:   config,
		known:    newCache[string, known](knownRecords),
		rendered: newCache[view, []byte](renderedDocuments),
		owned:    newCache[ownCatalogue, *scenarios.Catalogue](ownCatalogues),
	}
	ws.SetCatalogue(config.Catalogue)
	return ws
}

// newCache returns a cache of a number of things.
func newCache[K comparable, V any](size int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](size)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	return cache
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

// Ready returns an error while the store cannot be read, or is known to take no writes.
func (ws *Worlds) Ready(ctx context.Context) error {
	if s, ok := store.As[store.Readier](ws.config.Store); ok {
		if err := s.Ready(); err != nil {
			return err
		}
	}
	_, err := ws.config.Store.Get(ctx, "ready")
	return err
}

// Close closes the store. No request may be under way.
func (ws *Worlds) Close() error { return ws.config.Store.Close() }

// Open returns the world of an API key, which is made at first use.
func (ws *Worlds) Open(ctx context.Context, key string) (*World, error) {
	id, epoch := IDOf(key), ws.config.Store.Epoch()
	stored, err := ws.recall(ctx, id)
	if err == nil && stored == nil {
		stored, err = ws.create(ctx, id, key)
	}
	if err != nil {
		return nil, fmt.Errorf("open world %s: %w", id, err)
	}
	w, err := ws.world(ctx, id, stored, epoch)
	if err != nil {
		return nil, err
	}
	if w, err = ws.touched(ctx, w, key); err != nil {
		return nil, fmt.Errorf("open world %s: %w", id, err)
	}
	_, name, _ := strings.Cut(key, "_sk_test_")
	w.global = w.catalogue.ForKey(name)
	return w, nil
}

// create makes a world, unless another request has made it meanwhile, and returns its record.
func (ws *Worlds) create(ctx context.Context, id, key string) (stored []byte, err error) {
	made := false
	err = ws.config.Store.Update(ctx, recordKey(id), func(old []byte) (next []byte, err error) {
		if next, made = old, old == nil; made {
			next, err = json.Marshal(ws.config.newRecord(mask(key), ws.config.Clock.wall().UnixMicro()))
		}
		stored = bytes.Clone(next)
		return next, err
	})
	if err == nil && made {
		ws.created.Add(1)
	}
	return stored, err
}

// Created returns how many worlds were made here.
func (ws *Worlds) Created() uint64 { return ws.created.Load() }

// Forgotten returns how many worlds were deleted or swept here.
func (ws *Worlds) Forgotten() uint64 { return ws.forgotten.Load() }

// recall returns the record of a world, nil when there is none. Whoever changes it, but for the mark of its last use, amends it.
func (ws *Worlds) recall(ctx context.Context, id string) ([]byte, error) {
	return ws.config.Store.Recall(ctx, recordKey(id), func(stored []byte) bool { return stored != nil })
}

// world returns the world of a record at this instant. epoch is the store's from before the record was read.
func (ws *Worlds) world(ctx context.Context, id string, stored []byte, epoch uint64) (*World, error) {
	k, err := ws.decode(id, stored)
	if err != nil {
		return nil, fmt.Errorf("read world %s: %w", id, err)
	}
	w := &World{ID: id, worlds: ws, epoch: epoch, record: k.record, place: k.place}
	w.fixtures = fixtures.Generator{Seed: w.record.Seed}
	w.now = w.record.now(ws.config.Clock)
	catalogue, err := ws.catalogueOf(ctx, w)
	w.catalogue = catalogue
	return w, err
}

// OpenID returns the world of an id that [World.ID] gave. Its error for one that is not there is an [*api.Error].
func (ws *Worlds) OpenID(ctx context.Context, id string) (*World, error) {
	if !ValidID(id) {
		return nil, worldUnknown(id)
	}
	epoch := ws.config.Store.Epoch()
	stored, err := ws.recall(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("open world %s: %w", id, err)
	}
	if stored == nil {
		return nil, worldUnknown(id)
	}
	w, err := ws.world(ctx, id, stored, epoch)
	if err != nil {
		return nil, err
	}
	w.global = w.catalogue.ForKey("") // the key is not known
	return w, w.touch(ctx)
}

// List returns up to limit worlds in the order of their ids, from the first behind after.
func (ws *Worlds) List(ctx context.Context, after string, limit int) (worlds []*World, err error) {
	from, epoch := recordPrefix, ws.config.Store.Epoch()
	if after != "" {
		from = recordKey(after)
	}
	err = ws.config.Store.Scan(ctx, recordPrefix, from, func(key string, stored []byte) error {
		if len(worlds) == limit {
			return errEnough
		}
		w, err := ws.world(ctx, strings.TrimPrefix(key, recordPrefix), stored, epoch)
		worlds = append(worlds, w)
		return err
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return worlds, err
}

// Count returns how many worlds there are. It looks through all of them.
func (ws *Worlds) Count(ctx context.Context) (worlds int, err error) {
	err = ws.config.Store.Scan(ctx, recordPrefix, "", func(string, []byte) error { worlds++; return nil })
	return worlds, err
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

// Delete forgets a world, as if its key had never been used. Its error for one that is not there is an [*api.Error].
func (ws *Worlds) Delete(ctx context.Context, id string) error {
	if !ValidID(id) {
		return worldUnknown(id)
	}
	var place string
	err := ws.config.Store.Amend(ctx, recordKey(id), func(old []byte) ([]byte, error) {
		if old == nil {
			return nil, worldUnknown(id)
		}
		k, err := ws.decode(id, old)
		if place = k.place; err != nil {
			place = placePrefix(id) // it is not known which
		}
		return nil, nil
	})
	if err != nil {
		return err
	}
	ws.forgotten.Add(1)
	// Only what this life of the world remembered: its key may have opened the next one already.
	return ws.leave(ctx, place)
}

// worldUnknown shows an id in the shape of a world's as it is, long rows of digits in it too.
func worldUnknown(id string) error {
	shown := api.Quote(id)
	if ValidID(id) {
		shown = strconv.Quote(id)
	}
	return api.Because(http.StatusNotFound, "There is no world "+shown)
}
