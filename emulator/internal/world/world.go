// Package world implements worlds: the private sandbox of one API key each, with its clock and its resources. A key or an id and a
// function flow in; the function runs in one transaction of the store, at one instant, and its result flows out once the transaction is
// committed. Only these transactions, and a restore before its last one, write to the keys of a world. Package registry has the records
// that they open, package catalogues the scenarios, package inventory the resources, and package snapshot the text of a whole world.
//
// An error that the caller can correct, such as an unknown id or a malformed text, is an [*api.Error]; every other
// error is a failure of the store.
package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/registry"
	"github.com/understudy-sandbox/understudy/store"
)

// World steers the world of an API key. Each change is one transaction, except Restore, which takes several and becomes
// visible all at once. A method whose error is an [*api.Error] changes nothing. A World is safe for concurrent use and stores
// nothing itself.
type World struct {
	worlds  *Worlds
	key, id string // key is "" where only the id is given
	dry     bool   // changes are thrown away
	holds   bool   // see Hold
	held    []delivery.Made
}

// idLength is the length of a world's id: 12 bytes in hexadecimal digits.
const idLength = 24

// ByKey returns the world of an API key. The first use creates it.
func (ws *Worlds) ByKey(key string) *World { return &World{worlds: ws, key: key, id: IDOf(key)} }

// ByID returns the world with an id from [Status]. Use does not create it: its methods return an error while there is
// no such world.
func (ws *Worlds) ByID(id string) *World { return &World{worlds: ws, id: id} }

// IDOf returns the id of a key's world, created or not. The key cannot be computed from it.
func IDOf(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:idLength/2])
}

// OwnerOf returns whose budget a request about a world of a client uses.
func OwnerOf(w *World, addr string) limits.Owner { return limits.Owner{Addr: addr, World: w.id} }

// ValidID reports whether a world can have an id.
func ValidID(id string) bool {
	return len(id) == idLength && strings.Trim(id, "0123456789abcdef") == ""
}

// Do runs fn in one transaction: first in a snapshot, and again in a transaction that may write as soon as fn tries to
// write. So fn may run several times, must have no effect but on its world, and returns the errors of the methods of Tx.
// When fn returns an error, nothing is changed. The use of a world that fn only reads is written behind fn, in a transaction of its
// own that may fail: while the store takes no writes, fn may read.
func (w *World) Do(ctx context.Context, fn func(*Tx) error) error {
	late := false
	err := w.transact(ctx, w.worlds.config.Store.View, func(tx *Tx) error {
		late = tx.late
		return fn(tx)
	})
	if errors.Is(err, store.ErrReadOnly) || late && w.use(ctx) {
		return w.Update(ctx, fn)
	}
	return err
}

// use writes the last-used time of a world after a call that has written nothing, and reports whether the world is gone meanwhile.
func (w *World) use(ctx context.Context) (gone bool) {
	if w.dry {
		return false
	}
	err := w.worlds.ByID(w.id).Update(context.WithoutCancel(ctx), func(*Tx) error { return nil }) // a client that is gone has used it, too
	return errors.As(err, new(*api.Error))
}

// Update is [World.Do] without the snapshot, for a function that always writes.
func (w *World) Update(ctx context.Context, fn func(*Tx) error) error {
	if w.dry {
		return w.Preview(ctx, fn)
	}
	var tx *Tx
	err := w.transact(ctx, w.worlds.config.Store.Update, func(opened *Tx) error {
		if tx != nil { // this is a retry
			opened.held = tx.held
		}
		tx = opened
		if tx.late && !tx.changed {
			if err := tx.setRecord(tx.record); err != nil { // which writes the last-used time
				return err
			}
		}
		err := fn(tx)
		if made := tx.Outbox.Made; err == nil && len(made) > 0 { // before it is committed
			w.worlds.process.Hold(made)
			tx.held = append(tx.held, made...)
		}
		return err
	})
	if process := w.worlds.process; tx != nil && (len(tx.held) > 0 || tx.Outbox.Roused) {
		if err != nil {
			process.Release(w.id, tx.held)
		} else {
			w.held = append(w.held, process.Send(ctx, w.id, tx.held, w.holds)...)
		}
	}
	if err != nil {
		if errors.As(err, new(*api.Error)) && tx != nil && tx.late && !tx.made {
			w.use(ctx) // a call that is refused is a use, too
		}
		return err
	}
	if tx.changed {
		w.worlds.changes.Add(1)
	}
	if tx.made {
		w.worlds.created.Add(1)
	}
	if tx.began != tx.record.Generation {
		w.worlds.config.Journal.Begin(tx.Journal())
	}
	return nil
}

// Preview is [World.Do] whose changes are thrown away.
func (w *World) Preview(ctx context.Context, fn func(*Tx) error) error {
	return w.transact(ctx, func(ctx context.Context, fn func(store.Tx) error) error {
		return w.worlds.config.Store.View(ctx, func(stored store.Tx) error { return fn(store.NewBuffer(stored)) })
	}, fn)
}

