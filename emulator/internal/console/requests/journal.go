// Package requests is the pages of a world's requests, and of one of them.
package requests

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/events"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

// requestsPage is the data of pages/journal.html: the list of requests, and one of them beside it.
type requestsPage struct {
	requestList
	Entry  *EntryView // nil: none
	Chosen bool       // by the address; else it is the latest
	Start  recorded.Start
}

// requestList is the list of a world's requests, the latest first.
type requestList struct {
	Size       int    // of the journal; 0: it is off
	Outside    bool   // they reached no world
	All        string // the page without filters
	HAR        string // the file of those that pass the filters
	Here       string // the page with its filters
	Filters    []filterField
	Filtered   bool
	Statuses   []frame.Chip
	Operations []frame.Chip
	Ranges     []frame.Chip // of the machine's time, and the order
	From, To   string       // see words.Datetime
	Spark      recorded.Spark
	ErrorsAt   string // the page with the errors of those that are shown
	Rows       []recorded.EntryRow
	Latest     string // link to the latest requests; "": they are shown
	Next       string
	Newest     string // the id of the first request, or "none", for what comes next; "" on later pages
	Fresh      int    // requests since the one that an open page shows first
	Dropped    uint64

	entries []*journal.Entry // all
	wanted  []*journal.Entry // those that pass the filters
	causes  recorded.Causes
}

// filterField is a filter that the search form keeps.
type filterField struct{ Name, Value string }

// toJournal leads to the address of the list, see link.
func toJournal(x *frame.Exchange) (frame.Answer, error) {
	return frame.SeeOther(x.Address("journal")), nil
}

// showJournal shows the requests of the world, and the latest beside them where there is room. An open page asks for parts of it.
func showJournal(x *frame.Exchange) (frame.Answer, error) {
	list, err := listRequests(x, "")
	refusal := (*api.Error)(nil)
	if err != nil && !errors.As(err, &refusal) {
		return nil, err
	}
	data := requestsPage{requestList: list, Start: recorded.Starting(x)}
	target := x.Request.Header.Get("HX-Target")
	if refusal == nil && (target == "found" || target == "more") {
		return frame.Fragment{Page: "journal", Name: target, Data: data}, nil
	}
	if len(list.Rows) > 0 {
		list.Rows[0].Current = true
		data.Entry = viewEntry(x, list.Rows[0].Entry, list)
	}
	p := frame.Page{Name: "journal", Title: "Requests", Data: data}
	if refusal != nil {
		p.Status, p.Alert = refusal.Status, refusal.Message
	}
	return p, nil
}

// listRequests returns the requests that pass the filters of the page's address, from the first, or from where the chosen one
// is in sight. When a filter is invalid, it returns its error and all requests.
func listRequests(x *frame.Exchange, chosen string) (l requestList, invalid error) {
	l = requestList{Size: x.Journal.Size(), Outside: x.Status == nil, All: x.Here("journal"), HAR: x.Here("har") + recorded.Filters(x), Here: x.Here("journal") + recorded.Filters(x)}
	entries, dropped, err := Entries(x)
	if errors.Is(err, journal.ErrOff) { // the page shows that it is off
		return l, nil
	}
	if err != nil {
		return l, err
	}
	l.Dropped, l.entries = dropped, entries
	if l.causes, err = recorded.CausesHere(x); err != nil {
		return l, err
	}
	sent := x.Request.URL.Query()
	filter, invalid := control.Filter(func(name string) string { return zoned(name, sent.Get(name)) }, x.Worlds.Config().Clock.Wall())
	status := sent.Get("status")
	if status == faulty {
		filter.Status = ""
	}
	if invalid == nil {
		invalid = query.Check(x.Journal, filter)
	}
	if invalid != nil {
		filter, status = query.Filter{}, ""
	}
	found, err := query.Filter{Kind: filter.Kind, Path: filter.Path, Text: filter.Text, From: filter.From, To: filter.To}.Select(x.Context(), entries)
	if err != nil {
		return l, err
	}
	l.choose(x, filter, status, found)
	l.time(x, filter)
	l.show(x, chosen)
	return l, invalid
}

// Entries returns the recorded requests of the page's world, else those that reached none, and the number of earlier ones.
func Entries(x *frame.Exchange) (entries []*journal.Entry, dropped uint64, err error) {
	if x.Status == nil {
		return x.Unmatched.Read(x.Context(), journal.Ref{})
	}
	return x.World.JournalEntries(x.Context())
}

// faulty selects the answers with a fault.
const faulty = "fault"

// statusFilters are the values of ?status= that have chips.
var statusFilters = []filterField{{"Errors", recorded.ErrorsFilter}, {"2xx", "2xx"}, {"4xx", "4xx"}, {"5xx", "5xx"}, {"Broken", "0"}, {"Fault", faulty}}

// ofStatus returns what a value of ?status= selects.
func ofStatus(value string) func(*journal.Entry) bool {
	if value == faulty {
		return func(e *journal.Entry) bool { return e.Fault != "" }
	}
	return query.Filter{Status: query.Status(value)}.Matcher()
}

