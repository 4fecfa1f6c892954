package world

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// beforePrefix begins the keys of what worlds were before their last reset, by their ids. Nothing is copied: such a key keeps the
// generation that the reset has ended, until the next one ends.
const beforePrefix = "before/"

// before is a world before its last reset.
type before struct {
	At     time.Time `json:"at"` // of the reset, by the machine's clock
	Record record    `json:"record"`
}

// endBefore ends the generation that the last reset of a world has kept.
func endBefore(tx store.Tx, id string) error {
	var b before
	err := stored.Load(tx, beforePrefix+id, &b)
	if err != nil || b.At.IsZero() {
		return err
	}
	return errors.Join(tx.Delete(beforePrefix+id), endGeneration(tx, id, b.Record.Generation))
}

// before returns the world as it was before its last reset, to be read, and when that was; nil for none.
func (tx *Tx) before() (*Tx, time.Time, error) {
	var b before
	err := stored.Load(tx.store, beforePrefix+tx.id, &b)
	if err != nil || b.At.IsZero() {
		return nil, b.At, err
	}
	earlier := *tx
	earlier.record, earlier.now = b.Record, b.Record.now(b.At)
	earlier.values.Prefix = dataPrefix + generationName(tx.id, b.Record.Generation)
	return &earlier, b.At, nil
}

// ResetAt returns when a world was reset last; zero for never, and after a restore.
func ResetAt(ctx context.Context, w *World) (time.Time, error) {
	return read(ctx, w, func(tx *Tx) (time.Time, error) {
		_, at, err := tx.before()
		return at, err
	})
}

// EntriesBefore returns the requests from before the last reset of a world, the oldest first, and when that was.
func EntriesBefore(ctx context.Context, w *World) (entries []*journal.Entry, at time.Time, err error) {
	ref, err := read(ctx, w, func(tx *Tx) (ref journal.Ref, err error) {
		var earlier *Tx
		if earlier, at, err = tx.before(); earlier != nil {
			ref = earlier.Journal()
		}
		return ref, err
	})
	if err == nil && !at.IsZero() {
		entries, _, err = w.worlds.config.Journal.Read(ctx, ref)
	}
	return entries, at, err
}

// WriteBefore is [World.WriteSnapshot] of a world before its last reset.
func WriteBefore(ctx context.Context, w *World, rewind func() error, to io.Writer) error {
	return w.writeSnapshot(ctx, rewind, to, func(tx *Tx) (*Tx, error) {
		earlier, _, err := tx.before()
		if err == nil && earlier == nil {
			err = conflict("There is no reset to undo: a world keeps what it was before its last reset, until it is reset again or restored")
		}
		return earlier, err
	})
}

// ErrLarge is the error of a snapshot that has no room.
var ErrLarge = errors.New("the snapshot is larger than what may be kept of it")

// Packed returns a snapshot of a world, compressed into at most room bytes.
func Packed(ctx context.Context, w *World, room int) ([]byte, error) {
	text := &bounded{room: room}
	zipped := gzip.NewWriter(text)
	err := w.WriteSnapshot(ctx, func() error { text.Reset(); zipped.Reset(text); return nil }, zipped)
	err = errors.Join(err, zipped.Close()) // which writes the rest
	return text.Bytes(), err
}

// Unpack writes the snapshot that Packed returned, or that a file says it did.
func Unpack(packed io.Reader, to io.Writer) error {
	zipped, err := gzip.NewReader(packed)
	if err != nil {
		return snapshotRefused("it cannot be unpacked: " + strings.TrimPrefix(err.Error(), "gzip: "))
	}
	n, err := io.Copy(to, io.LimitReader(zipped, limits.MaxSnapshot))
	if n == limits.MaxSnapshot {
		return tooLarge(fmt.Sprintf("The snapshot is larger than %d MB", limits.MaxSnapshot>>20))
	}
	return err
}

// SnapshotEntries goes through the requests of a snapshot, the oldest first. It ends with the first error.
func SnapshotEntries(snapshot io.ReadSeeker) iter.Seq2[*journal.Entry, error] {
	return document{snapshot}.entries()
}

// bounded is a buffer for a number of bytes.
type bounded struct {
	bytes.Buffer
	room int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.room {
		return 0, ErrLarge
	}
	return b.Buffer.Write(p)
}
