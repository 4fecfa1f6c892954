package world

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"reflect"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// document is the text of a snapshot. It is read part by part, as often as needed, because a whole snapshot may be too large
// for memory: a part is a member, a stored value, or an entry of the journal.
type document struct{ io.ReadSeeker }

// Limits of what is in memory of a snapshot, in bytes.
const (
	maxPart    = 7 << 20  // each part: a stored value has up to six bytes for each byte of a body
	maxOutline = 16 << 20 // the texts of scenario files together
	maxHead    = 1 << 20  // all other members together, except for the journal's entries
)

var (
	errPartSize = fmt.Errorf("one of its values, or the space between two, is larger than %d MiB", maxPart>>20)
	errHeadSize = errors.New("its scenarios, faults and other members are too large together")
)

// parts are the parts of a document while they are read.
type parts struct {
	in   *jsontext.Decoder
	from io.Reader
	room int // bytes that may be read before the end of the part

	// open is called where an object or a list of parts begins and ends; nil: nothing is.
	open func(path []string, token jsontext.Token) error

	// visit reads the part with a path from in: its names from the outside in, "" for an entry.
	visit func(path []string, in *jsontext.Decoder) error
}

// read reads all parts of a document.
func (p parts) read(d document) error {
	if _, err := d.Seek(0, io.SeekStart); err != nil {
		return err
	}
	p.from, p.room = d, maxPart
	p.in = jsontext.NewDecoder(&p, jsontext.AllowDuplicateNames(true)) // without it the decoder holds all names
	switch err := p.value(nil); {
	case err == io.EOF: // without a value
		return &jsontext.SyntacticError{Err: io.ErrUnexpectedEOF}
	case err != nil:
		return err
	}
	if _, err := p.in.ReadToken(); err != io.EOF {
		return errors.New("something follows its end")
	}
	return nil
}

// Read reads from the document for the decoder, which holds a part in memory to its end.
func (p *parts) Read(into []byte) (n int, err error) {
	if p.room <= 0 {
		return 0, errPartSize
	}
	n, err = p.from.Read(into[:min(len(into), p.room)])
	p.room -= n
	return n, err
}

// value reads a value: as a part, or the parts in it.
func (p *parts) value(path []string) error {
	within, kind := strings.Join(path, "/"), p.in.PeekKind()
	if kind == '{' && slices.Contains([]string{"", "remembered", "journal"}, within) || kind == '[' && within == "journal/entries" {
		return p.container(path)
	}
	err := p.visit(path, p.in)
	p.room = maxPart
	return err
}

// container reads the values of an object or a list.
func (p *parts) container(path []string) error {
	open, err := p.in.ReadToken()
	if err == nil && p.open != nil {
		err = p.open(path, open)
	}
	if err != nil {
		return err
	}
	list := open.Kind() == '['
	for kind := p.in.PeekKind(); kind != '}' && kind != ']'; kind = p.in.PeekKind() {
		name := ""
		if !list {
			token, err := p.in.ReadToken()
			if err != nil {
				return err
			}
			name = token.String()
		}
		if err := p.value(append(slices.Clip(path), name)); err != nil {
			return err
		}
	}
	end, err := p.in.ReadToken()
	if err == nil && p.open != nil {
		err = p.open(path, end)
	}
	return err
}

// isStored reports whether the part with a path is a stored value.
func isStored(path []string) bool { return len(path) == 2 && path[0] == "remembered" }

