package world

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// QualificationCheck reads the result of a qualification check (spec 4.5) and returns the rendered document. Its error
// for an id that no check has is an [*api.Error].
func (w *World) QualificationCheck(id string) ([]byte, error) {
	s := w.catalogue.ByID(scenarios.QualificationCheckID, id)
	if s == nil {
		return nil, api.NotFound("Qualification check", w.unknownID(scenarios.QualificationCheckID, id))
	}
	w.scenario = s.Name
	key := view{kind: scenarios.QualificationCheckID, id: id, seed: w.fixtures.Seed, scenario: s, created: w.record.Created.UnixNano()}
	return w.worlds.render(key, func() any {
		return w.fixtures.QualificationCheck(id, id, s.QualificationShape(), w.record.Created)
	})
}
