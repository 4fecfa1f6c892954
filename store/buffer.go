package store

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Buffer is a Tx that collects writes over another Tx: its Get and Scan see them, the other Tx does not. An engine applies
// them when the function of an Update returns nil; a dry run discards them.
type Buffer struct {
	base   Tx
	writes map[string][]byte // nil: deleted
}

// NewBuffer returns an empty Buffer over a Tx.
func NewBuffer(base Tx) *Buffer { return &Buffer{base, make(map[string][]byte)} }

func (b *Buffer) Get(key string) ([]byte, error) {
	if value, ok := b.writes[key]; ok {
		return value, nil
	}
	return b.base.Get(key)
}

func (b *Buffer) Scan(prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		writes := maps.Clone(b.writes)
		own := slices.DeleteFunc(slices.Sorted(maps.Keys(writes)), func(key string) bool {
			return writes[key] == nil || !strings.HasPrefix(key, prefix) || key <= after
		})
		for found, err := range b.base.Scan(prefix, after) {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for len(own) > 0 && own[0] <= found.Key {
				if !yield(Entry{own[0], writes[own[0]]}, nil) {
					return
				}
				own = own[1:]
			}
			if _, written := writes[found.Key]; !written && !yield(found, nil) {
				return
			}
		}
		for _, key := range own {
			if !yield(Entry{key, writes[key]}, nil) {
				return
			}
		}
	}
}

func (b *Buffer) Put(key string, value []byte) error {
	if value == nil {
		value = []byte{}
	}
	return b.write(key, value)
}

func (b *Buffer) Delete(key string) error { return b.write(key, nil) }

func (b *Buffer) write(key string, value []byte) error {
	if len(key) == 0 || len(key) > MaxKey {
		return fmt.Errorf("store: a key of %d bytes: the length is 1 to %d", len(key), MaxKey)
	}
	b.writes[key] = value
	return nil
}

// Writes returns the writes in ascending order of keys. A deleted key has the value nil.
func (b *Buffer) Writes() (writes []Entry) {
	for _, key := range slices.Sorted(maps.Keys(b.writes)) {
		writes = append(writes, Entry{key, b.writes[key]})
	}
	return writes
}
