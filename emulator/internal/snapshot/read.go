// Package snapshot has snapshots: a whole world as lines of JSON. The values of a world flow out as text; a text flows in, is checked
// line by line, and fills the values of another world. The first line is the world itself. Then comes a line for each value that the
// world has stored, with its key: first the texts of its scenario files, then all others, then the entries of its journal. The key of
// the last line is end, so that no beginning of a snapshot is taken for a whole one. Package world takes and restores snapshots.
package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/catalogues"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Group is a part of a snapshot, which has lines of one kind.
type Group int

// The groups, in their order. The first line has none.
const (
	Scenarios Group = iota + 1
	Values
	Journal
	End
)

const (
	journalPrefix = "journal/"
	EndKey        = "end"
)

// Group returns the group of the line.
func (l Line) Group() Group {
	switch {
	case l.Number == 1:
		return 0
	case strings.HasPrefix(l.Key, catalogues.Prefix):
		return Scenarios
	case strings.HasPrefix(l.Key, journalPrefix):
		return Journal
	case l.Key == EndKey:
		return End
	}
	return Values
}

// Text is the text of a snapshot. It is read line by line, as often as needed, because it may be too large for memory.
type Text struct{ io.ReadSeeker }

// Limits of a line, in bytes.
const (
	maxLine = 7 << 20 // a stored value has up to six bytes for each byte of a body
	maxHead = 1 << 20 // the first
)

// Line is a line of a snapshot as it was read. The first one has no key.
type Line struct {
	Number int            `json:"-"`
	Key    string         `json:"key"`
	Value  jsontext.Value `json:"value"`
}

// Refused returns the 400 of a snapshot with such a line.
func (l Line) Refused(why string) error {
	if l.Key == "" {
		return Refused(fmt.Sprintf("line %d %s", l.Number, why))
	}
	return Refused(fmt.Sprintf("line %d, %s, %s", l.Number, api.Quote(l.Key), why))
}

// Refused returns the 400 of an invalid snapshot.
func Refused(why string) error {
	return api.Because(http.StatusBadRequest, "The snapshot is refused, and nothing is changed: "+why)
}

// Lines goes through a snapshot. It ends with the first error.
func (d Text) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		l := Line{Number: 1}
		from := &lineReader{from: d, room: maxHead}
		in := jsontext.NewDecoder(from)
		_, err := d.Seek(0, io.SeekStart)
		for err == nil {
			var value jsontext.Value
			l.Key, l.Value = "", nil
			switch value, err = in.ReadValue(); {
			case err == io.EOF && l.Number > 1:
				return
			case err != nil:
				err = l.Unreadable(err, from.room <= 0)
			case l.Number == 1:
				l.Value = bytes.Clone(value)
			default:
				if err = jsonv2.Unmarshal(value, &l, jsonv2.RejectUnknownMembers(true)); err == nil && (l.Key == "" || l.Value == nil) {
					err = errors.New("it has no key, or no value")
				}
				if err != nil {
					err = l.Unreadable(err, false)
				}
			}
			if !yield(l, err) {
				return
			}
			l.Number++
			from.room = maxLine
		}
		if l.Number == 1 && err != nil {
			yield(l, err) // of Seek
		}
	}
}

// Unreadable returns the 400 of a line that cannot be decoded. An error of the file is returned as it is.
func (l Line) Unreadable(err error, large bool) error {
	switch {
	case errors.As(err, new(*fs.PathError)):
		return err
	case err == io.EOF:
		return Refused("it is empty")
	case large && l.Number == 1:
		return l.Refused(fmt.Sprintf("is larger than %d MiB: a snapshot has one key a line", maxHead>>20))
	case large:
		return l.Refused(fmt.Sprintf("is larger than %d MiB", maxLine>>20))
	}
	return l.Refused("cannot be read: " + api.ExplainJSON(err))
}

// lineReader reads a snapshot for a decoder, which holds a line in memory to its end.
type lineReader struct {
	from io.Reader
	room int // bytes that may be read before the end of the line
}

func (r *lineReader) Read(into []byte) (n int, err error) {
	if r.room <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err = r.from.Read(into[:min(len(into), r.room)])
	r.room -= n
	return n, err
}

// Entries goes through the journal of a checked snapshot. It ends with the first error.
func (d Text) Entries() iter.Seq2[*journal.Entry, error] {
	return func(yield func(*journal.Entry, error) bool) {
		for l, err := range d.Lines() {
			e := new(journal.Entry)
			if err == nil && l.Group() != Journal {
				continue
			}
			if err == nil {
				err = jsonv2.Unmarshal(l.Value, e)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
