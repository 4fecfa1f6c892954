package inventory

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Shown is a verification request as a read shows it, and a function that reports what a caller or a scenario has set: see
// [Tx.Given].
type Shown struct {
	api.VerificationRequest
	Given func(path string) bool
}

// CreateVerification creates a verification request of a person. It also returns the name of its scenario.
func (tx *Tx) CreateVerification(in api.NewCredentialsSession, analytics bool) (created Shown, scenario string, err error) {
	s, err := tx.ScenarioOf(in.Target.SocialSecurityNumber)
	if err != nil {
		return created, "", err
	}
	shape, err := resource.PersonShape(tx.Scene, s, in)
	if err == nil {
		created, err = tx.begin(s, tx.Fixtures.Identity(in.Target.SocialSecurityNumber), shape, in.Sync, analytics)
	}
	return created, s.Name, err
}

// begin stores a new verification request of a person, at the beginning of its timeline or at its end.
func (tx *Tx) begin(s *scenarios.Scenario, identity string, shape fixtures.VerificationShape, ended, analytics bool) (Shown, error) {
	id, err := tx.newID(scenarios.VerificationRequestID, nil)
	if err != nil {
		return Shown{}, err
	}
	v := resource.StartPerson(tx.Scene, s, id, identity, shape, ended)
	_, err = tx.saveVerification(&v)
	return Shown{v.Read(tx.Scene, analytics), v.Given}, err
}

// ListVerifications returns up to limit of the stored verification requests in a state, "" for any, from the one with the number
// offset on, and the number of all of them. The newest is the first. It moves none.
func (tx *Tx) ListVerifications(state api.State, offset, limit int) (page []Shown, count int, err error) {
	type created struct {
		created time.Time
		id      string
	}
	var places []created
	err = tx.scanVerifications("", func(v resource.Request, _ int64) bool {
		if state != "" && v.Progress.State != state {
			return true
		}
		places = append(places, created{v.Created(), v.ID()})
		return tx.Store.Want(int64(len(v.ID())+64)) == nil
	})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(places, func(a, b created) int {
		return cmp.Or(b.created.Compare(a.created), strings.Compare(b.id, a.id))
	})
	first := min(offset, len(places))
	for _, p := range places[first:min(first+limit, len(places))] {
		v, err := tx.Inspect(p.id)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, Shown{v.Document(tx.Scene), v.Given})
	}
	return page, len(places), nil
}

// Report returns the latest report of a completed verification request, the first of several, with what a caller or a scenario has
// set of it. It also returns the name of the scenario.
func (tx *Tx) Report(r Resource) (report api.Report, given func(path string) bool, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return report, nil, "", api.NotFound("Report", r.unknown(tx))
	}
	report, given, err = v.Report(tx.Scene)
	return report, given, v.Scenario, err
}

// Reverify creates another verification request of the person whose request has a report. It also returns the name of the
// scenario.
func (tx *Tx) Reverify(r Resource, report string) (created Shown, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return created, "", err
	}
	s := tx.Catalogue.ByName(v.Scenario)
	if s == nil {
		s = &scenarios.Scenario{Name: v.Scenario}
	}
	shape, err := v.Reverified(tx.Scene, report)
	if err == nil {
		created, err = tx.begin(s, v.Identity, shape, false, false)
	}
	return created, v.Scenario, err
}

// Given returns a function that reports whether a caller or a scenario has set the value at a path of a resource's document,
// such as reports.0.created; nil for a resource without drawn words and instants, and for an unknown id.
func (tx *Tx) Given(r Resource) func(path string) bool {
	switch r.kind {
	case scenarios.QualificationCheckID:
		if q, err := tx.qualification(r); err == nil {
			return q.Shape.Set.Sets
		}
	case scenarios.VerificationRequestID:
		if v, err := tx.verification(r); err == nil {
			return v.Given
		}
	}
	return nil
}

// Employers goes through the employers that the world lists, each with its internet domain.
func (tx *Tx) Employers() iter.Seq2[*api.Company, string] { return tx.Fixtures.Employers() }
