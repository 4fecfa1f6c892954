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

var read = api.Operation{Version: version}

func TestNegotiate(t *testing.T) {
	t.Parallel()
	const (
		byDefault = "the default version, with a note about the header"
		own       = "the operation's version"
		refused   = "406 that names the right version"
	)
	for want, cases := range map[string]map[string][]string{
		byDefault: {
			"spec 9.1: the header is optional":        nil,
			"an empty header is the same as none":     {""},
			"spec 9.1: application/json":              {"application/json"},
			"curl's and Go's default":                 {"*/*"},
			"application/*":                           {"application/*"},
			"axios's default":                         {"application/json, text/plain, */*"},
			"a browser's default":                     {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
			"the default of Java's URLConnection":     {"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"},
			"upper case":                              {"APPLICATION/JSON"},
			"several lines are one list":              {"text/html", "application/json"},
			"an unclosed quote ends with its line":    {`"`, "*/*"},
			"a charset is not a version":              {"application/json; charset=utf-8"},
			"a weight":                                {"application/json;q=0.1"},
			"an unreadable weight is ignored":         {"application/json;q=high"},
			"another version beside a matching range": {"application/json; version=1999-01-01, */*"},
			"a malformed element is ignored":          {"; ;,application/json"},
			"an unknown type excluded":                {"text/html;q=0, */*"},
			"commas without elements":                 {",,application/json,,"},
			"accepted, then excluded":                 {"application/json, application/json;q=0"},
			"excluded, then accepted":                 {"application/json;q=0, application/json"},
			"a list after an unclosed quote":          {`text/html; a="`, "text/html, */*"},
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
			"accepted, then excluded":           {"application/json; version=2019-10-15, application/json; version=2019-10-15; q=0"},
		},
		refused: {
			"spec 9.3: another version":       {"application/json; version=2022-08-01"},
			"an unknown version":              {"application/json; version=latest"},
			"an empty version":                {`application/json; version=""`},
			"another type":                    {"text/html"},
			"a list of other types":           {"text/html, application/xml"},
			"JSON excluded":                   {"application/json;q=0"},
			"JSON excluded beside everything": {"application/json;q=0, */*"},
			"everything excluded":             {"*/*;q=0"},
			"the version excluded":            {"application/json; version=2019-10-15; q=0, application/json"},
			"no media type":                   {"json"},
			"a type with JSON as a suffix":    {"application/vnd.api+json"},
			"a quoted comma in the version":   {`application/json; version="2019-10-15,"`},
		},
	} {
		for name, lines := range cases {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				notes, err := read.Negotiate(lines, false)
				refusal := (*api.Error)(nil)
				got := ""
				switch {
				case err == nil && len(notes) == 0:
					got = own
				case err == nil && strings.Contains(textOf(notes), "version="+version):
					got = byDefault
				case errors.As(err, &refusal) && refusal.Status == http.StatusNotAcceptable && strings.Contains(refusal.Diagnosis, "version="+version):
					got = refused
				}
				if got != want {
					t.Errorf("Accept %q: note %q, error %v; want %s", lines, textOf(notes), err, want)
				}
			})
		}
	}
}

func TestNegotiateNamesOtherVersion(t *testing.T) {
	t.Parallel()
	notes, err := read.Negotiate([]string{"application/json; version=2022-08-01, */*"}, false)
	if err != nil || !strings.Contains(textOf(notes), `version 2022-08-01 is not this operation's and was ignored`) {
		t.Errorf("note %q, error %v", textOf(notes), err)
	}
	if _, err = read.Negotiate([]string{"application/json; version=2022-08-01"}, false); err == nil || !strings.Contains(err.Error(), `version 2022-08-01 is not this operation's: send`) {
		t.Error(err)
	}
}

// With the extension each operation is served in every version of the spec. One that the spec lists elsewhere is diagnosed.
func TestNegotiateExtended(t *testing.T) {
	t.Parallel()
	const listed = "the specification lists version 2019-10-15 for this operation, not 2022-08-01, which --extended serves"
	extension := api.Operation{Version: "2023-10-30", Extension: true}
	for name, tt := range map[string]struct {
		of     api.Operation
		accept string
		want   string // note; "406" for a refusal
	}{
		"the operation's version":                {read, "application/json; version=2019-10-15", ""},
		"another version":                        {read, "application/json; version=2022-08-01", listed},
		"its version excluded, and another one":  {read, "application/json; version=2019-10-15; q=0, application/json; version=2022-08-01", listed},
		"another version excluded":               {read, "application/json; version=2022-08-01; q=0", "406"},
		"both versions":                          {read, "application/json; version=2022-08-01, application/json; version=2019-10-15", ""},
		"a version that is none":                 {read, "application/json; version=2022-08-02", "406"},
		"an extension in its version":            {extension, "application/json; version=2023-10-30", ""},
		"an extension in an older version":       {extension, "application/json; version=2020-12-07", ""},
		"an extension in a version that is none": {extension, "application/json; version=1999-01-01", "406"},
		"an extension without a version":         {extension, "application/json", "no version was asked for: send Accept: application/json; version=2023-10-30"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			notes, err := tt.of.Negotiate([]string{tt.accept}, true)
			got := strings.TrimSuffix(textOf(notes), "\n")
			if err != nil {
				got = "406"
			}
			if got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzNegotiate(f *testing.F) {
	f.Add("application/json; version=2019-10-15", "*/*;q=0.1")
	f.Add(`application/json; version="2019-10-15", text/plain`, "")
	f.Add(`a/b;c="\"",`, ",;=")
	f.Fuzz(func(t *testing.T, first, second string) {
		notes, err := read.Negotiate([]string{first, second}, false)
		if err != nil && !errors.As(err, new(*api.Error)) {
			t.Errorf("Negotiate(%q, %q): %v is not an api.Error", first, second, err)
		}
		if err != nil && len(notes) > 0 {
			t.Errorf("Negotiate(%q, %q) both notes and refuses", first, second)
		}
		// The extension serves more, and what is served without it in the same way.
		extended, refused := read.Negotiate([]string{first, second}, true)
		if err == nil && (refused != nil || textOf(extended) != textOf(notes)) {
			t.Errorf("Negotiate(%q, %q): %q, with the extension %q, %v", first, second, textOf(notes), textOf(extended), refused)
		}
	})
}

// textOf returns the texts of notes, one per line.
func textOf(notes []api.Note) string {
	var all strings.Builder
	for _, note := range notes {
		fmt.Fprintln(&all, note.Text)
	}
	return all.String()
}
