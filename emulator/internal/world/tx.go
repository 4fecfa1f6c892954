package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/store"
)

// Tx is a world within one transaction, at one instant. It is not for concurrent use.
type Tx struct {
	inventory.Tx
	worlds  *Worlds
	keyName string // the part of the API key after sk_test_; "" for a world that was opened by its id
	record  registry.Record
	made    bool            // by this transaction
	changed bool            // the record, by this transaction
	late    bool            // see [registry.Walls.Wall]
	began   int64           // the generation in which the transaction began
	held    []delivery.Made // by all runs of the transaction
	wall    time.Time       // see [registry.Walls.Wall]
}

// transact runs fn in the world within a transaction of the store. When fn reads large values for an answer, it runs again once
// there is room: no transaction waits for it.
func (w *World) transact(ctx context.Context, run func(context.Context, func(store.Tx) error) error, fn func(*Tx) error) error {
	for {
		read := new(stored.Measured)
		err := run(ctx, func(tx store.Tx) error {
			*read = stored.Measured{Tx: tx, Room: limits.Room(ctx)}
			if err := w.in(read, fn); err != nil {
				return err
			}
			return read.Want(0) // fn may have left the error
		})
		if read.Wanted <= read.Room {
			return err
		}
		if err := limits.Admit(ctx, w.id, read.Wanted); err != nil {
			return err
		}
	}
}

// in runs fn in the world within a transaction of the store.
func (w *World) in(measured *stored.Measured, fn func(*Tx) error) error {
	config := w.worlds.config
	r, err := registry.Read(measured, w.id)
	if err != nil {
		return err
	}
	tx := &Tx{worlds: w.worlds, record: r, made: r.Generation == 0}
	tx.World, tx.Store, tx.Outbox = w.id, measured, w.worlds.process.Outbox()
	tx.Documents, tx.Refused = w.worlds.documents, w.worlds.Refused
	_, tx.keyName, _ = strings.Cut(w.key, "_sk_test_")
	if tx.made {
		if w.key == "" {
			return worldUnknown(w.id)
		}
		generation, err := registry.Free(measured, w.id, w.worlds.NewGeneration())
		if err != nil {
			return err
		}
		tx.record = tx.subscribeFiles(config.newRecord(mask(w.key), generation), registry.Record{})
		tx.record.Turn = int(w.worlds.created.Load() % turns)
		if !config.MaskKeys {
			tx.record.Name = nameIn(w.key)
		}
	}
	tx.began = tx.record.Generation
	tx.wall, tx.late = w.worlds.Wall(w.id, tx.record)
	err = tx.apply()
	expired := func(f rules.StoredFault) bool { return f.Expires != nil && tx.Turned(*f.Expires) }
	if err == nil && (tx.made || slices.ContainsFunc(tx.record.Faults, expired)) {
		err = tx.setRecord(tx.record)
	}
	if err != nil {
		return err
	}
	if err = fn(tx); err == nil && tx.Moved {
		err = tx.setRecord(tx.record)
	}
	return err
}

// apply sets what depends on the world's record.
func (tx *Tx) apply() (err error) {
	tx.Values = stored.Values{Tx: tx.Store, Prefix: registry.ValuesPrefix(tx.World, tx.record.Generation)}
	tx.Now, tx.Written, tx.Moved = tx.record.Instant(tx.wall), tx.record.Instant(tx.record.Used), false
	tx.Outbox.Journal, tx.Outbox.Values, tx.Outbox.Now = tx.Journal(), tx.Values, tx.Now
	tx.Outbox.Running, tx.Outbox.Subscriptions = tx.record.Frozen == nil, tx.record.Subscriptions
	tx.Fixtures = fixtures.Generator{Seed: tx.record.Seed, Began: tx.record.Created, Population: tx.worlds.config.Population}
	if tx.Catalogue, err = tx.worlds.CatalogueOf(tx.Values, tx.record.Scenarios); err != nil {
		return err
	}
	tx.Rules = rules.Rules{
		Values: tx.Values, Seed: tx.record.Seed, Began: tx.record.Created, Now: tx.Now, Frozen: tx.record.Frozen != nil,
		Faults: tx.record.Faults, Parsed: tx.worlds.faults, Global: tx.Catalogue.ForKey(tx.keyName),
	}
	tx.Settings = tx.record.Settings
	for _, global := range tx.Rules.Global {
		tx.Settings = tx.Settings.Or(global.Settings)
	}
	tx.Settings = tx.Settings.Or(tx.worlds.config.Settings).Or(defaults)
	tx.Fixtures.Grease = tx.Settings.Grease != "off"
	return nil
}

// Status returns the world's status.
func (tx *Tx) Status() Status { return statusOf(tx.World, tx.record, tx.Now) }

func statusOf(id string, r registry.Record, now time.Time) Status {
	s := Status{ID: id, Key: r.Key, Name: r.Name, Turn: r.Turn, Seed: r.Seed, Created: r.Created, Now: now.UTC(), Frozen: r.Frozen != nil, Used: r.Used}
	for _, f := range r.Faults {
		if !f.Expired(now) {
			s.Faults++
		}
	}
	return s
}

// Journal returns the key of the world's journal.
func (tx *Tx) Journal() journal.Ref {
	return journal.Ref{World: tx.World, Generation: tx.record.Generation}
}

// newRecord returns the record of a new world.
func (c Config) newRecord(maskedKey string, generation int64) registry.Record {
	r := registry.Record{Key: maskedKey, Seed: c.Seed, Generation: generation}
	if c.Clock.Frozen.IsZero() {
		r.Created = c.Clock.Wall().UTC().Truncate(time.Microsecond)
	} else {
		r.Created = c.Clock.Frozen.UTC()
		r.Frozen = &r.Created
	}
	for _, s := range c.Webhooks {
		r.Add(delivery.Subscribed{Subscription: s, Since: r.Created}, r.Seed)
	}
	return r
}

// maxRecord bounds a record, in bytes: it is one value of the store, and etcd takes 1.5 MiB at once. A longer record may
// grow by alwaysRoom, so that its clock and its last-used time can still change.
const (
	maxRecord  = 512 << 10
	alwaysRoom = 128
)

// setRecord stores another record, unless that is too long, and applies it.
func (tx *Tx) setRecord(r registry.Record) error {
	if r.Generation != tx.record.Generation { // the wall of another one is the machine's clock again
		tx.wall, _ = tx.worlds.Wall(tx.World, r)
	}
	r.Used = tx.wall
	after, err := json.Marshal(r)
	if err != nil {
		return err
	}
	most := maxRecord
	if len(after) > most {
		before, err := json.Marshal(tx.record)
		if err != nil {
			return err
		}
		most = max(most, len(before)+alwaysRoom)
	}
	if len(after) > most {
		return conflict(fmt.Sprintf(
			"The world's faults and scenario list may take %d KiB, and these need %d: delete some first, or write them shorter",
			maxRecord>>10, (len(after)+1023)>>10))
	}
	if err := tx.Store.Put(registry.RecordPrefix+tx.World, after); err != nil {
		return err
	}
	tx.record, tx.changed = r, true
	return tx.apply()
}
