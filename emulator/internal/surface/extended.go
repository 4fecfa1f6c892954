package surface

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/inventory"
)

// The extensions are operations that the spec does not show. Their answers are taken from what is public of such services, and where
// that is silent they are ours.

// given is a resource, and a function that reports whether a caller or a scenario has set the value at a path: see [inventory.Tx.Given].
type given struct {
	resource any
	given    func(path string) bool
}

// page is a part of a list.
type page[T any] struct {
	Count    int     `json:"count"` // of the whole list
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	Results  []T     `json:"results"`
}

// company is an employer in a list.
type company struct {
	ID     string `json:"id"` // as a target's company has it
	Name   string `json:"name"`
	Domain string `json:"domain"`
}

// The number of results of a page.
const (
	usualLimit = 25
	maxLimit   = 100
)

// pageQuery is the query of a list.
type pageQuery struct {
	limit, offset int
	values        url.Values
	url           url.URL // of the list
}

// readPage reads the query of a list that has another parameter beside limit and offset. check says what is wrong with its value,
// "" for nothing.
func readPage(r *http.Request, parameter string, check func(value string) string) (q pageQuery, part decoded) {
	names := []string{parameter, "limit", "offset"}
	part.notes = api.NoteQuery(r.URL.RawQuery, names...)
	if q.values, part.err = url.ParseQuery(r.URL.RawQuery); part.err != nil {
		part.err = api.Invalid("the query is not well-formed: percent-encode it")
		return q, part
	}
	var problems []string
	number := func(name string, usual, least, most int, what string) int {
		text := q.values.Get(name)
		if text == "" {
			return usual
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			problems = append(problems, name+" must be "+what+", not "+api.Quote(text))
		}
		return n
	}
	q.limit = number("limit", usualLimit, 1, maxLimit, fmt.Sprintf("a number from 1 to %d", maxLimit))
	q.offset = number("offset", 0, 0, 1<<30, "a number from 0 on")
	if problem := check(q.values.Get(parameter)); problem != "" {
		problems = append(problems, problem)
	}
	for _, name := range names {
		if n := len(q.values[name]); n > 1 {
			problems = append(problems, fmt.Sprintf("%s was given %d times: send it once", name, n))
		}
	}
	if problems != nil {
		part.err = api.Invalid(strings.Join(problems, "; "))
	}
	q.url = url.URL{Scheme: "http", Host: cmp.Or(r.Host, "localhost"), Path: r.URL.Path}
	if r.TLS != nil {
		q.url.Scheme = "https"
	}
	return q, part
}

// pageOf returns a page of a list that has count elements.
func pageOf[T any](q pageQuery, count int, results []T) page[T] {
	at := func(offset int) *string {
		values := url.Values{}
		for name, value := range q.values {
			values[name] = value
		}
		values.Set("limit", strconv.Itoa(q.limit))
		values.Set("offset", strconv.Itoa(offset))
		q.url.RawQuery = values.Encode()
		return new(q.url.String())
	}
	p := page[T]{Count: count, Results: append([]T{}, results...)}
	if q.offset+q.limit < count {
		p.Next = at(q.offset + q.limit)
	}
	if q.offset > 0 {
		p.Previous = at(max(0, min(q.offset, count)-q.limit))
	}
	return p
}

// contents matches the contents of documents in a body, which may be cut: they are long, and no masker sees what they have.
var contents = regexp.MustCompile(`"content"\s*:\s*"((?:[^"\\]|\\.)+)`)

// createVerification creates a verification request of a person.
func createVerification(r *http.Request) (in input) {
	var query api.ReadQuery
	query, in.query.notes, in.query.err = api.DecodeReadQuery(r.URL.RawQuery)
	in.selected = query.Fields != nil
	created, notes, err := api.DecodeNewVerificationRequest(r)
	in.session, in.body = &created, decoded{notes, err}
	in.run = func(w *inventory.Tx, _ inventory.Resource) (any, string, error) {
		made, scenario, err := w.CreateVerification(created, query.IncomeAnalytics)
		if err != nil || query.Fields == nil {
			return given{made.VerificationRequest, made.Given}, scenario, err
		}
		body, err := api.Render(made.VerificationRequest)
		if err == nil {
			body, err = api.Select(body, query.Fields)
		}
		return given{body, made.Given}, scenario, err
	}
	return in
}

// listVerifications lists the verification requests of the world.
func listVerifications(r *http.Request) (in input) {
	query, part := readPage(r, "state", func(value string) string {
		var words []string
		for _, state := range api.State("").Values() {
			words = append(words, string(state))
		}
		if value == "" || slices.Contains(words, value) {
			return ""
		}
		return "unknown state " + api.Quote(value) + api.DidYouMean(value, words, ": it is one of "+strings.Join(words, ", "))
	})
	state := api.State(query.values.Get("state"))
	in.query = part
	in.run = func(w *inventory.Tx, _ inventory.Resource) (any, string, error) {
		listed, count, err := w.ListVerifications(state, query.offset, query.limit)
		results := make([]api.VerificationRequest, len(listed))
		for i := range listed {
			results[i] = listed[i].VerificationRequest
		}
		return given{pageOf(query, count, results), func(path string) bool {
			number, field, _ := strings.Cut(strings.TrimPrefix(path, "results."), ".")
			i, err := strconv.Atoi(number)
			return err == nil && listed[i].Given(field)
		}}, "", err
	}
	return in
}

// getReport returns the latest report of a completed verification request.
func getReport(*http.Request) input {
	return input{run: func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		report, set, scenario, err := w.Report(found)
		return given{report, set}, scenario, err
	}}
}

// reverify verifies the person of a completed verification request again.
func reverify(r *http.Request) (in input) {
	var report string
	report, in.body.notes, in.body.err = api.DecodeReverification(r)
	in.run = func(w *inventory.Tx, found inventory.Resource) (any, string, error) {
		made, scenario, err := w.Reverify(found, report)
		return given{made.VerificationRequest, made.Given}, scenario, err
	}
	return in
}

// listCompanies lists synthetic employers by a part of their name or domain.
func listCompanies(r *http.Request) (in input) {
	query, part := readPage(r, "q", func(string) string { return "" })
	in.query = part
	in.run = func(w *inventory.Tx, _ inventory.Resource) (any, string, error) {
		var found []company
		wanted := strings.ToLower(strings.TrimSpace(query.values.Get("q")))
		for c, domain := range w.Employers() {
			if strings.Contains(strings.ToLower(*c.Name), wanted) || strings.Contains(domain, wanted) {
				found = append(found, company{strconv.Itoa(*c.ID), *c.Name, domain})
			}
		}
		first := min(query.offset, len(found))
		return pageOf(query, len(found), found[first:min(first+query.limit, len(found))]), "", nil
	}
	return in
}
