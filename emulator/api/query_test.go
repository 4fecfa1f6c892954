package api_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestReadQuery(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		raw   string
		want  api.ReadQuery
		notes []string // a part of each
	}{
		"spec 4.2: without a query all fields are included":       {"", api.ReadQuery{}, nil},
		"spec 4.2: fields names the keys to include":              {"fields=id,state", api.ReadQuery{Fields: []string{"id", "state"}}, nil},
		"an empty fields is the same as none":                     {"fields=", api.ReadQuery{}, nil},
		"blanks around names are ignored":                         {"fields=%20id%20,%20", api.ReadQuery{Fields: []string{"id"}}, nil},
		"a repeated fields adds up":                               {"fields=id&fields=state", api.ReadQuery{Fields: []string{"id", "state"}}, nil},
		"an unknown name is diagnosed":                            {"fields=id,sate", api.ReadQuery{Fields: []string{"id"}}, []string{"did you mean state?"}},
		"only top-level keys can be named":                        {"fields=reports.id", api.ReadQuery{Fields: []string{}}, []string{`unknown name "reports.id" was ignored: only top-level keys can be named, such as reports`}},
		"the last income_analytics counts":                        {"income_analytics=0&income_analytics=1", api.ReadQuery{IncomeAnalytics: true}, []string{"income_analytics was given 2 times, and the last one counts: send it once"}},
		"the last income_analytics counts, also when it is false": {"income_analytics=1&income_analytics=false", api.ReadQuery{}, []string{"income_analytics was given 2 times, and the last one counts: send it once"}},
		"an unknown parameter is diagnosed with the nearest name": {"income_analytic=1", api.ReadQuery{}, []string{`unknown query parameter "income_analytic" was ignored: did you mean income_analytics?`}},
		"only unknown names select nothing":                       {"fields=nothing", api.ReadQuery{Fields: []string{}}, []string{`"nothing"`}},
		"income_analytics=true":                                   {"income_analytics=true", api.ReadQuery{IncomeAnalytics: true}, nil},
		"income_analytics=TRUE":                                   {"income_analytics=TRUE", api.ReadQuery{IncomeAnalytics: true}, nil},
		"income_analytics=1":                                      {"income_analytics=1", api.ReadQuery{IncomeAnalytics: true}, nil},
		"spec 4.2: income_analytics=false is the default":         {"income_analytics=False", api.ReadQuery{}, nil},
		"income_analytics=0":                                      {"income_analytics=0", api.ReadQuery{}, nil},
		"an unknown parameter is diagnosed, without its value":    {"ssn=123456789", api.ReadQuery{}, []string{`unknown query parameter "ssn"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, notes, err := api.DecodeReadQuery(tt.raw)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if len(notes) != len(tt.notes) {
				t.Fatalf("notes %q, want %d", textOf(notes), len(tt.notes))
			}
			for i, part := range tt.notes {
				if !strings.Contains(notes[i].Text, part) || strings.Contains(notes[i].Text, "123") {
					t.Errorf("note %q, want one that has %q", notes[i].Text, part)
				}
			}
		})
	}
}

func TestReadQueryRefused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{"income_analytics=", "income_analytics=yes", "income_analytics=2", "income_analytics=%zz", "a=1;b=2"} {
		_, _, err := api.DecodeReadQuery(raw)
		refusal := (*api.Error)(nil)
		if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || refusal.Message != "Invalid field values provided" {
			t.Errorf("%s: %v, want 400 with the default message", raw, err)
		}
	}
}

func FuzzReadQuery(f *testing.F) {
	f.Add("fields=id,state&income_analytics=1")
	f.Add("fields=%2c&fields&income_analytics=%54rue&x;y")
	f.Fuzz(func(t *testing.T, raw string) {
		query, _, err := api.DecodeReadQuery(raw)
		if err != nil && !errors.As(err, new(*api.Error)) {
			t.Errorf("%q: %v is not meant for the caller", raw, err)
		}
		selected, err := api.Select([]byte(`{"id":"a","state":{"b":[1,"\u00e9"]},"type":null}`), query.Fields)
		if err != nil || !json.Valid(selected) {
			t.Errorf("%q selects %s: %v", raw, selected, err)
		}
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	document := []byte(`{"id":"a","state":{"b":[1,"{"]},"type":null,"target":"é"}`)
	for want, fields := range map[string][]string{
		`{}`:                      {},
		`{"id":"a"}`:              {"id"},
		`{"id":"a","type":null}`:  {"type", "id"},
		`{"state":{"b":[1,"{"]}}`: {"state", "nothing"},
		string(document):          {"target", "type", "state", "id"},
	} {
		got, err := api.Select(document, fields)
		if err != nil || string(got) != want {
			t.Errorf("Select(%q) = %s, %v; want %s", fields, got, err, want)
		}
	}
}
