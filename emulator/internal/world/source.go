package world

import (
	"context"
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

// Source returns what a resource is made of, as the JSON text from which a create makes one like it.
func Source(ctx context.Context, w *World, kind scenarios.Kind, id string) (text []byte, err error) {
	var s source
	switch kind {
	case scenarios.QualificationCheckID:
		var q qualification
		q, err = read(ctx, w, func(tx *Tx) (qualification, error) { return qualificationChecks.find(tx, id) })
		s.given, s.Reports = q.Shape.Given, q.Shape.Reports
		q.Shape.Given, q.Shape.Reports = fixtures.Given{}, nil
		s.QualificationCheck = q.Shape
	case scenarios.TenantPropertyID:
		var p api.TenantProperty
		p, err = w.TenantProperty(ctx, id)
		s.TenantProperty = map[string]any{"set": map[string]any{
			"name": p.Name, "address_line_1": p.AddressLine1, "address_line_2": p.AddressLine2, "address_line_3": p.AddressLine3,
			"city": p.City, "state": p.State, "postal_code": p.PostalCode, "status": p.Status,
		}}
	default:
		err = w.Do(ctx, func(tx *Tx) error {
			v, err := tx.inspect(id)
			shape := v.Shape
			if s.given, s.Reports = shape.Given, shape.Reports; shape.Target != nil { // of a session
				s.given = fixtures.Given{Person: shape.Target, Company: shape.Target.Company}
			}
			shape.Given, shape.Reports, shape.Target = fixtures.Given{}, nil, nil
			request := struct {
				fixtures.VerificationShape
				Timeline scenarios.Timeline `json:"timeline,omitempty"`
			}{VerificationShape: shape}
			if err == nil && len(v.steps(tx)) > 1 {
				request.Timeline = v.steps(tx)
			}
			s.VerificationRequest = request
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if s.Person, err = stated(s.given.Person); err != nil {
		return nil, err
	}
	if s.Company, err = stated(s.given.Company); err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

// stated returns the members of a person, without the company, or of a company. Nobody can be given a null.
func stated(given any) (members map[string]any, err error) {
	text, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(text, &members)
	}
	maps.DeleteFunc(members, func(name string, value any) bool { return value == nil || name == "company" })
	return members, err
}
