package inventory

import (
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
	return resource.Qualification{Created: tx.Fixtures.Began, Shape: r.magic.QualificationShape()}, nil
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

// QualificationChecks are drawn from what is stored.
var QualificationChecks = Kind[resource.Qualification, api.QualificationCheck]{
	kind: scenarios.QualificationCheckID,
	read: (*Tx).qualification,
	save: saved[resource.Qualification],
	show: func(tx *Tx, id string, q *resource.Qualification) (api.QualificationCheck, error) {
		return q.Draw(tx.Scene, id), nil
	},

	Creation: resource.NewQualification,
	Change:   resource.ChangeQualification,
	source:   resource.SourceOfQualification,
}
