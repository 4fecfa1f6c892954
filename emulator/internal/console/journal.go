package console

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// An open page shows at most maxRows new requests per pause: people read no faster. The overview has the last maxRows
// requests that reached no world.
const (
	maxRows    = 20
	burstPause = 500 * time.Millisecond
)

type entryRow struct {
	*journal.Entry
	World string // its id
	Fresh bool   // it came while the page was open
}

// Why returns the reason of the answer in a line, "" for a plain answer.
func (r entryRow) Why() string { return reasonOf(r.Entry).brief() }

// filter reads ?operation=, ?status= and ?path=.
func (x *exchange) filter() (journal.Filter, error) {
	return x.Filter(x.value("operation"), x.value("status"), x.value("path"), "The ")
}

// showJournal shows the requests of the world, the latest first, and where to stream new ones.
func showJournal(x *exchange) (answer, error) {
	data := struct {
		Size       int // 0: it is off
		Rows       []entryRow
		Next       string
		Live       string // the stream of new requests; "" on later pages
		Dropped    uint64
		Filtered   bool
		Operations []string
		Start      start
	}{Size: x.Journal.Size(), Operations: x.Worlds.Config().Operations, Start: x.start()}
	p := page{name: "journal", title: "Journal"}
	filter, err := x.filter()
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) {
		p.status, p.alert, filter = refusal.Status, refusal.Message, journal.Filter{}
	}
	entries, dropped, err := x.world.JournalEntries(x.context())
	if err != nil && !errors.Is(err, journal.ErrOff) { // the page shows that it is off
		return nil, err
	}
	wanted, err := filter.Select(x.context(), entries)
	if err != nil {
		return nil, err
	}
	if after := x.value("after"); after != "" {
		wanted = wanted[slices.IndexFunc(wanted, func(e *journal.Entry) bool { return e.ID == after })+1:]
	} else if x.Journal.On() && p.alert == "" {
		after := control.Beginning // the last entry, also when it is filtered out
		if len(entries) > 0 {
			after = entries[len(entries)-1].ID
		}
		data.Live = x.here("journal", "stream") + "?" + x.queryWith("behind", after)
	}
	shown, last := rows(wanted, func(e *journal.Entry) string { return e.ID })
	for _, e := range shown {
		data.Rows = append(data.Rows, entryRow{Entry: e, World: x.status.ID})
	}
	data.Next, data.Dropped, data.Filtered = x.next(last), dropped, filter != journal.Filter{}
	p.data = data
	return p, nil
}

// streamed is a stream of events.
type streamed struct{ *control.Stream }

func (s streamed) write(x *exchange) error {
	s.ServeHTTP(x.writer, x.request)
	return nil
}

// streamJournal streams new requests as rows of the table.
func streamJournal(x *exchange) (answer, error) {
	ref, err := x.world.JournalRef(x.context())
	if err != nil {
		return nil, err
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	s := &control.Stream{
		Journal: x.Journal, Limits: x.Limits, Filter: filter, Stopping: x.Stopping, Clock: x.Worlds.Config().Clock,
		Burst: maxRows, Pause: burstPause,
		Data: func(event string, e *journal.Entry, missed uint64) ([]byte, error) {
			switch event {
			case "request":
				return render("journal", "row", entryRow{Entry: e, World: x.status.ID, Fresh: true})
			case "reset":
				return render("journal", "reset", nil)
			}
			return render("journal", "gap", missed)
		},
	}
	last := cmp.Or(x.request.Header.Get("Last-Event-ID"), x.value("behind"))
	return streamed{s}, s.From(x.context(), ref, last)
}

func clearJournal(x *exchange) (answer, error) {
	return done(x.here("journal"), "cleared"), x.world.ClearJournal(x.context())
}
