package world

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

// undoPrefix begins the names under which a world stores what it was before a reset: a packed snapshot in parts, and when. It is not
// part of a snapshot, and goes with the generation, at the next reset.
const undoPrefix = "undo/"

const (
	maxUndo  = 8 << 20   // bytes of the packed snapshot
	undoPart = 256 << 10 // bytes of a part of it
)

// undo says that a snapshot from before a reset is whole.
type undo struct {
	At    time.Time `json:"at"` // by the machine's clock
	Parts int       `json:"parts"`
}

func partName(number int) string { return fmt.Sprintf("%s%04d", undoPrefix, number) }

// ResetWithUndo is [World.Reset] that stores what the world was for [Before], unless that takes too much.
func ResetWithUndo(ctx context.Context, w *World) error {
	packed, err := Packed(ctx, w, maxUndo)
	if errors.Is(err, ErrLarge) {
		packed, err = nil, nil
	}
	if err == nil {
		_, err = w.Reset(ctx)
	}
	if err != nil || packed == nil {
		return err
	}
	saved := undo{At: w.worlds.config.Clock.Wall()}
	for part := range slices.Chunk(packed, undoPart) {
		if err := w.Update(ctx, func(tx *Tx) error { return tx.values.Put(partName(saved.Parts), part) }); err != nil {
			return err
		}
		saved.Parts++
	}
	return w.Update(ctx, func(tx *Tx) error {
		_, err := tx.values.Save(undoPrefix, saved)
		return err
	})
}

// ResetAt returns when a world was reset that [Before] returns; zero for none.
func ResetAt(ctx context.Context, w *World) (time.Time, error) {
	saved, err := read(ctx, w, func(tx *Tx) (saved undo, err error) {
		err = tx.values.Load(undoPrefix, &saved)
		return saved, err
	})
	return saved.At, err
}

// Before returns what a world was before its last reset, as [Packed] does, and when that was; nil for none.
func Before(ctx context.Context, w *World) (packed []byte, at time.Time, err error) {
	err = w.Do(ctx, func(tx *Tx) error {
		packed = nil
		var saved undo
		if err := tx.values.Load(undoPrefix, &saved); err != nil {
			return err
		}
		at = saved.At
		for number := range saved.Parts {
			part, err := tx.values.Get(partName(number))
			if err != nil {
				return err
			}
			packed = append(packed, part...)
		}
		return nil
	})
	return packed, at, err
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
