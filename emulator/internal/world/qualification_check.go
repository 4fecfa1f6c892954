package world

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// ReadQualification reads a qualification check (spec 4.5). It returns the rendered document and the name of the scenario.
func (tx *Tx) ReadQualification(r Resource) (document []byte, scenario string, err error) {
	q, err := tx.qualification(r)
	if err != nil {
		return nil, "", err
	}
	var seen view
	if r.stored == nil {
		seen.scenario, scenario = r.magic, r.magic.Name
	}
	document, err = tx.render(r, seen, func() any { return q.Draw(tx.Scene, r.id) })
	return document, scenario, err
}

// qualification returns the stored check, else that of the scenario, created with the world.
func (tx *Tx) qualification(r Resource) (q resource.Qualification, err error) {
	switch {
	case r.stored != nil:
		return q, stored.Decode(r.id, r.stored, &q)
	case r.magic == nil:
		return q, api.NotFound("Qualification check", r.unknown(tx))
	}
	return resource.Qualification{Created: tx.record.Created, Shape: r.magic.QualificationShape()}, nil
}

// requestOfCheck returns what would be stored of the verification request that has the reports of a qualification check, nil
// if the id is that of none. It is stored when somebody changes it.
func (tx *Tx) requestOfCheck(id string) ([]byte, error) {
	check, ok := strings.CutPrefix(id, fixtures.CheckRequest)
	if !ok {
		return nil, nil
	}
	r, err := tx.Find(scenarios.QualificationCheckID, check)
	if err != nil || r.stored == nil && r.magic == nil {
		return nil, err
	}
	q, err := tx.qualification(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(q.Request(tx.Scene, check))
}

// qualificationChecks are drawn from what is stored.
var qualificationChecks = kindOf[resource.Qualification, api.QualificationCheck]{
	kind: scenarios.QualificationCheckID,
	read: (*Tx).qualification,
	save: saved[resource.Qualification],
	show: func(tx *Tx, id string, q *resource.Qualification) (api.QualificationCheck, error) {
		return q.Draw(tx.Scene, id), nil
	},

	creation: resource.NewQualification,
	changed:  resource.ChangeQualification,
	source:   resource.SourceOfQualification,
}

// QualificationCheck returns a qualification check.
func (w *World) QualificationCheck(ctx context.Context, id string) (api.QualificationCheck, error) {
	return qualificationChecks.get(ctx, w, id)
}

// ListQualificationChecks returns up to limit qualification checks that the world has stored, in the order of their ids,
// from the first after an id.
func (w *World) ListQualificationChecks(ctx context.Context, after string, limit int) ([]api.QualificationCheck, error) {
	return qualificationChecks.list(ctx, w, after, limit)
}

// CreateQualificationCheck creates a qualification check from a text, as [World.CreateVerificationRequest] takes it. Its
// result is computed:
//
//	{qualification_check: {kind: guarantor, rent: 1450.00}, reports: [{pay: {base: 62000.00}}]}
func (w *World) CreateQualificationCheck(ctx context.Context, text string) (api.QualificationCheck, error) {
	return qualificationChecks.create(ctx, w, text)
}

// ChangeQualificationCheck sets fields of a qualification check, by their names and types of spec 2.7. The fields that follow
// from them and are not set themselves are computed again: {set: {kind: guarantor, property_details: {rent: "900.00"}}}
func (w *World) ChangeQualificationCheck(ctx context.Context, id, text string) (api.QualificationCheck, error) {
	return qualificationChecks.change(ctx, w, id, text)
}

// DeleteQualificationCheck deletes a stored qualification check. A magic one starts over; any other is gone.
func (w *World) DeleteQualificationCheck(ctx context.Context, id string) error {
	return qualificationChecks.delete(ctx, w, id)
}
