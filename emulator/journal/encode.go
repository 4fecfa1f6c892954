package journal

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// encode adds an entry to what is written, without what may be secret: only the body of the answer can have that still.
func (c *chunk) encode(e *Entry) {
	for _, text := range []string{e.ID, e.Method, e.Path, e.Query, e.Operation, e.Fault, e.Scenario, e.Rule} {
		c.text(text)
	}
	c.time(e.Time)
	c.time(e.Wall)
	c.number(uint64(e.Duration))
	c.number(uint64(e.Status))
	c.number(uint64(len(e.Headers)))
	for _, h := range e.Headers {
		c.text(h.Name)
		c.text(h.Value)
	}
	c.number(uint64(len(e.Diagnosis)))
	for _, note := range e.Diagnosis {
		c.text(note)
	}
	c.about(e.request)
	c.text(string(e.request.text))
	c.about(e.answer)
	c.body(e.answer)
}

func (c *chunk) number(n uint64) { c.raw = binary.AppendUvarint(c.raw, n) }

func (c *chunk) text(text string) {
	c.number(uint64(len(text)))
	c.raw = append(c.raw, text...)
}

// time writes an instant as seconds and what is above them: of all years that a clock shows.
func (c *chunk) time(at time.Time) {
	c.raw = binary.AppendVarint(c.raw, at.Unix())
	c.number(uint64(at.Nanosecond()))
}

func (c *chunk) about(k kept) {
	cut := uint64(0)
	if k.cut {
		cut = 1
	}
	c.number(uint64(k.size)<<1 | cut)
}

// body writes the number of a body that is there already, or 0 and the body.
func (c *chunk) body(k kept) {
	if len(k.text) == 0 {
		c.number(0)
		c.number(0)
		return
	}
	place := &k.text[0]
	if number, ok := c.bodies[place]; ok {
		c.number(uint64(number))
		return
	}
	text := k.text
	if !k.redacted {
		if known, ok := c.redacted[place]; ok {
			text = known
		} else {
			text = api.MaskBody(text)
			c.redacted[place] = text
		}
	}
	c.bodies[place] = len(c.bodies) + 1
	c.number(0)
	c.text(string(text))
}

// decoder reads what encode wrote. It returns nothing more once there is less than is to be read.
type decoder struct {
	raw    []byte
	text   string // the same
	at     int
	short  bool
	bodies [][]byte
}

func decodeEntries(raw []byte, count int, last uint64) ([]*Entry, error) {
	d := decoder{raw: raw, text: string(raw)}
	all := make([]Entry, count)
	entries := make([]*Entry, count)
	for i := range all {
		entries[i] = &all[i]
		d.entry(entries[i])
		entries[i].Sequence = last - uint64(count) + uint64(i) + 1
	}
	if d.short || d.at != len(raw) {
		return nil, fmt.Errorf("entries of the journal are damaged at number %d: clear the journal", last)
	}
	return entries, nil
}

func (d *decoder) entry(e *Entry) {
	for _, into := range []*string{&e.ID, &e.Method, &e.Path, &e.Query, &e.Operation, &e.Fault, &e.Scenario, &e.Rule} {
		*into = d.string()
	}
	e.Time, e.Wall = d.time(), d.time()
	e.Duration, e.Status = time.Duration(d.number()), int(d.number())
	e.Headers = e.lines[:0]
	for range d.number() {
		if d.short {
			return
		}
		e.Headers = append(e.Headers, Header{d.string(), d.string()})
	}
	for range d.number() {
		if d.short {
			return
		}
		e.Diagnosis = append(e.Diagnosis, d.string())
	}
	e.request = d.about()
	e.request.text = d.next()
	e.answer = d.about()
	e.answer.text = d.body()
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.raw[d.at:])
	return d.passed(n, size)
}

// passed goes on behind a number.
func (d *decoder) passed(n uint64, size int) uint64 {
	if size <= 0 || d.short {
		d.short = true
		return 0
	}
	d.at += size
	return n
}

// span returns where the next text ends, and goes on behind it.
func (d *decoder) span() (from, to int) {
	size := d.number()
	if size > uint64(len(d.raw)-d.at) {
		d.short = true
		return 0, 0
	}
	from = d.at
	d.at += int(size)
	return from, d.at
}

func (d *decoder) string() string {
	from, to := d.span()
	return d.text[from:to]
}

// next returns the next text, nil when it is empty.
func (d *decoder) next() []byte {
	from, to := d.span()
	if from == to {
		return nil
	}
	return d.raw[from:to:to]
}

func (d *decoder) time() time.Time {
	n, size := binary.Varint(d.raw[d.at:])
	seconds := int64(d.passed(uint64(n), size))
	return time.Unix(seconds, int64(d.number())).UTC()
}

func (d *decoder) about() kept {
	n := d.number()
	return kept{size: int64(n >> 1), cut: n&1 == 1, redacted: true}
}

func (d *decoder) body() []byte {
	number := d.number()
	if number > uint64(len(d.bodies)) {
		d.short = true
		return nil
	}
	if number > 0 {
		return d.bodies[number-1]
	}
	body := d.next()
	if body != nil {
		d.bodies = append(d.bodies, body)
	}
	return body
}
