package resource

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Qualification is the stored state of a qualification check: enough to draw it again.
type Qualification struct {
	Created time.Time                   `json:"created"`
	Shape   fixtures.QualificationShape `json:"shape"`
}

// Draw draws the check with an id.
func (q Qualification) Draw(at Scene, id string) api.QualificationCheck {
	return at.Fixtures.QualificationCheck(id, id, q.Shape, q.Created)
}

// Request returns the verification request that has the reports of the check.
func (q Qualification) Request(at Scene, check string) Request {
	created := q.Created.Add(-at.Fixtures.Turnaround(check))
	return Start(&scenarios.Scenario{}, fixtures.CheckRequest+check, check, q.Shape.Verification(), created, q.Created)
}

// NewQualification reads the text of a new qualification check, in the language of scenario files.
func NewQualification(text string) (Creation[Qualification, api.QualificationCheck], error) {
	var in struct {
		origin             `yaml:",inline"`
		QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
		fixtures.Given     `yaml:",inline"`
		Reports            []fixtures.ReportShape `yaml:"reports"`
	}
	err := Decode(text, &in)
	return Creation[Qualification, api.QualificationCheck]{in.origin, func(at Scene, s *scenarios.Scenario, id string) (Qualification, error) {
		q := Qualification{Created: at.Now, Shape: s.QualificationShape()}
		if in.QualificationCheck != nil {
			q.Shape = *in.QualificationCheck
		}
		q.Shape.Given = in.Given.Or(s.Given)
		if q.Shape.Reports = in.Reports; in.Reports == nil {
			q.Shape.Reports = s.Reports
		}
		return q, nil
	}, func(_ Scene, q *Qualification, shown api.QualificationCheck) error {
		return missing(q.Shape.Set, shown)
	}}, err
}

// ChangeQualification reads the text of a change of a qualification check.
func ChangeQualification(text string) (Change[Qualification, api.QualificationCheck], error) {
	var in setting[api.QualificationCheck]
	err := Decode(text, &in)
	return Change[Qualification, api.QualificationCheck]{func(_ Scene, q *Qualification) error {
		q.Shape.Set = q.Shape.Set.With(in.Set)
		return nil
	}, func(_ Scene, _ *Qualification, shown api.QualificationCheck) error { return missing(in.Set, shown) }}, err
}

// NewProperty reads the text of a new tenant property, in the language of scenario files.
func NewProperty(text string) (Creation[api.TenantProperty, api.TenantProperty], error) {
	var in struct {
		origin         `yaml:",inline"`
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	err := Decode(text, &in)
	return Creation[api.TenantProperty, api.TenantProperty]{in.origin, func(at Scene, s *scenarios.Scenario, id string) (api.TenantProperty, error) {
		shape := s.TenantPropertyShape()
		shape.Set = shape.Set.With(in.TenantProperty.Set)
		return at.Fixtures.TenantProperty(id, shape), nil
	}, nil}, err
}

// ChangeProperty reads the text of a change of a tenant property.
func ChangeProperty(text string) (Change[api.TenantProperty, api.TenantProperty], error) {
	var in setting[api.TenantProperty]
	err := Decode(text, &in)
	return Change[api.TenantProperty, api.TenantProperty]{Do: func(_ Scene, p *api.TenantProperty) error {
		*p = in.Set.Lay(*p)
		return nil
	}}, err
}
