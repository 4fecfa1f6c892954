package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// searchPage is the data of pages/search.html.
type searchPage struct {
	Query    string
	Sections []resultGroup
	Whole    bool     // a result has all words
	Examples []string // of queries
}

// resultGroup is the results of one kind, the best first.
type resultGroup struct {
	Title     string
	Pages     []result
	Scenarios []scenarioRow
	Requests  []foundRequest
	More      string // the page with all of them
	order     groupRank
}

// result is a page of the console, or a resource.
type result struct {
	Name, About string
	Path        string
	First       bool // of the results
	words       string
}

// hasAll reports whether each word begins one of the result's, in lower case.
func (r result) hasAll(words []string) bool {
	text := " " + strings.ToLower(r.Name) + " " + r.words
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, " "+word) })
}

// foundRequest is a request that a query finds.
type foundRequest struct {
	*journal.Entry
	Link, Why string
	First     bool // of the results
}

// groupRank orders the groups of results.
type groupRank int

const (
	foundByID groupRank = iota
	requestsByID
	pagesByName
	foundScenarios
	others
)

const (
	maxScenarios = 8 // of the results
	maxRequests  = 5
	maxSearched  = 12 // worlds, when the query names none
)

// showSearch shows what ?q= finds: resources and requests of ?world=, scenarios and pages. Without a world it looks for
// requests in the worlds that were used last.
func showSearch(x *exchange) (answer, error) {
	data := searchPage{Query: x.value("q"), Examples: []string{"451", "rate limit", "slow", "frozen", "two jobs", "laid off", "co-borrower", "429 once"}}
	catalogue, own, err := x.catalogue()
	if err == nil && data.Query != "" {
		data.Sections, data.Whole, err = x.search(data.Query, catalogue, own)
	}
	return page{name: "search", title: "Search", data: data}, err
}

// search returns all results, those of the best group first. The nearest scenarios stand in for other results only.
func (x *exchange) search(q string, catalogue *scenarios.Catalogue, own []*scenarios.Scenario) (all []resultGroup, whole bool, err error) {
	if all, err = x.findStored(q); err != nil {
		return nil, false, err
	}
	if pages := x.findPages(q); len(pages.Pages) > 0 {
		all = append(all, pages)
	}
	found, whole := x.findScenarios(catalogue, own, q)
	if s := (resultGroup{Title: "Scenarios", Scenarios: found, order: foundScenarios}); len(found) > 0 && (whole || len(all) == 0) {
		if slices.ContainsFunc(found[0].Magic, func(m scenarios.MagicValue) bool { return m.Value == q }) {
			s.Scenarios = found[:1]
		} else if len(found) > maxScenarios {
			s.Scenarios, s.More = found[:maxScenarios], link("catalogue")+"?"+x.request.URL.RawQuery
		}
		all = append(all, s)
	}
	whole = whole || len(all) > 0 && all[0].Scenarios == nil
	slices.SortStableFunc(all, func(a, b resultGroup) int { return cmp.Compare(a.order, b.order) })
	if len(all) > 0 && !x.scripted() {
		all[0].begin()
	}
	return all, whole, nil
}

// begin puts the focus on the first result.
func (g *resultGroup) begin() {
	switch {
	case len(g.Pages) > 0:
		g.Pages[0].First = true
	case len(g.Scenarios) > 0:
		g.Scenarios[0].First = true
	case len(g.Requests) > 0:
		g.Requests[0].First = true
	}
}

// findPages returns the pages of the console, and of the world, with all words of a query.
func (x *exchange) findPages(q string) resultGroup {
	of := "" // the id of the world
	if x.status != nil {
		of = x.status.ID
	}
	var all []result
	for _, e := range entrances {
		if !e.ofWorld || of != "" {
			all = append(all, result{Name: e.Name, Path: e.link(of), About: e.about, words: e.words})
		}
	}
	if of != "" {
		faults := link("worlds", of, "faults")
		for _, p := range rules.Presets() {
			all = append(all, result{Name: p.Label, Path: faults, About: "A fault for the requests of this world", words: "fault fail"})
		}
		if status, err := strconv.Atoi(q); err == nil && slices.Contains(errorStatuses(), status) {
			all = append(all, result{Name: fmt.Sprintf("Fault with status %d", status), Path: faults + "?status=" + q, About: http.StatusText(status) + ", for the requests that you choose"})
		}
	}
	s := resultGroup{Title: "Pages and controls", order: others}
	for _, p := range all {
		if strings.EqualFold(p.Name, q) {
			return resultGroup{Title: s.Title, Pages: []result{p}, order: pagesByName}
		}
		if p.hasAll(strings.Fields(strings.ToLower(q))) {
			s.Pages = append(s.Pages, p)
		}
	}
	return s
}

