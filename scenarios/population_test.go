package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// populationFile writes a file of a population.
func populationFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestPopulation checks that the text of the mix is a file of the same people, and that a file needs to have only what differs.
func TestPopulation(t *testing.T) {
	t.Parallel()
	load := func(name string) *fixtures.Population {
		p, err := scenarios.LoadPopulation(name)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if load("plain") != nil {
		t.Error("plain people are a population")
	}
	mix := load("mix")
	if err := validate(t, compile(t, scenarios.Schema("population")), string(mix.Text)); err != nil {
		t.Error(err)
	}
	at := time.Date(2025, 1, 15, 9, 0, 0, 0, time.UTC)
	same, oregon := load(populationFile(t, string(mix.Text))), load(populationFile(t, "states: {OR: 1}\n"))
	for n := range 50 {
		draw := func(p *fixtures.Population) fixtures.VerificationShape {
			return fixtures.Generator{Seed: 1, Population: p}.Mix(fmt.Sprint(n), at, fixtures.VerificationShape{}, nil)
		}
		if want, is := draw(nil), draw(same); !reflect.DeepEqual(want, is) {
			t.Fatalf("%+v, of the mix %+v", is, want)
		}
		g, shape := fixtures.Generator{Seed: 1}, draw(oregon)
		shown := g.VerificationRequest("", fmt.Sprint(n), shape, fixtures.Progress{State: "completed", Created: at, Completed: at})
		if address := shown.Reports[0].Employer.Address; address == nil || !strings.Contains(*address, ", OR ") {
			t.Errorf("an employer in %v", address)
		}
	}
}

func TestPopulationMistakes(t *testing.T) {
	t.Parallel()
	schema := compile(t, scenarios.Schema("population"))
	for text, tt := range map[string]struct {
		want  string
		found bool // by the schema, too
	}{
		"ages: {12-15: 1}\n":                            {"1:8: ages.12-15 is no key here: write a span of years from 16 to 90, such as 25-34", false},
		"ages: {16-30: 1, 30-40: 2}\n":                  {"has ages of", false},
		"gig: 2\nstates:\n  OR: 1\n  XX: 1\n":           {"4:3: states.XX is no key here: write the code of a state, such as OR", false},
		"occupations: {nurse: 1}\n":                     {"1:15: occupations.nurse is no key here: write a SOC code of occupations.csv, such as 29-1141", false},
		"industries: {62: many}\n":                      {`1:18: industries "many" is not a number from 0 to 1000000, such as 12.5`, false},
		"full_time_hours: {40: 0}\n":                    {"1:1: full_time_hours needs shares above 0", false},
		"years_apart: {soon: 1}\n":                      {"1:15: years_apart.soon is no key here: write whole years from 0 to 60, such as 2", false},
		"pay_tail: 1\n":                                 {"1:1: pay_tail must be from 1.01 to 100", false},
		"second_job: 101\n":                             {"1:1: second_job must be from 0 to 100", false},
		"title_years: [8, 3]\n":                         {"1:1: title_years must rise, such as [3, 8, 15]", false},
		"gigs: 2\n":                                     {`1:1: unknown key "gigs": did you mean gig?`, true},
		"gig: [2]\n":                                    {"1:6: gig takes one value, not a list: write gig: 2", true},
		"reports: [{name: A, of: boys, choices: []}]\n": {`1:25: unknown value "boys" for of`, true},
		"reports:\n  - name: A\n    choices:\n      - {percent: 60, name: a}\n":                             {"3:5: choices have 60 percent in all: make them 100", false},
		"requests: [{name: A, choices: [{percent: 100, name: a, request: {type: loan}}]}]\n":                {`unknown value "loan" for type`, true},
		"reports: [{name: A, choices: [{percent: 100, name: a, report: {pay: {base: 1, rate: 1}}}]}]\n":     {"pay", false},
		"requests: [{name: A, choices: [{percent: 100, name: a, couples: 101}]}]\n":                         {"1:56: choices.0.couples must be a percentage, from 0 to 100", false},
		"states_of_requests: {choices: [{percent: 100, state: invalid, cancellation_reason: immediate}]}\n": {"cancellation_reason is for the state canceled: leave it out, or write state: canceled", false},
		"industries: {" + youth(t) + "}\n":                                                                  {"1:1: ages begin with 16, and the occupations and industries have nothing to do before the age of 91", false},
		"industries: {" + youth(t) + "}\nages: {20-30: 1}\n":                                                {"ages begin with 20, and the", false},
		"- a\n":     {"1:1: must be a mapping of states, industries", true},
		"a: b: c\n": {"not valid YAML", true},
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			file := populationFile(t, text)
			_, err := scenarios.LoadPopulation(file)
			if err == nil || !strings.HasPrefix(err.Error(), file+":") || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
			if tt.found && !strings.Contains(tt.want, "YAML") && validate(t, schema, text) == nil {
				t.Error("the schema allows it")
			}
		})
	}
	for name, want := range map[string]string{"all": `"all" is neither plain nor mix nor a file`, t.TempDir(): "is a directory"} {
		if _, err := scenarios.LoadPopulation(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// youth has a factor of 0 for every industry.
func youth(t *testing.T) string {
	t.Helper()
	var none []string
	text, err := os.ReadFile("../fixtures/internal/tables/sectors.csv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if key, _, _ := strings.Cut(line, ","); key != "sector" {
			none = append(none, key+": 0")
		}
	}
	return strings.Join(none, ", ")
}
