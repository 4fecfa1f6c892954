package etcd

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"hash/maphash"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Of how many keys is known what they were when they were last read or written here.
const (
	hintKeys = 4096
	headKeys = 16384 // the heads of logs, one for each world: what else is written does not push them out
)

// hints are what keys were. Most often they still are, and a write needs no read before it.
type hints struct{ values *lru.Cache[string, found] }

func newHints(keys int) hints {
	values, err := lru.New[string, found](keys)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	return hints{values}
}

func (h hints) add(key string, f found) {
	if f.value == nil {
		f.revision = 0 // as etcd has it of a key that is not there
	}
	if len(f.value) <= keptSize {
		h.values.Add(key, f)
	} else {
		h.values.Remove(key)
	}
}

// forget forgets all: a revision that has gone back may come again, as that of another value.
func (h hints) forget() { h.values.Purge() }

// get returns what a key was; that there was none, when nothing is known.
func (h hints) get(key string) found {
	f, _ := h.values.Get(key)
	return f
}

// lanes have the writers of one key in this process go one after the other, so that they do not fail each other.
type lanes struct {
	seed  maphash.Seed
	lanes []lane
}

type lane chan struct{}

func newLanes() lanes {
	l := lanes{seed: maphash.MakeSeed(), lanes: make([]lane, 256)}
	for i := range l.lanes {
		l.lanes[i] = make(lane, 1)
	}
	return l
}

func (l lanes) of(key string) lane { return l.lanes[maphash.String(l.seed, key)%uint64(len(l.lanes))] }

// enter waits for its turn, for a time at most.
func (l lane) enter(ctx context.Context, most time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l lane) leave() { <-l }

// tag stands before a value, and is of the one change that made it.
type tag [12]byte

// tags makes the tags of one process: four random bytes, and a number.
type tags struct {
	process [4]byte
	last    *atomic.Uint64
}

func newTags() tags {
	t := tags{last: new(atomic.Uint64)}
	rand.Read(t.process[:])
	return t
}

func (t tags) next() (next tag) {
	copy(next[:], t.process[:])
	binary.BigEndian.PutUint64(next[len(t.process):], t.last.Add(1))
	return next
}
