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

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

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
