// Package find is the search over pages, scenarios, resources and requests.
package find

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/catalogue"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/resources"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/steer"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
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
	Scenarios []catalogue.ScenarioRow
	Rest      []catalogue.ScenarioRow // those that unfold
	Requests  []recorded.EntryRow
	More      string // the page with all of them
	order     groupRank
}

// result is a page of the console, or a resource.
type result struct {
	Name, About string
	Path        string
	First       bool   // of the results
	words       string // that people have for it, in lower case
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
	maxScenarios = 8 // of the results, at once
	maxRequests  = 5
	maxPages     = 6
	maxSearched  = 12    // other worlds, but for the id of one resource or request
	maxWorlds    = 1_000 // for such an id
)

// showSearch shows what ?q= finds: resources and requests of ?world=, scenarios, pages and controls. Where the world has no such
// request, it looks in the worlds that were used last, and at the requests that reached none.
func showSearch(x *frame.Exchange) (frame.Answer, error) {
	data := searchPage{Query: x.Value("q"), Examples: []string{"451", "rate limit", "slow", "frozen", "two jobs", "laid off", "co-borrower", "429 once"}}
	catalogue, own, err := catalogue.Catalogue(x)
	if err == nil && data.Query != "" {
		data.Sections, data.Whole, err = search(x, data.Query, catalogue, own)
	}
	return frame.Page{Name: "search", Title: "Search", Data: data}, err
}

// search returns all results, those of the best group first. The nearest scenarios stand in for other results only.
func search(x *frame.Exchange, q string, from *scenarios.Catalogue, own []*scenarios.Scenario) (all []resultGroup, whole bool, err error) {
	if all, err = findStored(x, q); err != nil {
		return nil, false, err
	}
	if pages := findPages(x, q); len(pages.Pages) > 0 {
		all = append(all, pages)
	}
	found, whole := catalogue.FindScenarios(x, from, own, q)
	if s := (resultGroup{Title: "Scenarios", Scenarios: found, order: foundScenarios}); len(found) > 0 && (whole || len(all) == 0) {
		if slices.ContainsFunc(found[0].Magic, func(m scenarios.MagicValue) bool { return m.Value == q }) {
			s.Scenarios = found[:1]
		} else if len(found) > maxScenarios {
			s.Scenarios, s.Rest = found[:maxScenarios], found[maxScenarios:]
		}
		all = append(all, s)
	}
	whole = whole || len(all) > 0 && all[0].Scenarios == nil
	slices.SortStableFunc(all, func(a, b resultGroup) int { return cmp.Compare(a.order, b.order) })
	if len(all) > 0 && !x.Scripted() {
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
		g.Requests[0].Current = true
	}
}

// pagesAndControls returns all that a query can find of the console, and of the page's world.
func pagesAndControls(x *frame.Exchange, q string) (all []result) {
	of := "" // the id of the world
	if x.Status != nil {
		of = x.Status.ID
	}
	for _, e := range frame.Entrances {
		if !e.OfWorld || of != "" {
			all = append(all, result{Name: e.Name, Path: e.Link(of), About: e.About, words: e.Words})
		}
	}
	all = append(all, result{Name: "Outside any world", Path: frame.OutsideLink(""), About: "Requests with a wrong key, path or method", words: "unmatched wrong key path method"})
	if of == "" {
		return all
	}
	clock, faults := frame.Link("worlds", of, "clock"), frame.Link("worlds", of, "faults")
	all = append(all,
		result{Name: "Reset this world", Path: frame.Link("worlds", of, "reset"), About: "As if its key had never been used", words: "new clean empty"},
		result{Name: "Delete this world", Path: frame.Link("worlds", of, "delete"), About: "With all that is in it", words: "remove"},
		result{Name: "Advance the clock", Path: clock, About: "By hours, days, or to the next step", words: "time wait move 1 day hour week next step"},
		result{Name: "Freeze the clock", Path: clock, About: "Or let it run", words: "time stop unfreeze run"},
		result{Name: "Clear the requests", Path: frame.Link("worlds", of, "journal", "clear"), About: "Delete what was recorded in this world", words: "journal delete remove"})
	for _, p := range rules.Presets() {
		all = append(all, result{Name: p.Label, Path: faults, About: "A fault for the requests of this world", words: "fault fail"})
	}
	if status, err := strconv.Atoi(q); err == nil && status >= 400 && http.StatusText(status) != "" {
		all = append(all, result{Name: "Fault with status " + q, Path: faults + "?" + url.Values{"rule": {steer.StatusRule(q)}}.Encode() + "#another", About: http.StatusText(status) + ", for the requests that you choose"})
	}
	return all
}

// findPages returns the pages and controls with the words of a query. They come before the scenarios where one has a word of it in
// its name.
func findPages(x *frame.Exchange, q string) resultGroup {
	s, words := resultGroup{Title: "Pages and controls", order: others}, strings.Fields(strings.ToLower(q))
	named := 0 // of the results, the first
	for _, p := range pagesAndControls(x, q) {
		name := strings.ToLower(p.Name)
		if name == strings.ToLower(q) {
			return resultGroup{Title: s.Title, Pages: []result{p}, order: pagesByName}
		}
		switch {
		case !hasWords(name+" "+p.words, words):
		case hasWords(name, words) && !isStatus(q):
			s.order, s.Pages = pagesByName, slices.Insert(s.Pages, named, p)
			named++
		default:
			s.Pages = append(s.Pages, p)
		}
	}
	s.Pages = s.Pages[:min(len(s.Pages), maxPages)]
	return s
}

