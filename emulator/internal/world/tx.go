package world

import (
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Tx is a world within one transaction, at one instant. It is not for concurrent use.
type Tx struct {
	inventory.Tx
	worlds  *Worlds
	keyName string // the part of the API key after sk_test_; "" for a world that was opened by its id
	record  record
	made    bool            // by this transaction
	changed bool            // the record, by this transaction
	late    bool            // see [Worlds.wall]
	began   int64           // the generation in which the transaction began
	held    []delivery.Made // by all runs of the transaction
	wall    time.Time       // see [Worlds.wall]
}

// in runs fn in the world within a transaction of the store.
func (w *World) in(measured *stored.Measured, fn func(*Tx) error) error {
	config := w.worlds.config
	r, err := readRecord(measured, w.id)
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
		generation, err := freeGeneration(measured, w.id, w.worlds.newGeneration())
		if err != nil {
			return err
		}
		tx.record = tx.subscribeFiles(config.newRecord(mask(w.key), generation), record{})
		tx.record.Turn = int(w.worlds.created.Load() % turns)
		if !config.MaskKeys {
			tx.record.Name = nameIn(w.key)
		}
	}
	tx.began = tx.record.Generation
	tx.wall, tx.late = w.worlds.wall(w.id, tx.record)
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
	tx.Values = stored.Values{Tx: tx.Store, Prefix: dataPrefix + generationName(tx.World, tx.record.Generation)}
	tx.Now, tx.Written, tx.Moved = tx.record.now(tx.wall), tx.record.now(tx.record.Used), false
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
func (tx *Tx) Status() Status { return tx.record.status(tx.World, tx.Now) }

func (r record) status(id string, now time.Time) Status {
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
