// Package scenarios is the language that says what a magic value does: what the resource looks like, how it moves and
// how each operation answers. It parses scenario files, finds the scenario of a magic value, and answers two questions
// about it as pure functions: where a resource stands at an instant and after one more read ([Timeline.Advance],
// [Timeline.Read]), and what the rules do to a call ([Scenario.Evaluate]). It keeps no state of its own.
package scenarios

import (
	_ "embed"
	"errors"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Scenario is one scenario: a YAML document, or one row of its matrix.
type Scenario struct {
	Name                string                 `yaml:"name"`  // unique in a catalogue
	Title               string                 `yaml:"title"` // one line for people
	Matrix              Matrix                 `yaml:"matrix"`
	Magic               Magic                  `yaml:"magic"`
	VerificationRequest *VerificationRequest   `yaml:"verification_request"`
	QualificationCheck  *QualificationCheck    `yaml:"qualification_check"`
	TenantProperty      *TenantProperty        `yaml:"tenant_property"`
	Reports             []fixtures.ReportShape `yaml:"reports"`
	Rules               []Rule                 `yaml:"rules"`
	Schema              string                 `yaml:"$schema"` // of the file, for editors; not looked at

	At       Position `yaml:"-"` // of its document
	Revision string   `yaml:"-"` // changes with the text of the document

	document string            `yaml:"-"` // its text
	values   map[string]string `yaml:"-"` // of its row of the matrix
}

// Magic names what leads to a scenario. Without any value, or with an API key alone, the scenario is global: it has
// rules and nothing else, and they are for every call.
type Magic struct {
	VerificationRequest string   `yaml:"verification_request"` // an id
	TenantProperty      string   `yaml:"tenant_property"`      // an id
	QualificationCheck  string   `yaml:"qualification_check"`  // an id
	SSN                 MagicSSN `yaml:"ssn"`                  // in the body of a credentials session
	APIKey              string   `yaml:"api_key"`              // a pattern for what follows sk_test_, in which * is any text
}

// VerificationRequest says what a verification request looks like and how it moves.
type VerificationRequest struct {
	fixtures.VerificationShape `yaml:",inline"`

	Timeline  Timeline      `yaml:"timeline"`  // default: completed from the start
	Completed fixtures.Days `yaml:"completed"` // before the world began, of a request that has been there since; default: as it began
}

// Validate finds what cannot be of a verification request.
func (v VerificationRequest) Validate() []fixtures.Violation {
	found := fixtures.Violations(v.VerificationShape.Validate())
	moves := len(v.Timeline) > 1 || len(v.Timeline) == 1 && v.Timeline[0].State != api.StateCompleted
	found.Require(v.Completed == 0 || !moves, "completed", "is for a request that has been completed since before the world began: leave timeline out")
	found.Require(v.Completed >= 0 && v.Completed <= longestCompleted, "completed", "must be a day of the ten years before the world began, such as 90 days ago")
	return found
}

// longestCompleted is how long before a world began a request may have been completed.
const longestCompleted fixtures.Days = 3660

// QualificationCheck says what a qualification check judges; its outcome is computed.
type QualificationCheck struct {
	fixtures.QualificationShape `yaml:",inline"`
}

// TenantProperty says what a tenant property looks like.
type TenantProperty struct {
	fixtures.TenantPropertyShape `yaml:",inline"`
}

// AnySSN is the magic value of the scenario that a session follows when no other names its number.
const AnySSN MagicSSN = "any"

// MagicSSN is a social security number as nine digits, or [AnySSN].
type MagicSSN string

// UnmarshalText reads "any" or a number in any form that the API takes.
func (m *MagicSSN) UnmarshalText(text []byte) error {
	if MagicSSN(text) == AnySSN {
		*m = AnySSN
		return nil
	}
	ssn, err := api.ParseSSN(string(text))
	if err != nil {
		return err
	}
	if ssn.CouldBeReal() {
		return errors.New(api.CouldBeRealSSN)
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

// Global reports whether the scenario's rules are for every call of a world.
func (s *Scenario) Global() bool { return s.Magic.global() }

// Timeline returns how the scenario's verification request moves: completed from the start unless it says otherwise.
func (s *Scenario) Timeline() Timeline {
	if s.VerificationRequest == nil || len(s.VerificationRequest.Timeline) == 0 {
		return Timeline{{State: api.StateCompleted}}
	}
	return s.VerificationRequest.Timeline
}

// Moves reports whether the scenario's verification request goes on from the state in which it begins.
func (s *Scenario) Moves() bool {
	return s.VerificationRequest != nil && len(s.VerificationRequest.Timeline) > 1
}

// Completed returns the instant at which a verification request that does not move was completed, for a world that began
// at an instant.
func (s *Scenario) Completed(began time.Time) time.Time {
	if s.VerificationRequest == nil {
		return began
	}
	return began.AddDate(0, 0, -int(s.VerificationRequest.Completed))
}

// VerificationShape returns what the scenario's verification request looks like.
func (s *Scenario) VerificationShape() (shape fixtures.VerificationShape) {
	if s.VerificationRequest != nil {
		shape = s.VerificationRequest.VerificationShape
	}
	shape.Reports = s.Reports
	return shape
}

// QualificationShape returns what the scenario's qualification check judges.
func (s *Scenario) QualificationShape() (shape fixtures.QualificationShape) {
	if s.QualificationCheck != nil {
		shape = s.QualificationCheck.QualificationShape
	}
	shape.Reports = s.Reports
	return shape
}

// TenantPropertyShape returns what the scenario's tenant property looks like.
func (s *Scenario) TenantPropertyShape() (shape fixtures.TenantPropertyShape) {
	if s.TenantProperty != nil {
		shape = s.TenantProperty.TenantPropertyShape
	}
	return shape
}

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of one document of a scenario file.
func Schema() []byte { return slices.Clone(schema) }