// hasWords reports whether each word of a query begins one of a text, but for those of one to three letters, such as how and do,
// beside others.
func hasWords(text string, words []string) bool {
	some := false
	for _, word := range words {
		has := strings.Contains(" "+text, " "+word)
		if some = some || has; !has && (len(word) > 3 || strings.ContainsAny(word, "0123456789")) {
			return false
		}
	}
	return some
}

// findStored returns the resource that a query names, and the requests with its words: in the page's world, and in others where
// that has none.
func findStored(x *frame.Exchange, q string) (all []resultGroup, err error) {
	if x.Status != nil {
		if all, err = findInWorld(x, q, *x.Status); err != nil || len(all) > 0 {
			return all, err
		}
	}
	unique, most := isUnique(q), maxSearched
	if unique {
		most = maxWorlds
	}
	worlds, err := x.Worlds.Latest(x.Context(), most, func(s world.Status) bool { return x.Status == nil || s.ID != x.Status.ID })
	if err != nil {
		return nil, err
	}
	for _, status := range worlds {
		found, err := findInWorld(x, q, status)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(found, func(g resultGroup) bool { return len(g.Requests) > 0 }) || unique { // a magic value is in all worlds
			all = append(all, found...)
		}
		if unique && len(all) > 0 {
			return all, nil
		}
	}
	stray, _, err := x.Unmatched.Read(x.Context(), journal.Ref{})
	if err != nil && !errors.Is(err, journal.ErrOff) {
		return nil, err
	}
	return addRequests(x, all, q, stray, frame.Outside, "outside any world")
}

// findInWorld returns the resource of a world that a query names, and the requests with its words.
func findInWorld(x *frame.Exchange, q string, status world.Status) (all []resultGroup, err error) {
	w, name := x.Worlds.ByID(status.ID), "in world "+cmp.Or(status.Name, status.Key)
	if all, err = addResource(x, nil, w, status.ID, q, name); err != nil {
		return nil, err
	}
	entries, _, err := w.JournalEntries(x.Context())
	if failure := (*api.Error)(nil); errors.Is(err, journal.ErrOff) || errors.As(err, &failure) { // of a world that is deleted meanwhile
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	return addRequests(x, all, q, entries, status.ID, name)
}

// isID reports whether a query looks like an id of a resource or of a request.
func isID(q string) bool {
	return isUnique(q) || scenarios.ValidID(q) && strings.Contains(q, "_")
}

// isUnique reports whether a query is an id that only one world has: that of a request, or one that was drawn.
func isUnique(q string) bool {
	_, drawn, _ := strings.Cut(q, "_")
	_, err := ulid.ParseStrict(cmp.Or(drawn, q))
	return err == nil
}

// isStatus reports whether a query is an HTTP status.
func isStatus(q string) bool {
	return query.Status(q).Check() == nil && len(q) == 3
}

// addResource adds the resource with an id.
func addResource(x *frame.Exchange, all []resultGroup, w *world.World, of, id, in string) ([]resultGroup, error) {
	prefix, _, _ := strings.Cut(id, "_")
	kinds := resources.ResourceKinds()
	i := slices.IndexFunc(kinds, func(k resources.ResourceKind) bool { return k.Prefix == prefix })
	if i < 0 {
		return all, nil
	}
	err := kinds[i].Find(x.Context(), w, id)
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return all, nil
	}
	found := result{Name: id, About: "The " + kinds[i].One + " " + in, Path: frame.Link("worlds", of, kinds[i].Path, id)}
	return append(all, resultGroup{Title: "Resource", order: foundByID, Pages: []result{found}}), err
}

// addRequests adds the latest requests of a world with the status that a query is, or with all of its words.
func addRequests(x *frame.Exchange, all []resultGroup, q string, entries []*journal.Entry, of, in string) ([]resultGroup, error) {
	filter, link := query.Filter{Text: q, Limit: maxRequests + 1}, url.Values{"q": {q}}
	if isStatus(q) {
		filter.Text, filter.Status, link = "", query.Status(q), url.Values{"status": {q}}
	}
	if query.Check(x.Journal, filter) != nil {
		return all, nil
	}
	var found []*journal.Entry
	var err error
	if _, other := ulid.ParseStrict(q); other != nil {
		found, err = filter.Select(x.Context(), entries)
	} else if e := journal.Find(entries, q); e != nil { // the id of a request is in no body
		found = []*journal.Entry{e}
	}
	if err != nil || len(found) == 0 {
		return all, err
	}
	s := resultGroup{Title: "Requests " + in, order: others}
	if isID(q) {
		s.order = requestsByID
	}
	if len(found) > maxRequests {
		found, s.More = found[:maxRequests], frame.Link("worlds", of, "journal")+"?"+link.Encode()
	}
	why, err := recorded.CausesIn(x, x.Worlds.ByID(of))
	for _, e := range found {
		s.Requests = append(s.Requests, recorded.EntryRow{Entry: e, Link: frame.Link("worlds", of, "journal", e.ID), Why: why.Reason(e)})
	}
	return append(all, s), err
}

// Room is the search.
func Room() frame.Room {
	return frame.Room{Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "search", Serve: showSearch},
	}}
}
