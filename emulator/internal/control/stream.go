package control

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

const (
	heartbeat = 15 * time.Second // between signs of life
	patience  = 10 * time.Second // for a client that does not take what it is sent
	retry     = time.Second      // when the journal could not be read
)

// Form writes the data of an event: request with its entry, gap with how many were missed (0: that is not known), reset. An
// error ends the stream.
type Form func(event string, e *journal.Entry, missed uint64) ([]byte, error)

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

// Beginning is the place in a journal before its first entry.
const Beginning = "none"

// From has the stream begin behind a request of a world; behind the last one for "". When the request is gone, it begins
// with all entries. It reads the journal, outside of the world's transactions.
func (s *Stream) From(ctx context.Context, p journal.Ref, last string) (err error) {
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
	out := events{w, http.NewResponseController(w), s.Form}
	out.control.SetReadDeadline(time.Time{}) // for requests that end
	alive := make(chan struct{})
	go func() {
		for s.Clock.Wait(ctx, heartbeat) == nil {
			select {
			case alive <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	err := out.write(": the journal of world " + s.World + "\n\n")
	if err == nil && s.missed {
		err = out.event("gap", nil, 0)
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
	if news.Reset {
		err = out.event("reset", nil, 0)
	}
	if err == nil && news.Missed > 0 && !s.missed {
		err = out.event("gap", nil, news.Missed)
	}
	s.missed = false
	wanted := slices.DeleteFunc(news.Entries, func(e *journal.Entry) bool { return !s.Filter.Matches(e) })
	if over := len(wanted) - s.Most; err == nil && s.Most > 0 && over > 0 {
		err = out.event("gap", nil, uint64(over))
		wanted = wanted[over:]
	}
	for i := 0; err == nil && i < len(wanted); i++ {
		err = out.event("request", wanted[i], 0)
	}
	return err
}

// events writes server-sent events to a client that has only so much time to take each.
type events struct {
	w       http.ResponseWriter
	control *http.ResponseController
	form    Form
}

// event sends an event. A client that comes back names the last entry that it got.
func (out events) event(name string, e *journal.Entry, missed uint64) error {
	data, err := out.form(name, e, missed)
	if err != nil {
		return err
	}
	text := "event: " + name + "\n"
	if e != nil {
		text += "id: " + e.ID + "\n"
	}
	for line := range bytes.Lines(data) {
		text += "data: " + string(bytes.TrimRight(line, "\r\n")) + "\n"
	}
	return out.write(text + "\n")
}

func (out events) write(text string) error {
	out.control.SetWriteDeadline(time.Now().Add(patience)) // an error means that there are no deadlines
	if _, err := out.w.Write([]byte(text)); err != nil {
		return err
	}
	err := out.control.Flush()
	out.control.SetWriteDeadline(time.Time{})
	return err
}