// errorStatuses are the statuses that the form of a fault offers.
func errorStatuses() []int { return []int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503} }

// findStored returns the resource that a query names, and the requests with its id, or with the query's status.
func (x *exchange) findStored(q string) (all []resultGroup, err error) {
	worlds := []world.Status{}
	if x.status != nil {
		worlds = append(worlds, *x.status)
	} else if !isID(q) && !isStatus(q) {
		return nil, nil
	} else if worlds, err = x.Worlds.Latest(x.context(), maxSearched, nil); err != nil {
		return nil, err
	}
	for _, status := range worlds {
		w := x.Worlds.ByID(status.ID)
		resource, err := x.findResource(w, status, q)
		if err != nil {
			return nil, err
		}
		requests, err := x.findRequests(w, status, q)
		if err != nil {
			return nil, err
		}
		if len(requests.Requests) > 0 || x.status != nil { // a magic value is in all worlds
			all = append(all, resource, requests)
		}
	}
	return slices.DeleteFunc(all, func(s resultGroup) bool { return len(s.Pages)+len(s.Requests) == 0 }), nil
}

// isID reports whether a query looks like an id of a resource or of a request.
func isID(q string) bool {
	_, err := ulid.ParseStrict(q)
	return err == nil || scenarios.ValidID(q) && strings.Contains(q, "_")
}

// isStatus reports whether a query is an HTTP status.
func isStatus(q string) bool {
	return journal.Status(q).Check() == nil && len(q) == 3
}

// findResource returns the resource with an id.
func (x *exchange) findResource(w *world.World, status world.Status, id string) (s resultGroup, err error) {
	prefix, _, _ := strings.Cut(id, "_")
	kinds := resourceKinds()
	i := slices.IndexFunc(kinds, func(k resourceKind) bool { return k.prefix == prefix })
	if i < 0 {
		return s, nil
	}
	err = kinds[i].find(x.context(), w, id)
	if failure := (*api.Error)(nil); err != nil {
		if errors.As(err, &failure) {
			err = nil
		}
		return s, err
	}
	about := "The " + kinds[i].One + " in world " + cmp.Or(status.Name, status.Key)
	return resultGroup{Title: "Resource", order: foundByID, Pages: []result{{Name: id, About: about, Path: link("worlds", status.ID, kinds[i].Path, id)}}}, nil
}

// findRequests returns the latest requests of a world with the status that a query is, or with all of its words.
func (x *exchange) findRequests(w *world.World, status world.Status, q string) (s resultGroup, err error) {
	filter, all := journal.Filter{Text: q, Limit: maxRequests + 1}, url.Values{"q": {q}}
	if isStatus(q) {
		filter.Text, filter.Status, all = "", journal.Status(q), url.Values{"status": {q}}
	}
	entries, _, err := w.JournalEntries(x.context())
	if errors.Is(err, journal.ErrOff) || x.Journal.Check(filter) != nil {
		return s, nil
	}
	found, err := filter.Select(x.context(), entries)
	if err != nil {
		return s, err
	}
	s.Title, s.order = "Requests in world "+cmp.Or(status.Name, status.Key), others
	if isID(q) {
		s.order = requestsByID
	}
	for i, e := range found {
		if i == maxRequests {
			s.More = link("worlds", status.ID, "journal") + "?" + all.Encode()
			break
		}
		s.Requests = append(s.Requests, foundRequest{Entry: e, Link: link("worlds", status.ID, "journal", e.ID), Why: reasonOf(e).brief(nil)})
	}
	return s, nil
}
