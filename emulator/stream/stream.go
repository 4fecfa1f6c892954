// Package stream tells of a world's requests as they come, as server-sent events. What the events say is their reader's
// choice: JSON for programs, table rows for people.
package stream

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

const (
	heartbeat = 15 * time.Second // between signs of life
	patience  = 10 * time.Second // for a client that does not take what it is sent
	retry     = time.Second      // when the journal could not be read
)

// Form says what events consist of. An error ends the stream.
type Form struct {
	Request func(*journal.Entry) ([]byte, error)
	Gap     func(missed uint64) ([]byte, error) // 0: it is not known how many
	Reset   func() ([]byte, error)
}

// Stream shows the entries of a world as they come: request with an entry, under its id; gap with how many were missed,
// when the client was too slow or had been away for too long; reset when the world is as new.
type Stream struct {
	Journal  *journal.Journal
	World    string // its id
	Filter   journal.Filter
	Stopping context.Context // ends when the server is to stop
	Clock    world.Clock
	Form     Form

	// Of a rush of requests the last Most are told, the others as a gap, and then nothing for a Pause: for people, who
	// read no faster. 0: all are told, at once.
	Most  int
	Pause time.Duration

	from   journal.Cursor
	missed bool // what came between the client's last visit and from is not known
}

// From has the stream begin behind what the journal of a world has now; where the client was here before and names the
// last request it was told of, behind that.
func (s *Stream) From(ctx context.Context, w *world.World, last string) (err error) {
	if last != "" {
		return s.Resume(ctx, w, last)
	}
	s.World = w.ID
	s.from, err = s.Journal.End(ctx, w.ID, w.Generation())
	return err
}

// Resume has the stream begin behind a request, or with all that is kept when that no longer is.
func (s *Stream) Resume(ctx context.Context, w *world.World, last string) error {
	s.All(w)
	entries, _, err := s.Journal.Read(ctx, w.ID, w.Generation())
	if e := journal.Find(entries, last); e != nil {
		s.from = journal.Behind(w.Generation(), e)
		return err
	}
	s.missed = true
	return err
}

// All has the stream begin with all that is kept.
func (s *Stream) All(w *world.World) { s.World, s.from = w.ID, journal.Start(w.Generation()) }

// ServeHTTP writes events until the client goes, or the server stops.
func (s *Stream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.Stopping, cancel)()
	wake, stop := s.Journal.Watch(s.World)
	defer stop()
	out := events{w, http.NewResponseController(w)}
	out.control.SetReadDeadline(time.Time{}) // for requests that end
	alive := s.beats(ctx)
	err := out.comment("the journal of world " + s.World)
	if err == nil && s.missed {
		err = out.event("gap", "")(s.Form.Gap(0))
	}
	for err == nil {
		if err = s.tell(ctx, out); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
			err = s.pause(ctx)
		case <-alive:
			err = out.comment("")
		}
	}
}

// pause lets more requests come.
func (s *Stream) pause(ctx context.Context) error {
	if s.Pause == 0 {
		return nil
	}
	return s.Clock.Wait(ctx, s.Pause)
}

// beats returns a channel that is sent to whenever it is time for a sign of life, until ctx ends.
func (s *Stream) beats(ctx context.Context) <-chan struct{} {
	beats := make(chan struct{})
	go func() {
		for s.Clock.Wait(ctx, heartbeat) == nil {
			select {
			case beats <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	return beats
}

// tell writes what is new. While the journal cannot be read it says so, and waits: the stream goes on where it was.
func (s *Stream) tell(ctx context.Context, out events) error {
	news, err := s.Journal.Since(ctx, s.World, s.from)
	for ; err != nil; news, err = s.Journal.Since(ctx, s.World, s.from) {
		if err := out.comment("the journal cannot be read now"); err != nil {
			return err
		}
		if err := s.Clock.Wait(ctx, retry); err != nil {
			return err
		}
	}
	s.from = news.Next
	if news.Anew {
		if err := out.event("reset", "")(s.Form.Reset()); err != nil {
			return err
		}
	}
	if news.Missed > 0 && !s.missed {
		if err := out.event("gap", "")(s.Form.Gap(news.Missed)); err != nil {
			return err
		}
	}
	s.missed = false
	wanted := slices.DeleteFunc(news.Entries, func(e *journal.Entry) bool { return !s.Filter.Wants(e) })
	if over := len(wanted) - s.Most; s.Most > 0 && over > 0 {
		if err := out.event("gap", "")(s.Form.Gap(uint64(over))); err != nil {
			return err
		}
		wanted = wanted[over:]
	}
	for _, e := range wanted {
		if err := out.event("request", e.ID)(s.Form.Request(e)); err != nil {
			return err
		}
	}
	return nil
}

// events writes server-sent events to a client that has only so much time to take each.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (e events) comment(text string) error { return e.write(": " + text + "\n\n") }

// event returns what sends an event of a name; an id is what its client comes back with.
func (e events) event(name, id string) func(data []byte, err error) error {
	return func(data []byte, err error) error {
		if err != nil {
			return err
		}
		text := "event: " + name + "\n"
		if id != "" {
			text += "id: " + id + "\n"
		}
		for line := range bytes.Lines(data) {
			text += "data: " + string(bytes.TrimRight(line, "\r\n")) + "\n"
		}
		return e.write(text + "\n")
	}
}

func (e events) write(text string) error {
	e.control.SetWriteDeadline(time.Now().Add(patience)) // where there is none to set, none is in the way
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	err := e.control.Flush()
	e.control.SetWriteDeadline(time.Time{})
	return err
}
