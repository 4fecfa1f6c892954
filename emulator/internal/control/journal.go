package control

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/events"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

func journalCalls() []endpoint {
	unmatched := []string{"operation", "status", "path", "q", "from", "to", "since"}
	filters := append([]string{"kind"}, unmatched...)
	return []endpoint{
		{method: get, path: "v1/journal", inWorld: listJournal(), query: slices.Concat(paged, filters)},
		{method: del, path: "v1/journal", inWorld: clearJournal},
		{method: get, path: "v1/journal/:id", inWorld: showEntry, query: filters}, // also journal/stream, which has the filters
		{method: post, path: "v1/journal/verify", inWorld: takes(verifyJournal)},
		{method: get, path: "v1/unmatched-requests", serve: listJournal(), query: slices.Concat(paged, unmatched)},
		{method: get, path: "v1/unmatched-requests/:id", serve: showEntry},
		{method: del, path: "v1/unmatched-requests", serve: clearJournal},
	}
}

// filter reads ?since=, an instant by the world's clock or the id of a request, and what [Filter] reads.
func (x *exchange) filter() (f query.Filter, err error) {
	f, err = Filter(x.query.Get, x.Worlds.Config().Clock.Wall())
	switch since := x.query.Get("since"); {
	case err != nil:
	case isRequestID(since):
		f.After = since
	case since != "":
		if f.Since, err = time.Parse(time.RFC3339, since); err != nil {
			err = api.Because(http.StatusBadRequest, "since "+api.Quote(since)+" is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z")
		}
	}
	return f, err
}

func isRequestID(text string) bool {
	_, err := ulid.ParseStrict(text)
	return err == nil
}

// journal returns the journal of the world. A call about no world has that of the requests that reached none.
func (x *exchange) journal() (*journal.Journal, journal.Ref, error) {
	if x.world != nil {
		ref, err := x.world.JournalRef(x.context())
		return x.Journal, ref, err
	}
	if !x.Unmatched.On() {
		return nil, journal.Ref{}, journal.ErrOff
	}
	return x.Unmatched, journal.Ref{}, nil
}

// listJournal shows the requests of a journal, the latest first, without headers and bodies.
func listJournal() call {
	id := func(e *journal.Entry) string { return e.ID }
	return lists(isRequestID, id, (*journal.Entry).Summary, func(x *exchange, after string, _ int) ([]*journal.Entry, error) {
		filter, err := x.filter()
		if err != nil {
			return nil, err
		}
		from, ref, err := x.journal()
		if err != nil {
			return nil, err
		}
		wanted, err := query.Select(x.context(), from, ref, filter)
		return following(wanted, after, id), err
	})
}

// showEntry shows a request and its answer whole. For the id stream it streams the requests to come.
func showEntry(x *exchange) (any, error) {
	id := x.param()
	if id == "stream" && x.world != nil {
		return streamJournal(x)
	}
	from, ref, err := x.journal()
	if err != nil {
		return nil, err
	}
	entries, _, err := from.Read(x.context(), ref)
	if err != nil {
		return nil, err
	}
	if e := journal.Find(entries, id); e != nil {
		return e, nil
	}
	if x.world == nil {
		return nil, api.Because(http.StatusNotFound, "There is no unmatched request "+api.Quote(id)+": the latest are kept")
	}
	return nil, x.Worlds.EntryUnknown(id)
}

func clearJournal(x *exchange) (any, error) {
	from, ref, err := x.journal()
	if err != nil {
		return nil, err
	}
	return nil, from.Clear(x.context(), ref)
}

// verdict is the answer of verify: 200 when the expectation holds, else 409 with the error.
type verdict struct {
	Error   *api.ErrorMessage `json:"error,omitempty"`
	Count   int               `json:"count"`
	Dropped uint64            `json:"dropped"`
	Nearest []missView        `json:"nearest"`
	Note    string            `json:"note,omitempty"`
}

// missView is a request that nearly matched.
type missView struct {
	journal.Summary
	Differences []string `json:"differences"`
}

// verifyJournal compares an expectation with the journal.
func verifyJournal(x *exchange, expected query.Expectation) (any, error) {
	result, err := x.world.Verify(x.context(), expected)
	unmet := (*query.VerifyResult)(nil)
	if err != nil && !errors.As(err, &unmet) {
		return nil, err
	}
	v := verdict{Count: result.Count, Dropped: result.Dropped, Nearest: []missView{}, Note: result.Note}
	for _, miss := range result.Nearest {
		v.Nearest = append(v.Nearest, missView{miss.Entry.Summary(), miss.Differences})
	}
	if unmet == nil {
		return v, nil
	}
	v.Error = &api.ErrorMessage{Message: result.Message}
	return withStatus{http.StatusConflict, v}, nil
}

// streamJournal streams the requests of the world from now on, or from ?since= or Last-Event-ID.
func streamJournal(x *exchange) (any, error) {
	ref, err := x.world.JournalRef(x.context())
	if err != nil {
		return nil, err
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	since := filter.After
	filter.After = ""
	s := &events.Stream{Streams: x.Streams(), Journal: x.Journal, Filter: filter}
	last := cmp.Or(x.request.Header.Get("Last-Event-ID"), since)
	if last == "" && !filter.Since.IsZero() {
		last = events.Beginning
	}
	return s, s.From(x.context(), ref, last)
}