// choose selects from what was found by status and operation, and makes the chips of both. A chip counts what it would
// select in place of the current one.
func (l *requestList) choose(x *frame.Exchange, filter query.Filter, status string, found []*journal.Entry) {
	withStatus := selected(found, ofStatus(status))
	hasOperation := func(e *journal.Entry) bool { return filter.Operation == "" || e.Operation == filter.Operation }
	withOperation := selected(found, hasOperation)
	l.wanted = selected(withStatus, hasOperation)

	l.Statuses = append(l.Statuses, frame.Chip{Name: "All", Link: x.Here("journal") + recorded.Filters(x, "status", ""), Count: len(withOperation), Current: status == ""})
	shown := statusFilters
	if status != "" && !slices.ContainsFunc(shown, func(f filterField) bool { return f.Value == status }) {
		shown = append(slices.Clone(shown), filterField{status, status})
	}
	type kind struct { // of an answer
		status int
		fault  string
	}
	answers := make(map[kind]int)
	for _, e := range withOperation {
		answers[kind{e.Status, e.Fault}]++
	}
	for _, f := range shown {
		matches, n := ofStatus(f.Value), 0
		for answer, count := range answers {
			if matches(&journal.Entry{Status: answer.status, Fault: answer.fault}) {
				n += count
			}
		}
		addChip(x, &l.Statuses, f.Name, "status", f.Value, n)
	}
	counts := make(map[string]int)
	webhooks := 0
	for _, e := range withStatus {
		counts[e.Operation]++
		if e.Kind == journal.KindWebhook {
			webhooks++
		}
	}
	for _, o := range surface.Operations(x.Extended) {
		addChip(x, &l.Operations, recorded.Operations[o.Name].Short, "operation", o.Name, counts[o.Name])
	}
	addChip(x, &l.Operations, "webhooks", "kind", string(journal.KindWebhook), webhooks)
	addChip(x, &l.Operations, filter.Path, "path", filter.Path, 0)
	for _, name := range recorded.FilterNames {
		value := x.Request.URL.Query().Get(name)
		if value != "" {
			l.Filters = append(l.Filters, filterField{name, value})
		}
		l.Filtered = l.Filtered || value != "" && name != "with" && name != "unfold" && name != "sort"
	}
}

func selected(entries []*journal.Entry, selects func(*journal.Entry) bool) (all []*journal.Entry) {
	for _, e := range entries {
		if selects(e) {
			all = append(all, e)
		}
	}
	return all
}

// addChip adds a chip that sets a filter, or takes it away where it is set. One that would select nothing is left out.
func addChip(x *frame.Exchange, chips *[]frame.Chip, name, filter, value string, count int) {
	c := frame.Chip{Name: name, Tip: value, Count: count, Current: value != "" && x.Request.URL.Query().Get(filter) == value}
	if name == value {
		c.Tip = ""
	}
	if c.Current {
		value = ""
	}
	if c.Link = x.Here("journal") + recorded.Filters(x, filter, value); count > 0 || c.Current {
		*chips = append(*chips, c)
	}
}

// show makes rows of a page of the selected requests.
func (l *requestList) show(x *frame.Exchange, chosen string) {
	sent := x.Request.URL.Query()
	most := recorded.MaxAlikeRow
	if sent.Get("sort") == slowest {
		slices.SortStableFunc(l.wanted, func(a, b *journal.Entry) int { return cmp.Compare(b.Duration, a.Duration) })
		most = 1
	}
	groups, begin := recorded.Neighbours(l.wanted, most, recorded.Repeats), 0
	indexOf := func(id string) int {
		return slices.IndexFunc(groups, func(g []*journal.Entry) bool { return journal.Find(g, id) != nil })
	}
	if after := sent.Get("after"); after != "" {
		begin = indexOf(after) + 1
	} else if at := indexOf(chosen); at >= frame.PerPage {
		begin = at - frame.PerPage/5
	}
	shown, last := frame.Rows(groups[begin:], func(g []*journal.Entry) string { return g[len(g)-1].ID })
	if last != "" {
		l.Next = x.Here("journal") + recorded.Filters(x, "after", last)
	}
	if begin > 0 {
		l.Latest = x.Here("journal") + recorded.Filters(x)
	} else if l.Newest = "none"; len(l.wanted) > 0 {
		l.Newest = l.wanted[0].ID
	}
	if above := sent.Get("above"); above != "" {
		l.Fresh = slices.IndexFunc(l.wanted, func(e *journal.Entry) bool { return e.ID == above })
		if l.Fresh < 0 {
			l.Fresh = len(l.wanted)
		}
	}
	for _, g := range shown {
		l.Rows = append(l.Rows, recorded.Row(x, g, l.causes, cmp.Or(chosen, x.Value("chosen"))))
	}
}

// showLive streams the requests of all worlds, and those that reach none.
func showLive(x *frame.Exchange) (frame.Answer, error) {
	return streamed{events.Live{Streams: x.Streams(), Journals: []*journal.Journal{x.Journal, x.Unmatched}}}, nil
}

type streamed struct{ http.Handler }

func (s streamed) Respond(x *frame.Exchange) error {
	s.ServeHTTP(x.Writer, x.Request)
	return nil
}

func clearJournal(x *frame.Exchange) (frame.Answer, error) {
	return frame.Done(x.Here("journal"), "cleared"), x.World.ClearJournal(x.Context())
}

// notices are the messages after the forms of the room.
var notices = map[string]string{
	"cleared": "Journal cleared.",
	"resent":  "Request sent again: this is the new one.",
	"armed":   "The next matching request will fail once.",
}

// Room is the requests of a world, and one of them.
func Room() frame.Room {
	return frame.Room{Messages: notices, Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "live", Serve: showLive},
		{Method: http.MethodGet, Path: "worlds/:world/journal", Serve: toJournal},
		{Method: http.MethodGet, Path: "worlds/:world/har", Serve: saveHAR, Outside: true},
		{Method: http.MethodGet, Path: "worlds/:world/journal/", Serve: showJournal, Outside: true},
		{Method: http.MethodGet, Path: "worlds/:world/journal/:entry", Serve: showEntry, Outside: true}, // also journal/clear
		{Method: http.MethodPost, Path: "worlds/:world/journal/:entry", Serve: actOnEntry, Form: showEntry},
	}}
}
