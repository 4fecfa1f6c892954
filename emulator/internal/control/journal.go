package control

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// openJournal opens the world whose journal is asked. The journal has transactions of its own, outside of the world's.
func (x *exchange) openJournal() error {
	if err := x.open(); err != nil {
		return err
	}
	if !x.Journal.On() {
		return journal.ErrOff
	}
	return nil
}

// entries returns the requests that the world's journal has, the oldest first.
func (x *exchange) entries() ([]*journal.Entry, error) {
	if err := x.openJournal(); err != nil {
		return nil, err
	}
	entries, _, err := x.Journal.Read(x.context(), x.world.Journal())
	return entries, err
}

// filter reads ?operation=, ?status=, ?path= and ?since=: an instant by the world's clock, or the id of a request.
func (x *exchange) filter() (f journal.Filter, err error) {
	if f, err = x.Filter(x.query.Get("operation"), x.query.Get("status"), x.query.Get("path"), ""); err != nil {
		return f, err
	}
	switch since := x.query.Get("since"); {
	case isRequestID(since):
		f.After = since
	case since != "":
		if f.Since, err = time.Parse(time.RFC3339, since); err != nil {
			return f, api.Because(http.StatusBadRequest, "since is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z")
		}
	}
	return f, nil
}

func isRequestID(text string) bool {
	_, err := ulid.ParseStrict(text)
	return err == nil
}

// listJournal shows what was asked in the world, the latest first, without headers and bodies.
func listJournal(x *exchange) (any, error) {
	entries, err := x.entries()
	if err != nil {
		return nil, err
	}
	after, limit, err := x.span(isRequestID)
	if err != nil {
		return nil, err
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	wanted, err := filter.Select(x.context(), entries)
	if err != nil {
		return nil, err
	}
	id := func(e *journal.Entry) string { return e.ID }
	return page(behind(wanted, after, id), limit, id, (*journal.Entry).Summary), nil
}

// showEntry shows a request and its answer whole; stream, which is in the place of an id, shows those to come.
func showEntry(x *exchange) (any, error) {
	id := x.param("id")
	if id == "stream" {
		return streamJournal(x)
	}
	entries, err := x.entries()
	if err != nil {
		return nil, err
	}
	e := journal.Find(entries, id)
	if e == nil {
		return nil, x.NoEntry(id)
	}
	return e, nil
}

// clearJournal forgets what was asked so far.
func clearJournal(x *exchange) (any, error) {
	if err := x.openJournal(); err != nil {
		return nil, err
	}
	return nil, x.Journal.Clear(x.context(), x.world.Journal())
}

// verdict is the answer of verify: 200 when the expectation holds, else 409 with what is wrong.
type verdict struct {
	Error   *api.ErrorMessage `json:"error,omitempty"`
	Count   int               `json:"count"`
	Dropped uint64            `json:"dropped"`
	Nearest []missView        `json:"nearest"`
}

// missView is a request that was nearly what was expected.
type missView struct {
	journal.Summary
	Differences []string `json:"differences"`
}

// verifyJournal says whether something was asked as often as it should have been.
func verifyJournal(x *exchange) (any, error) {
	var expected journal.Expectation
	if err := x.decode(&expected); err != nil {
		return nil, err
	}
	if err := x.checkOperation(expected.Operation); err != nil {
		return nil, err
	}
	if err := expected.Validate(); err != nil {
		return nil, api.Because(http.StatusBadRequest, "That cannot be verified: "+err.Error())
	}
	if err := x.openJournal(); err != nil {
		return nil, err
	}
	finding, err := x.Journal.Verify(x.context(), x.world.Journal(), expected)
	if err != nil {
		return nil, err
	}
	v := verdict{Count: finding.Count, Dropped: finding.Dropped, Nearest: []missView{}}
	for _, miss := range finding.Nearest {
		v.Nearest = append(v.Nearest, missView{miss.Entry.Summary(), miss.Differences})
	}
	if finding.Holds {
		return v, nil
	}
	v.Error = &api.ErrorMessage{Message: finding.Message}
	return withStatus{http.StatusConflict, v}, nil
}

// streamJournal shows what is asked in the world from now on: behind ?since= or Last-Event-ID, when there is one.
func streamJournal(x *exchange) (any, error) {
	if err := x.openJournal(); err != nil {
		return nil, err
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	behind := filter.After
	filter.After = ""
	s := &Stream{Journal: x.Journal, Filter: filter, Stopping: x.Stopping, Clock: x.Worlds.Config().Clock, Form: formEvent}
	last := cmp.Or(x.request.Header.Get("Last-Event-ID"), behind)
	if last == "" && !filter.Since.IsZero() {
		last = Beginning
	}
	return s, s.From(x.context(), x.world.Journal(), last)
}

func formEvent(event string, e *journal.Entry, missed uint64) ([]byte, error) {
	switch {
	case event == "request":
		return api.Render(e.Summary())
	case event == "reset":
		return []byte("{}"), nil
	case missed == 0:
		return []byte(`{"missed":null}`), nil
	}
	return fmt.Appendf(nil, `{"missed":%d}`, missed), nil
}
