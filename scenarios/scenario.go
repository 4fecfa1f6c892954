// Package scenarios is the language of scenario files. A scenario defines what a magic value does: what the resource looks
// like, which states it goes through and how each operation is answered. Files flow in, and a [Catalogue] flows out, or their
// problems; it finds the scenario of a magic value. What the scenario does with a call is in behavior.go: [Scenario.Evaluate],
// [Timeline.Read], [Timeline.Advance]. The package stores no state.
package scenarios

import (
	"embed"
	"errors"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/behavior"
	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Position is a position in a scenario file. Lines and columns count from 1; Line is 0 for a file or folder as a whole.
type Position = source.Position

// Problem is an error or a warning about a scenario file.
type Problem = source.Problem

// Problems are the problems of a set of scenario files, sorted by file, line and column.
type Problems = source.Problems

// Scenario is one YAML document of a scenario file, or one row of its matrix.
type Scenario struct {
	Name                string                        `yaml:"name"` // unique in a catalogue
	Title               string                        `yaml:"title"`
	Matrix              decode.Matrix                 `yaml:"matrix"`
	Magic               Magic                         `yaml:"magic"`
	Replaces            []string                      `yaml:"replaces"` // names of the scenarios whose place it takes
	VerificationRequest *VerificationRequest          `yaml:"verification_request"`
	QualificationCheck  *fixtures.QualificationShape  `yaml:"qualification_check"`
	TenantProperty      *fixtures.TenantPropertyShape `yaml:"tenant_property"`
	fixtures.Given      `yaml:",inline"`
	Reports             []fixtures.ReportShape `yaml:"reports"`
	Rules               []Rule                 `yaml:"rules"`
	Webhooks            []webhook              `yaml:"webhooks"` // of the worlds of a global scenario, as they begin
	Settings            Settings               `yaml:",inline"`
	Schema              string                 `yaml:"$schema"` // for editors, ignored

	At       Position `yaml:"-"` // of its document
	Revision string   `yaml:"-"` // a hash of the document

	document string            `yaml:"-"` // its text
	values   map[string]string `yaml:"-"` // of its row of the matrix
}

// Magic is the magic values that lead to a scenario. Without any, or with an API key alone, the scenario is global: its
// rules and settings apply to every call, and it has nothing else.
type Magic struct {
	VerificationRequest string   `yaml:"verification_request"` // an id
	TenantProperty      string   `yaml:"tenant_property"`      // an id
	QualificationCheck  string   `yaml:"qualification_check"`  // an id
	SSN                 MagicSSN `yaml:"ssn"`                  // in the body of a credentials session
	APIKey              string   `yaml:"api_key"`              // a pattern for the part after sk_test_, in which * is any text
}

// VerificationRequest is the section of a scenario about its verification request.
type VerificationRequest struct {
	fixtures.VerificationShape `yaml:",inline"`

	Timeline  Timeline      `yaml:"timeline"`  // nil is completed from the start
	Completed fixtures.Days `yaml:"completed"` // before the world began, without a timeline
}

// Validate lists the violations of the request as a whole.
func (v VerificationRequest) Validate() []fixtures.Violation {
	found := fixtures.Violations(v.VerificationShape.Validate())
	moves := len(v.Timeline) > 1 || len(v.Timeline) == 1 && v.Timeline[0].State != api.StateCompleted
	found.Require(v.Completed == 0 || !moves, "completed", "is for a request that was completed before the world began: leave timeline out")
	dated := v.Completed.On(0) != v.Completed // what it is depends on the world
	found.Require(dated || v.Completed >= 0 && v.Completed <= longestCompleted, "completed", "must be a day of the ten years before the world began, such as 90 days ago")
	behavior.ValidateTimeline(v.Timeline, &found)
	return found
}

// longestCompleted is how many days before a world began a request may have been completed.
const longestCompleted fixtures.Days = 3660

// AnySSN is the magic value of the scenario for every social security number that no other scenario names.
const AnySSN MagicSSN = "any"

// MagicSSN is a social security number as nine digits, or [AnySSN].
type MagicSSN string

// UnmarshalText reads "any" or a number in any form that the API accepts.
func (m *MagicSSN) UnmarshalText(text []byte) error {
	if MagicSSN(text) == AnySSN {
		*m = AnySSN
		return nil
	}
	ssn, err := api.ParseSSN(string(text))
	if err != nil {
		return err
	}
	if why := ssn.CouldBeReal(); why != "" {
		return errors.New(why)
	}
	*m = MagicSSN(ssn.Digits())
	return nil
}

// String returns the number with dashes, or "any".
func (m MagicSSN) String() string {
	if len(m) != 9 {
		return string(m)
	}
	return string(m[:3] + "-" + m[3:5] + "-" + m[5:])
}

// Timeline returns the timeline of the scenario's verification request: completed from the start by default.
func (s *Scenario) Timeline() Timeline {
	if s.VerificationRequest == nil || len(s.VerificationRequest.Timeline) == 0 {
		return Timeline{{State: api.StateCompleted}}
	}
	return s.VerificationRequest.Timeline
}

// Completed returns when a verification request that does not move was completed, in a world that began at an instant: on a day
// of the ten years before, the nearest to a date.
func (s *Scenario) Completed(began time.Time) time.Time {
	if s.VerificationRequest == nil {
		return began
	}
	return began.AddDate(0, 0, -int(min(max(s.VerificationRequest.Completed.On(api.DateOf(began)), 0), longestCompleted)))
}

// VerificationShape returns the shape of the scenario's verification request.
func (s *Scenario) VerificationShape() (shape fixtures.VerificationShape) {
	if s.VerificationRequest != nil {
		shape = s.VerificationRequest.VerificationShape
	}
	shape.Given, shape.Reports = s.Given, s.Reports
	return shape
}

// QualificationShape returns the shape of the scenario's qualification check.
func (s *Scenario) QualificationShape() (shape fixtures.QualificationShape) {
	if s.QualificationCheck != nil {
		shape = *s.QualificationCheck
	}
	shape.Given, shape.Reports = s.Given, s.Reports
	return shape
}

// TenantPropertyShape returns the shape of the scenario's tenant property.
func (s *Scenario) TenantPropertyShape() (shape fixtures.TenantPropertyShape) {
	if s.TenantProperty != nil {
		shape = *s.TenantProperty
	}
	return shape
}

//go:embed schema.json population.schema.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of a document of a kind of file, scenario or population; nil of another kind.
func Schema(kind string) []byte {
	text, _ := schemas.ReadFile(map[string]string{"scenario": "schema.json", "population": "population.schema.json"}[kind])
	return text
}
