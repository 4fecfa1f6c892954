package journal

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A chunk is entries as they stand in a store: a byte with its form, how many they are, how long they are together, and
// then all of them, compressed. A body that several answers have is there once.
const chunkForm = 1

const (
	maxChunk        = 256 << 10 // bytes of entries, before they are compressed
	maxChunkEntry   = 192 << 10 // of one alone
	maxChunkEntries = 1024
)

// chunk is made of entries of one world.
type chunk struct {
	redacted map[*byte][]byte // bodies of answers without what is secret; all chunks that are made at once have these
	bodies   map[*byte]int    // that are in the chunk, by their numbers from 1
	raw      []byte
	entries  int
	size     int64 // that the entries are counted with while they are gathered
}

func newChunk(redacted map[*byte][]byte) *chunk {
	return &chunk{redacted: redacted, bodies: make(map[*byte]int)}
}

// add adds an entry, unless the chunk is full.
func (c *chunk) add(e *Entry) bool {
	if c.entries == maxChunkEntries {
		return false
	}
	before, bodies := len(c.raw), len(c.bodies)
	c.encode(e)
	if len(c.raw)-before > maxChunkEntry {
		c.undo(before, bodies)
		c.encode(e.withoutBodies())
	}
	if before > 0 && len(c.raw) > maxChunk {
		c.undo(before, bodies)
		return false
	}
	c.entries++
	return true
}

// undo takes back what was added behind a length and a number of bodies.
func (c *chunk) undo(length, bodies int) {
	c.raw = c.raw[:length]
	for body, number := range c.bodies {
		if number > bodies {
			delete(c.bodies, body)
		}
	}
}

// tooLarge is the diagnosis of an entry that is not kept whole.
const tooLarge = "the request and its answer are too large to be kept whole: the journal has neither its headers nor the bodies"

// withoutBodies returns what is kept of an entry that is too large.
func (e *Entry) withoutBodies() *Entry {
	return &Entry{
		ID: e.ID, Time: e.Time, Wall: e.Wall, Duration: e.Duration, Method: e.Method, Path: cutText(e.Path), Query: cutText(e.Query),
		Operation: e.Operation, Status: e.Status, Fault: e.Fault, Scenario: e.Scenario, Rule: e.Rule, Diagnosis: []string{tooLarge},
		request: kept{size: e.request.size, cut: e.request.size > 0}, answer: kept{size: e.answer.size, cut: e.answer.size > 0},
	}
}

// compressors are for one chunk after the other: they are large.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // it fails on a level that there is not
	}
	return w
}}

// value returns the chunk as it is stored.
func (c *chunk) value() []byte {
	var out bytes.Buffer
	out.Write(binary.AppendUvarint(binary.AppendUvarint([]byte{chunkForm}, uint64(c.entries)), uint64(len(c.raw))))
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(&out)
	_, err := w.Write(c.raw)
	if err = errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}

var decompressors = sync.Pool{New: func() any { return flate.NewReader(nil) }}

// readChunk returns the entries of a chunk, whose last one has a number.
func readChunk(value []byte, last uint64) ([]*Entry, error) {
	if len(value) == 0 || value[0] != chunkForm {
		return nil, errors.New("entries of the journal have a form that this release does not read: use the one that wrote them, or clear the journal")
	}
	in := bytes.NewReader(value[1:])
	count, err := binary.ReadUvarint(in)
	size, err2 := binary.ReadUvarint(in)
	if err = errors.Join(err, err2); err != nil || count > maxChunkEntries || size > maxChunk+maxChunkEntry {
		return nil, fmt.Errorf("entries of the journal are damaged at number %d: clear the journal (%w)", last, err)
	}
	raw := make([]byte, size)
	r := decompressors.Get().(io.ReadCloser)
	defer decompressors.Put(r)
	if err := r.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(r, raw); err != nil {
		return nil, fmt.Errorf("entries of the journal are damaged at number %d: clear the journal (%w)", last, err)
	}
	return decodeEntries(raw, int(count), last)
}
