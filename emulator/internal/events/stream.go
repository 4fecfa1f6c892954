// Package events sends what journals record as server-sent events: the requests of one world, or of all. A journal and a filter flow in;
// events flow out, until the client leaves or the server shuts down.
package events

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

const (
	heartbeat    = 15 * time.Second // between comments that keep the connection open
	writeTimeout = 10 * time.Second // of each event
	retry        = time.Second      // after the journal could not be read
)

// Streams serves server-sent events.
type Streams struct {
	Limits   *limits.Limits
	Stopping context.Context // ends when the server shuts down
	Clock    clock.Clock
}

// serve sends events until the client leaves or the server shuts down: a comment, and what send writes at once and after
// each wake. While too many streams are open, of the world ("": of none) or in all, it answers 503.
func (s Streams) serve(w http.ResponseWriter, r *http.Request, world, comment string, watch func() (wake <-chan struct{}, stop func()), send func(context.Context, events) error) {
	release, refusal := s.Limits.Stream(limits.Owner{Addr: r.RemoteAddr, World: world})
	if refusal != nil {
		api.WriteError(w, refusal)
		return
	}
	defer release()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.Stopping, cancel)()
	wake, stop := watch()
	defer stop()
	out := events{w, http.NewResponseController(w)}
	out.control.SetReadDeadline(time.Time{}) // it is for requests that end
	alive := make(chan struct{})
	go func() {
		for s.Clock.Wait(ctx, heartbeat) == nil {
			select {
			case alive <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	for err := out.write(": " + comment + "\n\n"); err == nil; {
		if err = send(ctx, out); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-alive:
			err = out.write(": \n\n")
		}
	}
}

// Stream sends the new entries of a world as server-sent events: request with an entry, under its id; gap with the
// number of missed entries, after a slow client or a long absence; reset when the world was reset.
type Stream struct {
	Streams
	Journal *journal.Journal
	World   string // its id
	Filter  query.Filter

	from   journal.Cursor
	missed bool // an unknown number of entries before from
}

// Beginning is the id to stream from for all entries of a journal.
const Beginning = "none"

// From makes the stream begin after the entry with an id, or after the last one for "". When the entry no longer
// exists, it begins with a gap and all entries. A filter that selects nothing is a 400.
func (s *Stream) From(ctx context.Context, p journal.Ref, last string) (err error) {
	if err := query.Check(s.Journal, s.Filter); err != nil {
		return err
	}
	s.World, s.from = p.World, journal.Cursor{Generation: p.Generation}
	switch last {
	case Beginning:
		return nil
	case "":
		s.from, err = s.Journal.End(ctx, p)
		return err
	}
	entries, _, err := s.Journal.Read(ctx, p)
	e := journal.Find(entries, last)
	if s.missed = e == nil; !s.missed {
		s.from.Sequence = e.Sequence
	}
	return err
}

// ServeHTTP sends the entries.
func (s *Stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	watch := func() (<-chan struct{}, func()) { return s.Journal.Watch(s.World) }
	s.serve(w, r, s.World, "the journal of world "+s.World, watch, s.send)
}

// send sends the new entries. While the journal cannot be read it sends a comment, and waits.
func (s *Stream) send(ctx context.Context, out events) error {
	if s.missed {
		if err := out.event("gap", nil, 0); err != nil {
			return err
		}
	}
	added, err := s.Journal.Since(ctx, s.World, s.from)
	for ; err != nil; added, err = s.Journal.Since(ctx, s.World, s.from) {
		if err := out.write(": the journal cannot be read now\n\n"); err != nil {
			return err
		}
		if err := s.Clock.Wait(ctx, retry); err != nil {
			return err
		}
	}
	s.from = added.Next
	if added.Reset {
		err = out.event("reset", nil, 0)
	}
	if err == nil && added.Missed > 0 && !s.missed {
		err = out.event("gap", nil, added.Missed)
	}
	s.missed = false
	matches := s.Filter.Matcher()
	wanted := slices.DeleteFunc(added.Entries, func(e *journal.Entry) bool { return !matches(e) })
	for i := 0; err == nil && i < len(wanted); i++ {
		err = out.event("request", wanted[i], 0)
	}
	return err
}

// events writes server-sent events, each within writeTimeout.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// event sends an event: request with an entry, gap with the number of missed entries (0: unknown), or reset. A client that
// reconnects sends the id of its last entry.
func (out events) event(name string, e *journal.Entry, missed uint64) error {
	data, id := "{}", ""
	switch {
	case name == "request":
		summary, err := api.Render(e.Summary())
		if err != nil {
			return err
		}
		data, id = string(summary), "id: "+e.ID+"\n"
	case name == "gap" && missed == 0:
		data = `{"missed":null}`
	case name == "gap":
		data = fmt.Sprintf(`{"missed":%d}`, missed)
	}
	return out.write("event: " + name + "\n" + id + "data: " + data + "\n\n")
}

func (out events) write(text string) error {
	out.control.SetWriteDeadline(time.Now().Add(writeTimeout)) // it fails where there are no deadlines
	if _, err := out.w.Write([]byte(text)); err != nil {
		return err
	}
	err := out.control.Flush()
	out.control.SetWriteDeadline(time.Time{})
	return err
}
