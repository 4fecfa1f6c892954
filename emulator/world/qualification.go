package world

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// qualification is what a world remembers of a qualification check: enough to draw it again.
type qualification struct {
	Created time.Time                   `json:"created"`
	Shape   fixtures.QualificationShape `json:"shape"`
}

// qualificationName is the name under which a world remembers a qualification check.
func qualificationName(id string) string { return "qc/" + id }

// alwaysStill says of any qualification check, there or not, that it changes for those alone who steer the world.
func alwaysStill([]byte) bool { return true }

// QualificationCheck reads the result of a qualification check (spec 4.5) and returns the rendered document. Its error
// for an id that no check has is an [*api.Error].
func (w *World) QualificationCheck(ctx context.Context, id string) ([]byte, error) {
	stored, err := w.recall(ctx, qualificationName(id), alwaysStill)
	if err != nil {
		return nil, err
	}
	q, err := w.qualification(id, stored)
	if err != nil {
		return nil, err
	}
	key := view{kind: scenarios.QualificationCheckID, id: id, seed: w.fixtures.Seed}
	if stored != nil {
		key.record = sha256.Sum256(stored)
	} else {
		key.scenario, key.created = w.catalogue.ByID(scenarios.QualificationCheckID, id), w.record.Created.UnixNano()
		w.scenario = key.scenario.Name
	}
	return w.worlds.render(key, func() any { return w.draw(id, q) })
}

// qualification returns the check of an id: as it is remembered, else as its scenario has it, from the world's beginning.
func (w *World) qualification(id string, stored []byte) (q qualification, err error) {
	if stored != nil {
		if err := json.Unmarshal(stored, &q); err != nil {
			return q, fmt.Errorf("read qualification check %s: %w", api.Quote(id), err)
		}
		return q, nil
	}
	s := w.catalogue.ByID(scenarios.QualificationCheckID, id)
	if s == nil {
		return q, api.NotFound("Qualification check", w.unknownID(scenarios.QualificationCheckID, id))
	}
	return qualification{Created: w.record.Created, Shape: s.QualificationShape()}, nil
}

func (w *World) draw(id string, q qualification) api.QualificationCheck {
	return w.fixtures.QualificationCheck(id, id, q.Shape, q.Created)
}

// InspectQualification shows a qualification check. Its error for an id that no check has is an [*api.Error].
func (w *World) InspectQualification(ctx context.Context, id string) (check api.QualificationCheck, err error) {
	stored, err := w.recall(ctx, qualificationName(id), alwaysStill)
	if err != nil {
		return check, err
	}
	q, err := w.qualification(id, stored)
	if err != nil {
		return check, err
	}
	return w.draw(id, q), nil
}

// QualificationChecks returns up to limit of the qualification checks that the world remembers, in the order of their
// ids, from the first behind after.
func (w *World) QualificationChecks(ctx context.Context, after string, limit int) (all []api.QualificationCheck, err error) {
	err = w.remembered(ctx, qualificationName(""), after, func(id string, stored []byte) (more bool, err error) {
		q, err := w.qualification(id, stored)
		if err != nil {
			return false, err
		}
		all = append(all, w.draw(id, q))
		return len(all) < limit, nil
	})
	return all, err
}

// ForgetQualification deletes what the world remembers of a qualification check. Its error when there is nothing to
// forget is an [*api.Error].
func (w *World) ForgetQualification(ctx context.Context, id string) error {
	return w.forget(ctx, scenarios.QualificationCheckID, id)
}
