package world

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// qualification is what a world stores of a qualification check: enough to draw it again.
type qualification struct {
	Created time.Time                   `json:"created"`
	Shape   fixtures.QualificationShape `json:"shape"`
}

// ReadQualification reads the result of a qualification check (spec 4.5). It returns the rendered document, and the name of
// its scenario. Its error for an id that no check has is an [*api.Error].
func (w *World) ReadQualification(id string) (document []byte, scenario string, err error) {
	key := view{kind: scenarios.QualificationCheckID, id: id}
	q, stored, magic, err := w.qualification(id)
	if err != nil {
		return nil, "", err
	}
	if stored == nil {
		key.scenario, scenario = magic, magic.Name
	}
	document, err = w.render(key, stored, func() any { return w.draw(id, q) })
	return document, scenario, err
}

// qualification returns the check of an id, its stored bytes, and its scenario: a check without stored bytes is as its
// scenario has it, from the world's beginning. Its error for an id that no check has is an [*api.Error].
func (w *World) qualification(id string) (q qualification, stored []byte, magic *scenarios.Scenario, err error) {
	stored, magic, err = w.find(scenarios.QualificationCheckID, id)
	switch {
	case err != nil:
	case stored != nil:
		err = decodeStored(id, stored, &q)
	case magic == nil:
		err = api.NotFound("Qualification check", w.unknownID(scenarios.QualificationCheckID, id))
	default:
		q = qualification{Created: w.record.Created, Shape: magic.QualificationShape()}
	}
	return q, stored, magic, err
}

func (w *World) draw(id string, q qualification) api.QualificationCheck {
	return w.fixtures.QualificationCheck(id, id, q.Shape, q.Created)
}

// QualificationCheck shows a qualification check. Its error for an id that no check has is an [*api.Error].
func (w *World) QualificationCheck(id string) (check api.QualificationCheck, err error) {
	q, _, _, err := w.qualification(id)
	if err != nil {
		return check, err
	}
	return w.draw(id, q), nil
}

// QualificationChecks returns up to limit of the qualification checks that the world has stored, in the order of their
// ids, from the first behind after.
func (w *World) QualificationChecks(after string, limit int) ([]api.QualificationCheck, error) {
	return list(w, scenarios.QualificationCheckID, after, limit, w.draw)
}

// ChangeQualification lays the fields that a text sets over what is computed of a qualification check. Its error for a
// text that is not right, and for an id that no check has, is an [*api.Error].
func (w *World) ChangeQualification(id string, text []byte) (check api.QualificationCheck, err error) {
	var in change[api.QualificationCheck]
	if err := decode(text, &in); err != nil {
		return check, err
	}
	q, _, _, err := w.qualification(id)
	if err != nil {
		return check, err
	}
	if q.Shape.Set, err = q.Shape.Set.With(in.Set); err != nil {
		return check, err
	}
	_, err = w.save(resourceName(scenarios.QualificationCheckID, id), q)
	return w.draw(id, q), err
}
