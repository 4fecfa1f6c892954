package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const version = "2019-10-15"

func TestNegotiate(t *testing.T) {
	t.Parallel()
	const (
		byDefault = "the default version, with a note of how to ask for it"
		own       = "the operation's version"
		refused   = "406, which names the right version"
	)
	for want, cases := range map[string]map[string][]string{
		byDefault: {
			"spec 9.1: the header is optional":                     nil,
			"an empty header is as good as none":                   {""},
			"spec 9.1: application/json":                           {"application/json"},
			"curl's and Go's default":                              {"*/*"},
			"application/*":                                        {"application/*"},
			"axios's default":                                      {"application/json, text/plain, */*"},
			"a browser's default":                                  {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
			"the default of Java's URLConnection":                  {"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"},
			"upper case":                                           {"APPLICATION/JSON"},
			"several lines are one list":                           {"text/html", "application/json"},
			"a quote that is not closed ends with its line":        {`"`, "*/*"},
			"a charset is no version":                              {"application/json; charset=utf-8"},
			"a weight":                                             {"application/json;q=0.1"},
			"a weight that cannot be read is none":                 {"application/json;q=high"},
			"another version spoils nothing beside a servable one": {"application/json; version=1999-01-01, */*"},
			"a malformed element spoils nothing":                   {"; ;,application/json"},
			"an unknown type excluded":                             {"text/html;q=0, */*"},
			"commas without elements":                              {",,application/json,,"},
		},
		own: {
			"spec 9.2: the operation's version": {"application/json; version=2019-10-15"},
			"without a space":                   {"application/json;version=2019-10-15"},
			"upper case":                        {"Application/JSON; Version=2019-10-15"},
			"in quotes":                         {`application/json; version="2019-10-15"`},
			"with a weight":                     {"application/json; version=2019-10-15; q=0.5, text/html"},
			"beside a looser range":             {"*/*, application/json; version=2019-10-15"},
			"the closest range decides":         {"application/json;q=0, application/json; version=2019-10-15"},
			"in a second line":                  {"text/html", "application/json; version=2019-10-15"},
		},
		refused: {
			"spec 9.3: another version":             {"application/json; version=2022-08-01"},
			"a version that is none":                {"application/json; version=latest"},
			"an empty version":                      {`application/json; version=""`},
			"another type":                          {"text/html"},
			"a list of other types":                 {"text/html, application/xml"},
			"JSON excluded":                         {"application/json;q=0"},
			"JSON excluded beside everything":       {"application/json;q=0, */*"},
			"everything excluded":                   {"*/*;q=0"},
			"the version excluded":                  {"application/json; version=2019-10-15; q=0, application/json"},
			"no media type":                         {"json"},
			"a type of which JSON is only a suffix": {"application/vnd.api+json"},
			"the version of a quoted comma":         {`application/json; version="2019-10-15,"`},
		},
	} {
		for name, lines := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				notes, err := api.Negotiate(lines, version)
				refusal := (*api.Error)(nil)
				got := ""
				switch {
				case err == nil && len(notes) == 0:
					got = own
				case err == nil && strings.Contains(told(notes), "version="+version):
					got = byDefault
				case errors.As(err, &refusal) && refusal.Status == http.StatusNotAcceptable && strings.Contains(refusal.Diagnosis, "version="+version):
					got = refused
				}
				if got != want {
					t.Errorf("Accept %q: note %q, error %v; want %s", lines, notes, err, want)
				}
			})
		}
	}
}

func TestAnotherVersionIsNamed(t *testing.T) {
	t.Parallel()
	notes, err := api.Negotiate([]string{"application/json; version=2022-08-01, */*"}, version)
	if err != nil || !strings.Contains(told(notes), `version 2022-08-01 is not this operation's and was passed over`) {
		t.Errorf("note %q, error %v", notes, err)
	}
	if _, err = api.Negotiate([]string{"application/json; version=2022-08-01"}, version); err == nil || !strings.Contains(err.Error(), `version 2022-08-01 is not this operation's: send`) {
		t.Error(err)
	}
}

func FuzzNegotiate(f *testing.F) {
	f.Add("application/json; version=2019-10-15", "*/*;q=0.1")
	f.Add(`application/json; version="2019-10-15", text/plain`, "")
	f.Add(`a/b;c="\"",`, ",;=")
	f.Fuzz(func(t *testing.T, first, second string) {
		notes, err := api.Negotiate([]string{first, second}, version)
		if err != nil && !errors.As(err, new(*api.Error)) {
			t.Errorf("Negotiate(%q, %q): %v is not meant for the caller", first, second, err)
		}
		if err != nil && len(notes) > 0 {
			t.Errorf("Negotiate(%q, %q) both notes and refuses", first, second)
		}
	})
}

// told is what notes say, a line each.
func told(notes []api.Note) string {
	var all strings.Builder
	for _, note := range notes {
		fmt.Fprintln(&all, note)
	}
	return all.String()
}
