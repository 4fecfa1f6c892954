package journal

import "sync"

// What is gathered at most while the store takes nothing: what is above is dropped.
const (
	mostGathered      = 8192
	mostGatheredBytes = 16 << 20
)

// enough is how many entries are written at once rather than after a while.
const enough = 512

// gathered is an entry that is yet to be written.
type gathered struct {
	world      string
	generation int64
	entry      *Entry
	size       int64 // that it is counted with
}

// queue has the entries that are gathered, and counts those that are under way too.
type queue struct {
	some chan struct{} // sent to when there is an entry
	full chan struct{} // sent to when there are enough

	mu      sync.Mutex
	entries []gathered
	bodies  map[*byte]struct{} // of answers that are counted already
	bytes   int64
	count   Writes
}

func newQueue() *queue {
	return &queue{some: make(chan struct{}, 1), full: make(chan struct{}, 1), bodies: make(map[*byte]struct{})}
}

// add gathers an entry, or drops it.
func (q *queue) add(g gathered) {
	q.mu.Lock()
	defer q.mu.Unlock()
	g.size = q.charge(g.entry)
	if q.count.Gathered >= mostGathered || q.bytes+g.size > mostGatheredBytes {
		q.count.Dropped++
		return
	}
	q.entries = append(q.entries, g)
	q.bytes += g.size
	q.count.Gathered++
	switch len(q.entries) {
	case 1:
		notify(q.some)
	case enough:
		notify(q.full)
	}
}

// charge returns what an entry adds to the bytes. A document that is answered many times counts once.
func (q *queue) charge(e *Entry) int64 {
	size, body := e.size(), e.answer.text
	if len(body) < sharedFrom {
		return size + int64(len(body))
	}
	if _, counted := q.bodies[&body[0]]; !counted {
		q.bodies[&body[0]] = struct{}{}
		size += int64(len(body))
	}
	return size
}

// take returns what is gathered, to be written. It is counted until then.
func (q *queue) take() []gathered {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.entries
	q.entries = make([]gathered, 0, min(len(taken), enough))
	clear(q.bodies)
	return taken
}

// done counts what was written, or could not be.
func (q *queue) done(entries int, bytes int64, written bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count.Gathered -= entries
	q.bytes -= bytes
	if written {
		q.count.Written += uint64(entries)
	} else {
		q.count.Dropped += uint64(entries)
	}
}

func (q *queue) held() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

func (q *queue) figures() Writes {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.count
}
