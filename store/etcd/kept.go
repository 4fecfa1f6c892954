package etcd

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// What is kept at most.
const (
	keptKeys = 16384
	keptSize = 16 << 10 // bytes of a value
)

// found is a value as it was found.
type found struct {
	value    []byte // nil: there is none
	tag      tag    // of the change that made it
	revision int64  // of that change; 0: there is none
	created  int64  // the revision at which the key came to be
	version  int64  // how many changes made it since, that one included
}

// next returns what is there when a change came behind the one that made f, and no other.
func (f found) next(value []byte, t tag, revision int64) found {
	n := found{value: value, tag: t, revision: revision, created: f.created, version: f.version + 1}
	if f.value == nil {
		n.created, n.version = revision, 1
	}
	return n
}

// kept has the values that [Store.Recall] returns again. It is right as long as every amendment is heard of, see [group]:
// each is, in order, with its revision; and whoever amends waits for it, until this replica's lease has run out.
type kept struct {
	elapsed func() time.Duration // on a clock that only goes on

	epoch atomic.Uint64 // of [Store.Epoch]
	until atomic.Int64  // when the lease runs out, by elapsed

	mu     sync.Mutex
	open   bool  // amendments are being heard of, since before anything was kept
	heard  int64 // the revision up to which they were
	values *simplelru.LRU[string, found]
}

func newKept(elapsed func() time.Duration) *kept {
	values, err := simplelru.NewLRU[string, found](keptKeys, nil)
	if err != nil {
		panic(err) // it fails on a size below 1 only
	}
	return &kept{elapsed: elapsed, values: values}
}

// live reports whether the replica's lease holds.
func (k *kept) live() bool { return int64(k.elapsed()) < k.until.Load() }

// get returns a value that is kept.
func (k *kept) get(key string) (f found, ok bool) {
	if !k.live() {
		return f, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.open {
		return f, false
	}
	return k.values.Get(key)
}

// add keeps a value that was read at a revision, unless something later is known already: that may have been its amendment.
func (k *kept) add(key string, f found, at int64) {
	if len(f.value) > keptSize {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.open && at >= k.heard {
		k.values.Add(key, f)
	}
}

// replace puts a later value in the place of one that is kept. Where it is not known which is later, none is kept: that
// there is no value has no revision.
func (k *kept) replace(key string, f found) {
	k.mu.Lock()
	defer k.mu.Unlock()
	present, ok := k.values.Peek(key)
	switch {
	case !ok:
	case f.revision == 0 || present.revision == 0:
		k.values.Remove(key)
	case f.revision > present.revision:
		k.values.Add(key, f)
	}
}

// amended drops what an amendment has made old.
func (k *kept) amended(key string, revision int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.heard = max(k.heard, revision)
	k.values.Remove(key)
	k.epoch.Add(1)
}

// begin has values be kept, unless they are already: from a revision on, up to which nothing is.
func (k *kept) begin(revision int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open, k.heard = true, max(k.heard, revision)
}

// end forgets everything, and keeps nothing more until begin.
func (k *kept) end() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open, k.heard = false, 0
	k.values.Purge()
	k.epoch.Add(1)
}

// now returns the epoch: always another one while the lease does not hold, for then nothing is known of amendments.
func (k *kept) now() uint64 {
	if !k.live() {
		return k.epoch.Add(1)
	}
	return k.epoch.Load()
}
