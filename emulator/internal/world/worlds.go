package world

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Config configures worlds.
type Config struct {
	Store     store.Store
	Journal   *journal.Journal     // of all worlds
	Catalogue *scenarios.Catalogue // of all worlds, until SetCatalogue
	Seed      uint64
	Clock     clock.Clock
	Limit     scenarios.Limit         // of the requests of each world; the zero value is none
	TTL       time.Duration           // an unused world is deleted after it; 0: never
	MaskKeys  bool                    // no world is named after its key
	Settings  scenarios.Settings      // of the server: see resource.Scene
	Webhooks  []delivery.Subscription // of each world, from its beginning; see Targets.Subscriptions
	Targets   delivery.Targets        // of webhooks

	Population *fixtures.Population // of the people that no scenario names; nil: they have full-time salaries
}

// Worlds are all worlds of an emulator. Their state is in the store; only caches are in memory. They are safe for
// concurrent use.
type Worlds struct {
	*catalogues.Catalogues
	*registry.Walls
	*registry.Collector
	config    Config
	documents inventory.Documents
	faults    rules.Parsed
	created   atomic.Uint64
	deleted   atomic.Uint64
	changes   atomic.Uint64 // of the list of worlds, by this process
	ranked    atomic.Pointer[ranking]
	restoring *semaphore.Weighted

	unused   stored.Ages // of the last-used times of worlds
	outcomes outcomes    // of requests

	process *delivery.Process

	stopCollecting context.CancelFunc
	collecting     sync.WaitGroup
}

// New returns the worlds of a configuration, and deletes what ended generations have stored in the background until Close.
func New(config Config) *Worlds {
	config.Clock = clock.Steady(config.Clock)
	ws := &Worlds{
		Catalogues: catalogues.New(config.Catalogue, config.Clock.Wall), Walls: registry.NewWalls(config.Clock, config.Store.Shared(), config.TTL),
		Collector: registry.NewCollector(config.Store, config.Clock.Elapsed),
		config:    config, restoring: semaphore.NewWeighted(1), faults: rules.NewParsed(), documents: inventory.NewDocuments(),
	}
	ws.process = delivery.NewProcess(config.Store, config.Targets, config.Clock.Elapsed)
	ctx, stop := context.WithCancel(context.Background())
	ws.stopCollecting = stop
	ws.collecting.Go(func() { ws.CollectUntil(ctx) })
	return ws
}

// Config returns the configuration with the present catalogue.
func (ws *Worlds) Config() Config {
	config := ws.config
	config.Catalogue = ws.Base()
	return config
}

// Created returns how many worlds this process has created.
func (ws *Worlds) Created() uint64 { return ws.created.Load() }

// Deleted returns how many worlds this process has deleted, unused ones included.
func (ws *Worlds) Deleted() uint64 { return ws.deleted.Load() }

// Close ends the background work and closes the store. No request may be under way.
func (ws *Worlds) Close() error {
	ws.stopCollecting()
	ws.collecting.Wait()
	return ws.config.Store.Close()
}

// List returns the status of up to limit worlds, in the order of their ids, from the first after an id.
func (ws *Worlds) List(ctx context.Context, after string, limit int) (all []Status, err error) {
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		all = nil
		for entry, err := range tx.Scan(registry.RecordPrefix, registry.RecordPrefix+after) {
			if err != nil || len(all) == limit {
				return err
			}
			var r registry.Record
			id := strings.TrimPrefix(entry.Key, registry.RecordPrefix)
			if err := stored.Decode(id, entry.Value, &r); err != nil {
				return err
			}
			wall, _ := ws.Wall(id, r)
			all = append(all, statusOf(id, r, r.Instant(wall)))
		}
		return nil
	})
	return all, err
}

// All goes through the worlds in the order of their ids. It ends with the first error.
func (ws *Worlds) All(ctx context.Context) iter.Seq2[Status, error] {
	return pages("", func(s Status) string { return s.ID }, func(after string, limit int) ([]Status, error) {
		return ws.List(ctx, after, limit)
	})
}

// Create makes the world of a key that was not used, with a name: what a snapshot says, or a new one for snapshot nil.
// Nothing is left of it after an error.
func (ws *Worlds) Create(ctx context.Context, key, name string, snapshot io.ReadSeeker) (status Status, err error) {
	if err := CheckName(name); err != nil {
		return status, err
	}
	w := ws.ByKey(key)
	status, err = update(ctx, w, func(tx *Tx) (Status, error) {
		if !tx.made {
			return Status{}, conflict("A world with this key already exists: choose another name, or restore the snapshot there")
		}
		return tx.rename(name)
	})
	if err != nil || snapshot == nil {
		return status, err
	}
	if status, err = w.RestoreFrom(ctx, snapshot); err != nil {
		return status, errors.Join(err, w.Delete(context.WithoutCancel(ctx))) // the client may be gone
	}
	return status, nil
}

// rankingAge bounds the age of a ranking where other processes change the worlds.
const rankingAge = time.Second

// ranking is a list of all worlds, those used last first. Every page of the console shows its beginning.
type ranking struct {
	worlds  []Status
	at      time.Time
	changes uint64 // before it was made: see Worlds
}

// Latest returns the status of up to limit worlds that match, those used last first; match nil takes all. Another process
// may have changed them a second ago.
func (ws *Worlds) Latest(ctx context.Context, limit int, match func(Status) bool) (found []Status, err error) {
	now, changes, r := ws.config.Clock.Wall(), ws.changes.Load(), ws.ranked.Load()
	if r == nil || r.changes != changes || now.Sub(r.at) > rankingAge {
		r = &ranking{at: now, changes: changes}
		if r.worlds, err = ws.List(ctx, "", math.MaxInt); err != nil {
			return nil, err
		}
		slices.SortFunc(r.worlds, ByUse)
		ws.ranked.Store(r)
	}
	for _, s := range r.worlds {
		if len(found) == limit {
			break
		}
		if !s.Frozen {
			s.Now = s.Now.Add(now.Sub(r.at))
		}
		if match == nil || match(s) {
			found = append(found, s)
		}
	}
	return found, nil
}

// ByUse compares two worlds: the one that was used last is first.
func ByUse(a, b Status) int {
	return cmp.Or(b.Used.Compare(a.Used), strings.Compare(a.ID, b.ID))
}

// Count returns how many worlds there are. It looks through all of them.
func (ws *Worlds) Count(ctx context.Context) (worlds int, err error) {
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		worlds = 0
		for _, err := range tx.Scan(registry.RecordPrefix, "") {
			if err != nil {
				return err
			}
			worlds++
		}
		return nil
	})
	return worlds, err
}
