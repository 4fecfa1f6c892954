package emulator

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// WithJournalSize sets how many requests are kept a world; 0 keeps none. Default: 1000.
func WithJournalSize(requests int) Option { return func(c *config) { c.journal = requests } }

// CheckJournalSize returns an error for a number of requests that no journal keeps.
func CheckJournalSize(requests int) error {
	if requests < 0 || requests > 1_000_000 {
		return fmt.Errorf("the journal size %d is not a number from 0 (off) to 1000000", requests)
	}
	return nil
}

// closeTime is how long what is gathered of the journal may take to be written when the emulator ends.
const closeTime = 3 * time.Second

// newJournal returns a journal in the store where that is one of several processes, else in memory.
func newJournal(c config, worlds *world.Worlds) *journal.Journal {
	if logs, ok := store.As[store.Logs](worlds.Config().Store); ok {
		return journal.Shared(c.journal, logs, worlds, c.log)
	}
	return journal.New(c.journal)
}

func sharesJournals(s store.Store) bool {
	_, ok := store.As[store.Logs](s)
	return ok
}

func (e *Emulator) closeJournal() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	return e.journal.Close(ctx)
}

// mostHeard is how much of a body is kept, in bytes: who reads so much again knows that it is too large.
const mostHeard = api.MaxBody + 1

// heard is a request's body, of which is kept what was read, up to mostHeard: for the journal, and to be read again.
// What is above that is counted, and read once.
type heard struct {
	io.ReadCloser
	text  []byte
	next  int   // what of the text is read next
	taken int64 // of the client, in bytes
	ended bool  // there is no more
	size  int64 // of all of it, as the client says; -1 when it does not
}

func (h *heard) Read(p []byte) (n int, err error) {
	if h.next < len(h.text) {
		n = copy(p, h.text[h.next:])
		h.next += n
		return n, nil
	}
	n, err = h.ReadCloser.Read(p)
	if h.text == nil && n > 0 {
		h.text = make([]byte, 0, max(int64(n), min(h.size, journal.MaxBody)))
	}
	h.text = append(h.text, p[:min(n, mostHeard-len(h.text))]...)
	h.next = len(h.text)
	h.taken += int64(n)
	h.ended = err == io.EOF
	return n, err
}

// again has the body be read from its beginning.
func (h *heard) again() {
	if h != nil {
		h.next = 0
	}
}

// listen has what is read of the request's body be kept, as far as a body may go: of one that is too large all the rest is
// read too, and only counted. The server's own request stays as it is: by its body the server knows whether the client
// still waits to be asked for it.
func (c *call) listen() {
	if c.request.ContentLength != 0 {
		c.body = &heard{ReadCloser: c.request.Body, size: c.request.ContentLength}
		heard := *c.request
		heard.Body = c.body
		c.request = &heard
	}
}

// finish reads the beginning of a body that nobody wanted: the journal has it also when a rule answered. A client that
// asks whether to send it is left alone.
func (h *heard) finish(asks bool) {
	if read := int64(len(h.text)); !asks && !h.ended && read < journal.MaxBody {
		h.next = len(h.text)
		io.CopyN(io.Discard, h, journal.MaxBody-read) // as much as there is
	}
}

// record puts the request and its answer into the world's journal, before anybody has the answer. A status of 0 is none.
func (c *call) record(status int, fault scenarios.Fault, answer []byte) {
	if c.world == nil || c.recorded || !c.emulator.journal.On() {
		return
	}
	c.recorded = true
	asked := journal.Asked{
		Method: c.request.Method, Path: unescape(c.request.URL.Path), Query: c.request.URL.RawQuery,
		Target: len(c.request.RequestURI), Header: c.request.Header,
	}
	if c.body != nil {
		c.body.finish(c.request.Header.Get("Expect") != "")
		asked.Body = c.body.text
		if len(asked.Body) > journal.MaxBody {
			asked.Body = bytes.Clone(asked.Body[:journal.MaxBody]) // to be kept without the rest
		}
		asked.Size = max(c.body.taken, c.request.ContentLength)
	}
	e := journal.NewEntry(asked, answer)
	e.ID, e.Operation = c.id, c.operation.name
	e.Time, e.Wall, e.Duration = c.world.Now(), c.began, time.Since(c.began)
	e.Status, e.Fault = status, string(fault)
	e.Scenario, e.Rule, e.Diagnosis = c.world.Scenario(), c.world.Rule(), c.notes
	c.emulator.journal.Append(c.world.ID, c.world.Generation(), e)
	c.emulator.noticeEviction()
}

// noticeEviction logs, once, that entries have gone before their world's journal was full; how many the metrics tell.
func (e *Emulator) noticeEviction() {
	if _, evicted := e.journal.Dropped(); evicted > 0 {
		e.evicted.Do(func() {
			e.log.Warn("all journals together take too much memory: the entries of worlds that were not used for longest go first; a smaller --journal-size shares it evenly",
				"bytes", e.journal.Held(), "size", e.journal.Size())
		})
	}
}
