package store

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Buffer is a Tx over another one that keeps its writes to itself: Get and Scan see them, the Tx below does not. An engine
// applies them when the function of an Update has returned nil; a dry run throws them away.
type Buffer struct {
	below  Tx
	writes map[string][]byte // nil: deleted
}

// NewBuffer returns an empty Buffer over a Tx.
func NewBuffer(below Tx) *Buffer { return &Buffer{below, make(map[string][]byte)} }

func (b *Buffer) Get(key string) ([]byte, error) {
	if value, ok := b.writes[key]; ok {
		return value, nil
	}
	return b.below.Get(key)
}

func (b *Buffer) Scan(prefix, after string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		own := slices.DeleteFunc(b.Writes(), func(e Entry) bool { return !strings.HasPrefix(e.Key, prefix) || e.Key <= after })
		emit := func(entry Entry) bool { return entry.Value == nil || yield(entry, nil) }
		for found, err := range b.below.Scan(prefix, after) {
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for len(own) > 0 && own[0].Key < found.Key {
				if !emit(own[0]) {
					return
				}
				own = own[1:]
			}
			if len(own) > 0 && own[0].Key == found.Key {
				found, own = own[0], own[1:]
			}
			if !emit(found) {
				return
			}
		}
		for _, entry := range own {
			if !emit(entry) {
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
		return fmt.Errorf("store: a key has 1 to %d bytes, this one has %d", MaxKey, len(key))
	}
	b.writes[key] = value
	return nil
}

// Writes returns what was written, in ascending order of keys. The value of a key that was deleted is nil.
func (b *Buffer) Writes() (writes []Entry) {
	for _, key := range slices.Sorted(maps.Keys(b.writes)) {
		writes = append(writes, Entry{key, b.writes[key]})
	}
	return writes
}
