package resource

import (
	"encoding/json"
	"maps"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// source is a resource in the language of scenario files.
type source struct {
	given               fixtures.Given
	Person              map[string]any         `json:"person,omitempty"`
	Company             map[string]any         `json:"company,omitempty"`
	VerificationRequest any                    `json:"verification_request,omitempty"`
	QualificationCheck  any                    `json:"qualification_check,omitempty"`
	TenantProperty      any                    `json:"tenant_property,omitempty"`
	Reports             []fixtures.ReportShape `json:"reports,omitempty"`
}

// SourceOfRequest returns what a request is made of, as the JSON text from which a create makes one like it.
func SourceOfRequest(at Scene, v Request) ([]byte, error) {
	shape := v.Shape
	s := source{given: shape.Given, Reports: shape.Reports}
	if shape.Target != nil { // of a session
		s.given = fixtures.Given{Person: shape.Target, Company: shape.Target.Company}
	}
	shape.Given, shape.Reports, shape.Target = fixtures.Given{}, nil, nil
	request := struct {
		fixtures.VerificationShape
		Timeline scenarios.Timeline `json:"timeline,omitempty"`
	}{VerificationShape: shape}
	if len(v.Steps(at)) > 1 {
		request.Timeline = v.Steps(at)
	}
	s.VerificationRequest = request
	return s.text()
}

// SourceOfQualification is [SourceOfRequest] of a qualification check.
func SourceOfQualification(_ Scene, q Qualification) ([]byte, error) {
	s := source{given: q.Shape.Given, Reports: q.Shape.Reports}
	q.Shape.Given, q.Shape.Reports = fixtures.Given{}, nil
	s.QualificationCheck = q.Shape
	return s.text()
}

// SourceOfProperty is [SourceOfRequest] of a tenant property.
func SourceOfProperty(_ Scene, p api.TenantProperty) ([]byte, error) {
	members, err := membersOf(p)
	if err != nil {
		return nil, err
	}
	delete(members, "id")
	return source{TenantProperty: map[string]any{"set": members}}.text()
}

func (s source) text() (text []byte, err error) {
	if s.Person, err = stated(s.given.Person); err != nil {
		return nil, err
	}
	if s.Company, err = stated(s.given.Company); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// membersOf returns the members that a value has in JSON.
func membersOf(value any) (members map[string]any, err error) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	return members, err
}

// stated returns the members of a person, without the company, or of a company. Nobody can be given a null.
func stated(given any) (members map[string]any, err error) {
	members, err = membersOf(given)
	maps.DeleteFunc(members, func(name string, value any) bool { return value == nil || name == "company" })
	return members, err
}
