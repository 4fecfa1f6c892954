// Package scenarios is the language that says what a magic value does: what the resource looks like, how it moves and
// how each operation answers. It parses scenario files, finds the scenario of a magic value, and answers two questions
// about it as pure functions: where a resource stands at an instant and after one more read ([Timeline.Advance],
// [Timeline.Read]), and what the rules do to a call ([Scenario.Judge]). It keeps no state of its own.
package scenarios

import (
	"errors"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Scenario is one scenario: a YAML document, or one row of its matrix.
type Scenario struct {
	Name                string               `yaml:"name"`  // unique in a catalogue
	Title               string               `yaml:"title"` // one line for people
	Matrix              Matrix               `yaml:"matrix"`
	Magic               Magic                `yaml:"magic"`
	VerificationRequest *VerificationRequest `yaml:"verification_request"`
	QualificationCheck  *QualificationCheck  `yaml:"qualification_check"`
	Reports             []Report             `yaml:"reports"`
	Rules               []Rule               `yaml:"rules"`
	Schema              string               `yaml:"$schema"` // of the file, for editors; not looked at

	At Position `yaml:"-"` // of its document
}

// Magic names what leads to a scenario. Without any value, or with an API key alone, the scenario is worldwide: it has
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
	Type               api.VerificationType   `yaml:"type"`
	UseCase            api.UseCase            `yaml:"use_case"`
	PermissiblePurpose api.PermissiblePurpose `yaml:"permissible_purpose"`
	Timeline           Timeline               `yaml:"timeline"` // default: completed from the start
}

// QualificationCheck says what a qualification check judges; its outcome is computed.
type QualificationCheck struct {
	Kind api.QualificationKind `yaml:"kind"`
	Type api.VerificationType  `yaml:"type"` // of the reports it looks at
	Rent fixtures.Cents        `yaml:"rent"` // a month
}

// Report says what one report looks like.
type Report struct {
	Pay Pay `yaml:"pay"`

	At Position `yaml:"-"`
}

// Pay says what an employee is paid.
type Pay struct {
	Base     fixtures.Cents `yaml:"base"`     // a year; default: drawn
	Paystubs int            `yaml:"paystubs"` // shown; default: 26
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

// Worldwide reports whether the scenario's rules are for every call of a world.
func (s *Scenario) Worldwide() bool { return s.Magic == Magic{APIKey: s.Magic.APIKey} }

// Timeline returns how the scenario's verification request moves: completed from the start unless it says otherwise.
func (s *Scenario) Timeline() Timeline {
	if s.VerificationRequest == nil || len(s.VerificationRequest.Timeline) == 0 {
		return Timeline{{State: api.StateCompleted}}
	}
	return s.VerificationRequest.Timeline
}

// VerificationShape returns what the scenario's verification request looks like.
func (s *Scenario) VerificationShape() fixtures.VerificationShape {
	shape := fixtures.VerificationShape{Reports: s.reportShapes()}
	if v := s.VerificationRequest; v != nil {
		shape.Type, shape.UseCase, shape.PermissiblePurpose = v.Type, v.UseCase, v.PermissiblePurpose
	}
	return shape
}

// QualificationShape returns what the scenario's qualification check judges.
func (s *Scenario) QualificationShape() fixtures.QualificationShape {
	shape := fixtures.QualificationShape{Reports: s.reportShapes()}
	if q := s.QualificationCheck; q != nil {
		shape.Kind, shape.Type, shape.Rent = q.Kind, q.Type, q.Rent
	}
	return shape
}

func (s *Scenario) reportShapes() []fixtures.ReportShape {
	var shapes []fixtures.ReportShape
	for _, r := range s.Reports {
		shapes = append(shapes, fixtures.ReportShape{Base: r.Pay.Base, Paystubs: r.Pay.Paystubs})
	}
	return shapes
}
