package control

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// checked returns what serves a call, once its query is right.
func (e endpoint) checked() func(*exchange) (any, error) {
	serve := e.serve
	if e.inWorld != nil {
		serve = inWorld(e.inWorld)
	}
	known := e.parameters()
	return func(x *exchange) (any, error) {
		if err := checkQuery(x.request.URL.RawQuery, known); err != nil {
			return nil, err
		}
		return serve(x)
	}
}

// parameters lists what a call's query may have.
func (e endpoint) parameters() []string {
	if e.inWorld == nil {
		return e.query
	}
	return append([]string{"world"}, e.query...)
}

// checkQuery refuses a parameter that the call does not have, and one that is repeated: what is misspelled, or said in
// another way again, would be left out of account.
func checkQuery(raw string, known []string) error {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return api.Because(http.StatusBadRequest, "The query cannot be read: write it as name=value, with & between two")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if slices.Contains(known, name) {
			if values := query[name]; len(values) > 1 {
				return api.Because(http.StatusBadRequest, "The query parameter "+name+" is there more than once: say it once")
			}
			continue
		}
		message := "There is no query parameter " + api.Quote(name)
		switch nearest, ok := api.Nearest(name, known); {
		case ok:
			message += ": did you mean " + nearest + "?"
		case len(known) == 0:
			message += ": this call has none"
		default:
			message += ": this call has " + strings.Join(known, ", ")
		}
		return api.Because(http.StatusBadRequest, message)
	}
	return nil
}
