package control

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

const (
	heartbeat = 15 * time.Second // between signs of life
	patience  = 10 * time.Second // for a client that does not take what it is sent
)

// stream shows the entries of a world as they come, as server-sent events: request with an entry, under its id; gap with
// how many were missed, when the client was too slow or had been away for too long; reset when the world is as new.
type stream struct {
	journal  *journal.Journal
	world    *world.World
	filter   journal.Filter
	from     journal.Cursor
	missed   bool // what came between the client's last visit and from is not known
	stopping context.Context
	clock    world.Clock
}

// streamJournal shows what is asked in the world from now on: behind ?since= or Last-Event-ID, when there is one.
func streamJournal(x *exchange) (any, error) {
	entries, err := x.entries()
	if err != nil {
		return nil, err
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	s := &stream{
		journal: x.Journal, world: x.world, filter: filter,
		from:     x.Journal.End(x.world.ID, x.world.Generation()),
		stopping: x.Stopping, clock: x.Worlds.Config().Clock,
	}
	last := x.request.Header.Get("Last-Event-ID")
	switch {
	case last != "":
		s.resume(entries, last)
	case !filter.Since.IsZero():
		s.from = journal.Start(x.world.Generation())
	case filter.Behind != "":
		s.resume(entries, filter.Behind)
	}
	s.filter.Behind = ""
	return s, nil
}

// resume goes on behind a request, or with all that is kept when it no longer is.
func (s *stream) resume(entries []*journal.Entry, last string) {
	if e := journal.Find(entries, last); e != nil {
		s.from = journal.Behind(s.world.Generation(), e)
		return
	}
	s.from, s.missed = journal.Start(s.world.Generation()), true
}

// serve writes events until the client goes, or the server stops.
func (s *stream) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodHead {
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	wake, stop := s.journal.Watch(s.world.ID)
	defer stop()
	out := events{w, http.NewResponseController(w)}
	out.control.SetReadDeadline(time.Time{}) // for requests that end
	alive := s.beats(ctx)
	err := out.comment("the journal of world " + s.world.ID)
	if err == nil && s.missed {
		err = out.event("gap", "", []byte(`{"missed":null}`))
	}
	for err == nil {
		if err = s.tell(out); err != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-wake:
		case <-alive:
			err = out.comment("")
		}
	}
}

// beats returns a channel that is sent to whenever it is time for a sign of life, until ctx ends.
func (s *stream) beats(ctx context.Context) <-chan struct{} {
	beats := make(chan struct{})
	go func() {
		for s.clock.Wait(ctx, heartbeat) == nil {
			select {
			case beats <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}()
	return beats
}

// tell writes what is new.
func (s *stream) tell(out events) error {
	news := s.journal.Since(s.world.ID, s.from)
	s.from = news.Next
	if news.Anew {
		if err := out.event("reset", "", []byte("{}")); err != nil {
			return err
		}
	}
	if news.Missed > 0 && !s.missed {
		if err := out.event("gap", "", fmt.Appendf(nil, `{"missed":%d}`, news.Missed)); err != nil {
			return err
		}
	}
	s.missed = false
	for _, e := range news.Entries {
		if !s.filter.Wants(e) {
			continue
		}
		data, err := api.Render(e.Summary())
		if err == nil {
			err = out.event("request", e.ID, data)
		}
		if err != nil {
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

func (e events) event(name, id string, data json.RawMessage) error {
	text := "event: " + name + "\n"
	if id != "" {
		text += "id: " + id + "\n"
	}
	return e.write(text + "data: " + string(data) + "\n\n")
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
