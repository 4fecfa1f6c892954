// Package stream sends a world's requests as they come, as server-sent events. What the events say is their reader's
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
	Gap     func(missed uint64) ([]byte, error) // 0: the number is not known
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

	// At most so many entries are sent at once, the others as a gap, and then nothing for a Pause: for people, who read no
	// faster. 0: all are sent, at once.
	Most  int
	Pause time.Duration

	from   journal.Cursor
	missed bool // an unknown number of entries between the client's last visit and from
}

// All is the place in a journal before all of its entries.
const All = "none"

// From has the stream begin behind a request of a world; behind the last one for "". When the request is gone, it begins
// with all entries. It reads the journal, outside of the world's transactions.
func (s *Stream) From(ctx context.Context, w *world.World, last string) (err error) {
	s.World, s.from = w.ID, journal.Start(w.Generation())
	switch last {
	case All:
		return nil
	case "":
		s.from, err = s.Journal.End(ctx, w.ID, w.Generation())
		return err
	}
	entries, _, err := s.Journal.Read(ctx, w.ID, w.Generation())
	if e := journal.Find(entries, last); e != nil {
		s.from = journal.Behind(w.Generation(), e)
	} else {
		s.missed = true
	}
	return err
}

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
	err := out.write(": the journal of world " + s.World + "\n\n")
	if err == nil && s.missed {
		err = out.event("gap", "")(s.Form.Gap(0))
	}
	for err == nil {
		if err = s.send(ctx, out); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
			if s.Pause > 0 {
				err = s.Clock.Wait(ctx, s.Pause)
			}
		case <-alive:
			err = out.write(": \n\n")
		}
	}
}

// beats returns a channel that gets a value whenever it is time for a sign of life, until ctx ends.
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

// send writes what is new. While the journal cannot be read it says so, and waits.
func (s *Stream) send(ctx context.Context, out events) error {
	news, err := s.Journal.Since(ctx, s.World, s.from)
	for ; err != nil; news, err = s.Journal.Since(ctx, s.World, s.from) {
		if err := out.write(": the journal cannot be read now\n\n"); err != nil {
			return err
		}
		if err := s.Clock.Wait(ctx, retry); err != nil {
			return err
		}
	}
	s.from = news.Next
	if news.Anew {
		err = out.event("reset", "")(s.Form.Reset())
	}
	if err == nil && news.Missed > 0 && !s.missed {
		err = out.event("gap", "")(s.Form.Gap(news.Missed))
	}
	s.missed = false
	wanted := slices.DeleteFunc(news.Entries, func(e *journal.Entry) bool { return !s.Filter.Wants(e) })
	if over := len(wanted) - s.Most; err == nil && s.Most > 0 && over > 0 {
		err = out.event("gap", "")(s.Form.Gap(uint64(over)))
		wanted = wanted[over:]
	}
	for i := 0; err == nil && i < len(wanted); i++ {
		err = out.event("request", wanted[i].ID)(s.Form.Request(wanted[i]))
	}
	return err
}

// events writes server-sent events to a client that has only so much time to take each.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// event returns a function that sends an event of a name; a client comes back with the event's id.
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
	e.control.SetWriteDeadline(time.Now().Add(patience)) // an error means that there are no deadlines
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	err := e.control.Flush()
	e.control.SetWriteDeadline(time.Time{})
	return err
}