// Dry returns the world as a place for dry runs: its methods return what they would, and change nothing.
func (w *World) Dry() *World {
	dry := *w
	dry.dry = true
	return &dry
}

// read returns the result of fn from a transaction that rarely writes.
func read[T any](ctx context.Context, w *World, fn func(*Tx) (T, error)) (result T, err error) {
	err = w.Do(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// update returns the result of fn from a transaction that writes.
func update[T any](ctx context.Context, w *World, fn func(*Tx) (T, error)) (result T, err error) {
	err = w.Update(ctx, func(tx *Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return result, err
}

// pageSize is how many items an iterator reads in one transaction.
const pageSize = 100

// pages goes through a list in the order of the items' ids, from the first after an id. read returns the next items after an id,
// up to limit. The sequence ends with the first error.
func pages[T any](after string, id func(T) string, read func(after string, limit int) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := after; ; {
			items, err := read(last, pageSize)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range items {
				if last = id(item); !yield(item, nil) {
					return
				}
			}
			if len(items) < pageSize {
				return
			}
		}
	}
}

// Status is the state of a world at one instant.
type Status struct {
	ID      string // names the world on the control plane; the key cannot be computed from it
	Key     string // masked
	Name    string // "" for none
	Turn    int    // below 8: worlds that were created one after the other have others, as colours
	Seed    uint64
	Created time.Time // by its own clock
	Now     time.Time // by its own clock, in UTC
	Frozen  bool      // the clock is frozen
	Used    time.Time // the last use by the machine's clock, to the minute; zero: unknown
	Faults  int       // that have not expired; Faults leaves out those that are used up

	Deliveries *Carried // by a change of the clock, in a world with subscriptions
}

// turns is the number of values of [Status].Turn.
const turns = 8

// Status returns the world's status.
func (w *World) Status(ctx context.Context) (Status, error) {
	return read(ctx, w, func(tx *Tx) (Status, error) { return tx.Status(), nil })
}

// Reset returns the world to its first state, all at once: resources, clock, faults, counters, journal and world scenarios. It
// keeps its name, and what it was for [WriteBefore].
func (w *World) Reset(ctx context.Context) (Status, error) {
	return update(ctx, w, func(tx *Tx) (Status, error) {
		if tx.made {
			return tx.Status(), nil
		}
		if err := registry.StoreBefore(tx.Store, tx.World, registry.Before{At: w.worlds.config.Clock.Wall(), Record: tx.record}); err != nil {
			return Status{}, err
		}
		generation, err := registry.Free(tx.Store, tx.World, tx.record.Generation+1)
		if err != nil {
			return Status{}, err
		}
		r := tx.subscribeFiles(w.worlds.config.newRecord(tx.record.Key, generation), tx.record)
		r.Name, r.Turn = tx.record.Name, tx.record.Turn
		err = tx.setRecord(r)
		return tx.Status(), err
	})
}

// maxName is the number of characters that a world's name has at most.
const maxName = 64

// CheckName returns an error for a text that cannot be the name of a world.
func CheckName(name string) error {
	if length := utf8.RuneCountInString(name); length == 0 || length > maxName || strings.TrimSpace(name) != name ||
		strings.ContainsFunc(name, func(r rune) bool { return r == utf8.RuneError || !unicode.IsGraphic(r) }) {
		return invalid(fmt.Sprintf("A world name has 1 to %d visible characters, without leading or trailing space", maxName))
	}
	if api.Mask(name) != name {
		return invalid("A world's name is shown to everybody: leave out the API key, or the nine digits that may be a social security number")
	}
	return nil
}

// Rename gives the world a name for people; "" takes it away. Several worlds may have the same.
func (w *World) Rename(ctx context.Context, name string) (Status, error) {
	if name != "" {
		if err := CheckName(name); err != nil {
			return Status{}, err
		}
	}
	return update(ctx, w, func(tx *Tx) (Status, error) { return tx.rename(name) })
}

func (tx *Tx) rename(name string) (Status, error) {
	r := tx.record
	r.Name = name
	err := tx.setRecord(r)
	return tx.Status(), err
}

// Delete deletes the world, as if its key had never been used.
func (w *World) Delete(ctx context.Context) error {
	deleted, err := w.worlds.delete(ctx, w.id, nil)
	if err == nil && !deleted && w.key == "" {
		return worldUnknown(w.id)
	}
	return err
}

// worldUnknown is the 404 of an id that no world has. It shows an id in the shape of a world's unmasked.
func worldUnknown(id string) error {
	shown := api.Quote(id)
	if ValidID(id) {
		shown = strconv.Quote(id)
	}
	return notFound("There is no world " + shown + ": the list of worlds has the ids")
}

func invalid(message string) error  { return api.Because(400, message) }
func notFound(message string) error { return api.Because(404, message) }
func conflict(message string) error { return api.Because(409, message) }
