package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
)

// entries returns what is kept of the world's requests, the oldest first.
func (x *exchange) entries() ([]*journal.Entry, error) {
	if !x.Journal.On() {
		return nil, journal.ErrOff
	}
	entries, _, err := x.Journal.Read(x.context(), x.world.ID, x.world.Generation())
	return entries, err
}

// filter reads ?operation=, ?status=, ?path= and ?since=.
func (x *exchange) filter() (f journal.Filter, err error) {
	query := x.request.URL.Query()
	f.Operation, f.Path = query.Get("operation"), query.Get("path")
	if err := x.checkOperation(f.Operation); err != nil {
		return f, err
	}
	if err := f.Check(); err != nil {
		return f, api.Because(http.StatusBadRequest, "path "+err.Error())
	}
	if text := query.Get("status"); text != "" {
		if f.Status, err = journal.ParseStatus(text); err != nil {
			return f, api.Because(http.StatusBadRequest, "status "+err.Error())
		}
	}
	return f, readSince(query.Get("since"), &f)
}

// readSince reads an instant by the world's clock, or the id of a request.
func readSince(text string, f *journal.Filter) error {
	if text == "" {
		return nil
	}
	if isRequestID(text) {
		f.Behind = text
		return nil
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return api.Because(http.StatusBadRequest, "since is neither the id of a request nor an instant such as 2025-01-15T09:00:00Z")
	}
	f.Since = since
	return nil
}

func isRequestID(text string) bool {
	_, err := ulid.ParseStrict(text)
	return err == nil
}

func (x *exchange) checkOperation(name string) error {
	if name == "" || slices.Contains(x.Operations, name) {
		return nil
	}
	message := "There is no operation " + api.Quote(name) + ": it is one of " + strings.Join(x.Operations, ", ")
	if nearest, ok := api.Nearest(name, x.Operations); ok {
		message = "There is no operation " + api.Quote(name) + ": did you mean " + nearest + "?"
	}
	return api.Because(http.StatusBadRequest, message)
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
	wanted := upTo(filter.Select(entries), after)
	summaries := make([]journal.Summary, 0, min(limit+1, len(wanted)))
	for _, e := range wanted[:min(limit+1, len(wanted))] {
		summaries = append(summaries, e.Summary())
	}
	return page(summaries, limit, func(s journal.Summary) string { return s.ID }), nil
}

// upTo returns what is behind an entry in a list that begins with the latest: where it is no longer kept, there is no more.
func upTo(entries []*journal.Entry, after string) []*journal.Entry {
	if after == "" {
		return entries
	}
	i := slices.IndexFunc(entries, func(e *journal.Entry) bool { return e.ID == after })
	if i < 0 {
		return nil
	}
	return entries[i+1:]
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
		return nil, api.Because(http.StatusNotFound, fmt.Sprintf(
			"This world's journal has no request %s: it keeps the last %d that reached the world", api.Quote(id), x.Journal.Size()))
	}
	return e, nil
}

// clearJournal forgets what was asked so far.
func clearJournal(x *exchange) (any, error) {
	if !x.Journal.On() {
		return nil, journal.ErrOff
	}
	return nil, x.Journal.Clear(x.context(), x.world.ID, x.world.Generation())
}

// verdict is the answer of verify: 200 when the expectation holds, else 409 with what is wrong.
type verdict struct {
	Error   *api.ErrorMessage `json:"error,omitempty"`
	Count   int               `json:"count"`
	Dropped uint64            `json:"dropped"`
	Nearest []missView        `json:"nearest"`
}

func (v verdict) status() int {
	if v.Error != nil {
		return http.StatusConflict
	}
	return http.StatusOK
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
	if err := expected.Check(); err != nil {
		return nil, api.Because(http.StatusBadRequest, "That cannot be verified: "+err.Error())
	}
	if !x.Journal.On() {
		return nil, journal.ErrOff
	}
	finding, err := x.Journal.Verify(x.context(), x.world.ID, x.world.Generation(), expected)
	if err != nil {
		return nil, err
	}
	v := verdict{Count: finding.Count, Dropped: finding.Dropped, Nearest: []missView{}}
	if !finding.Holds {
		v.Error = &api.ErrorMessage{Message: finding.Message}
	}
	for _, miss := range finding.Nearest {
		v.Nearest = append(v.Nearest, missView{miss.Entry.Summary(), miss.Differences})
	}
	return v, nil
}
