package store

import (
	"bytes"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
)

const (
	recentKeys = 1024
	recentSize = 4 << 10 // bytes of a key and its value
)

// recent keeps what was read of late, until something is committed: most requests ask for the same few keys, and many
// come between two commits. While a commit is under way nothing is taken from it, so that no reader sees what is old after
// another has seen what is new.
type recent struct {
	commits atomic.Uint64 // begun and ended: odd while one is under way
	values  *lru.Cache[string, reading]
}

// reading is a value as it was when so many commits had been.
type reading struct {
	value   []byte // nil: there is none
	commits uint64
}

func newRecent() *recent {
	values, err := lru.New[string, reading](recentKeys)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	return &recent{values: values}
}

// get returns the value of a key, which read finds where it is not kept. The bytes are the caller's.
func (r *recent) get(key string, read func() ([]byte, error)) ([]byte, error) {
	commits := r.commits.Load()
	if found, ok := r.values.Get(key); ok && found.commits == commits {
		return bytes.Clone(found.value), nil
	}
	value, err := read()
	if err == nil && commits%2 == 0 && len(key)+len(value) <= recentSize {
		r.values.Add(key, reading{bytes.Clone(value), commits})
	}
	return value, err
}

// committing is called before something is committed, and what it returns afterwards.
func (r *recent) committing() (ended func()) {
	r.commits.Add(1)
	return func() { r.commits.Add(1) }
}
