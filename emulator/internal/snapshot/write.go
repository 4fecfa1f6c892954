package snapshot

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
)

// Ending is the value of the last line.
type Ending struct {
	Dropped uint64 `json:"journal_dropped"` // number of requests before those in the journal
}

// EntryKey returns the key of an entry of the journal.
func EntryKey(e *journal.Entry) string { return fmt.Sprintf("%s%d", journalPrefix, e.Sequence) }

// Write writes the first line.
func Write(to io.Writer, head any) error {
	text, err := api.Render(head)
	if err == nil {
		_, err = to.Write(append(text, '\n'))
	}
	return err
}

// WriteLine writes a later line.
func WriteLine(to io.Writer, key string, value any) error {
	return Write(to, struct {
		Key   string `json:"key"`
		Value any    `json:"value"`
	}{key, value})
}

// WriteWorld writes the world itself and what it has stored. A session's index is not part of it: see [resource.IsIndex].
func WriteWorld(out io.Writer, head Head, values stored.Values) error {
	err := Write(out, head)
	if err == nil {
		err = values.Scan(catalogues.Prefix, "", func(name string, text []byte) (more bool, err error) {
			return true, WriteLine(out, catalogues.Prefix+name, string(text))
		})
	}
	if err != nil {
		return err
	}
	return values.Scan("", "", func(name string, value []byte) (more bool, err error) {
		if strings.HasPrefix(name, catalogues.Prefix) || resource.IsIndex(name) || delivery.IsIndex(name) {
			return true, nil
		}
		value, err = delivery.Unclaimed(name, value)
		return true, cmp.Or(err, WriteLine(out, name, json.RawMessage(value)))
	})
}

// WriteJournal writes the lines of a journal, and the last one.
func WriteJournal(to io.Writer, entries []*journal.Entry, dropped uint64) (err error) {
	for _, e := range entries {
		err = errors.Join(err, WriteLine(to, EntryKey(e), e))
	}
	return errors.Join(err, WriteLine(to, EndKey, Ending{dropped}))
}

// ErrLarge is the error of a snapshot that has no room.
var ErrLarge = errors.New("the snapshot is larger than what may be kept of it")

// Pack returns what write writes, compressed into at most room bytes. write calls rewind before it begins, and when it begins again.
func Pack(room int, write func(rewind func() error, to io.Writer) error) ([]byte, error) {
	text := &bounded{room: room}
	zipped := gzip.NewWriter(text)
	err := write(func() error { text.Reset(); zipped.Reset(text); return nil }, zipped)
	err = errors.Join(err, zipped.Close()) // which writes the rest
	return text.Bytes(), err
}

// Unpack writes the snapshot that Pack returned, or that a file says it did.
func Unpack(packed io.Reader, to io.Writer) error {
	zipped, err := gzip.NewReader(packed)
	if err != nil {
		return Refused("it cannot be unpacked: " + strings.TrimPrefix(err.Error(), "gzip: "))
	}
	n, err := io.Copy(to, io.LimitReader(zipped, limits.MaxSnapshot))
	if n == limits.MaxSnapshot {
		return api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The snapshot is larger than %d MB", limits.MaxSnapshot>>20))
	}
	return err
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