// outline reads a snapshot without its stored values, except for the texts of scenario files, and without the entries of its
// journal. It checks the syntax of all.
func (d document) outline() (s Snapshot, err error) {
	var text bytes.Buffer
	out := jsontext.NewEncoder(&text)
	name := func(path []string) error {
		if len(path) == 0 {
			return nil
		}
		return out.WriteToken(jsontext.String(path[len(path)-1]))
	}
	head := 0
	err = parts{
		open: func(path []string, token jsontext.Token) error {
			if kind := token.Kind(); kind == '}' || kind == ']' {
				return out.WriteToken(token)
			}
			return errors.Join(name(path), out.WriteToken(token))
		},
		visit: func(path []string, in *jsontext.Decoder) error {
			stored := isStored(path)
			if len(path) == 3 || stored && !strings.HasPrefix(path[1], scenarioPrefix) {
				return in.SkipValue()
			}
			value, err := in.ReadValue()
			if err != nil {
				return err
			}
			if !stored {
				head += len(value)
			}
			if head > maxHead || text.Len() > maxOutline {
				return errHeadSize
			}
			return errors.Join(name(path), out.WriteValue(value))
		},
	}.read(d)
	if err == nil {
		err = jsonv2.Unmarshal(text.Bytes(), &s, jsonv2.RejectUnknownMembers(true))
	}
	if err != nil {
		return s, unreadable(err)
	}
	if s.Version != SnapshotVersion {
		return s, nil // another release's may have other members: restore refuses it by its version
	}
	if lack := api.Missing(text.Bytes(), reflect.TypeFor[Snapshot]()); lack != "" {
		return s, snapshotRefused(lack)
	}
	if s.Stored == nil {
		return s, snapshotRefused("remembered may not be null")
	}
	if s.Journal.Entries == nil {
		return s, snapshotRefused("journal: entries is null: an empty journal has []")
	}
	return s, nil
}

// unreadable returns the 400 of a snapshot that cannot be decoded. Other errors are returned as they are.
func unreadable(err error) error {
	if errors.As(err, new(*api.Error)) || errors.As(err, new(*fs.PathError)) {
		return err
	}
	for _, size := range []error{errPartSize, errHeadSize} {
		if errors.Is(err, size) {
			err = size
		}
	}
	return snapshotRefused("it cannot be read: " + api.ExplainJSON(err))
}

// check checks the stored values and the journal of a snapshot, and returns the number of the journal's entries. tx is the
// restored world, without a store.
func (d document) check(tx *Tx, checker *journal.Checker) (entries int, err error) {
	err = parts{visit: func(path []string, in *jsontext.Decoder) error {
		switch {
		case isStored(path):
			value, err := in.ReadValue()
			if err != nil {
				return err
			}
			if err = jsonv2.Unmarshal(value, new(jsontext.Value)); err != nil { // a key twice
				err = errors.New("cannot be read: " + api.ExplainJSON(err))
			} else {
				err = tx.check(path[1], []byte(value))
			}
			if err != nil {
				return snapshotRefused("remembered " + api.Quote(path[1]) + " " + err.Error())
			}
			return nil
		case len(path) == 3:
			var e *journal.Entry
			if err := jsonv2.UnmarshalDecode(in, &e); err != nil {
				return err
			}
			if err := checker.Check(e); err != nil {
				return snapshotRefused("journal: " + err.Error())
			}
			entries++
			return nil
		}
		return in.SkipValue()
	}}.read(d)
	if err != nil {
		return 0, unreadable(err)
	}
	return entries, nil
}

// stored goes through the values of a checked snapshot, as a world stores them, with the index of its sessions. It ends with
// the first error.
func (d document) stored() iter.Seq2[storedValue, error] {
	return untilStopped(func(yield func(storedValue) error) error {
		return parts{visit: func(path []string, in *jsontext.Decoder) error {
			if !isStored(path) {
				return in.SkipValue()
			}
			value, err := in.ReadValue()
			if err != nil {
				return err
			}
			stored := bytes.Clone(value)
			if strings.HasPrefix(path[1], scenarioPrefix) {
				if stored, err = jsontext.AppendUnquote(nil, value); err != nil {
					return err
				}
			}
			for _, entry := range append(indexOf(path[1], stored), storedValue{path[1], stored}) {
				if err := yield(entry); err != nil {
					return err
				}
			}
			return nil
		}}.read(d)
	})
}

// entries goes through the journal of a checked snapshot. It ends with the first error.
func (d document) entries() iter.Seq2[*journal.Entry, error] {
	return untilStopped(func(yield func(*journal.Entry) error) error {
		return parts{visit: func(path []string, in *jsontext.Decoder) error {
			if len(path) < 3 {
				return in.SkipValue()
			}
			e := new(journal.Entry)
			if err := jsonv2.UnmarshalDecode(in, e); err != nil {
				return err
			}
			return yield(e)
		}}.read(d)
	})
}

// untilStopped returns a sequence that ends with the error of read, whose yield returns an error to be stopped by.
func untilStopped[T any](read func(yield func(T) error) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := errors.New("stopped")
		err := read(func(value T) error {
			if !yield(value, nil) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			var none T
			yield(none, err)
		}
	}
}
