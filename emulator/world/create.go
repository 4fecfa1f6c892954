package world

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// origin is what a new resource is called, and made of.
type origin struct {
	ID       *string `yaml:"id"`       // nil: a new one
	Scenario *string `yaml:"scenario"` // that it looks like; nil: none
}

// scenarioIn returns the scenario of an origin, nil when it has none. Its error for a name that none has is an
// [*api.Error].
func (w *World) scenarioIn(from origin) (*scenarios.Scenario, error) {
	if from.Scenario == nil {
		return nil, nil
	}
	if *from.Scenario == "" {
		return nil, api.Because(http.StatusBadRequest, "scenario must not be empty: name one of GET scenarios, or leave it out")
	}
	return w.ScenarioNamed(*from.Scenario)
}

// newVerification is a verification request that is to be. It also follows its scenario.
type newVerification struct {
	origin              `yaml:",inline"`
	State               api.State                   `yaml:"state"` // "": where the timeline begins, completed without one
	VerificationRequest *fixtures.VerificationShape `yaml:"verification_request"`
	Reports             []fixtures.ReportShape      `yaml:"reports"`
}

// CreateVerification makes a verification request of a text in the language of scenario files: of a scenario, of explicit
// fields, or of both, when these take the place of the scenario's. Its error for a text that is not right, and for an id
// that is taken, is an [*api.Error].
func (w *World) CreateVerification(ctx context.Context, text []byte) (Verification, error) {
	var in newVerification
	if err := decode(text, &in); err != nil {
		return Verification{}, err
	}
	s, err := w.scenarioIn(in.origin)
	if err != nil {
		return Verification{}, err
	}
	if s == nil {
		s = &scenarios.Scenario{}
	}
	shape := s.VerificationShape()
	if in.VerificationRequest != nil {
		reports := shape.Reports
		shape = *in.VerificationRequest
		shape.Reports = reports
	}
	if in.Reports != nil {
		shape.Reports = in.Reports
	}
	id, err := w.newID(ctx, "vr_", in.origin, scenarios.VerificationRequestID)
	if err != nil {
		return Verification{}, err
	}
	v := w.begin(s, id, shape, in.State)
	made, err := w.remember(ctx, id, v)
	if err == nil && !made {
		err = idTaken(id) // at this moment
	}
	if err != nil {
		return Verification{}, err
	}
	return w.inspect(id, v), nil
}

// begin returns a verification request that begins now, in a state if one is wanted.
func (w *World) begin(s *scenarios.Scenario, id string, shape fixtures.VerificationShape, state api.State) verification {
	v := start(s, id, shape, w.now, w.now)
	if state != "" && state != v.Progress.State {
		v.Entered, v.Progress = nil, fixtures.Progress{Created: w.now}
		v.jump(s.Timeline(), scenarios.Step{State: state}, w.now)
	}
	if v.Progress.State == api.StateCompleted { // it was asked for before it was completed
		v.Progress.Created = w.now.Add(-w.fixtures.Turnaround(id))
	}
	return v
}

// CreateTenantProperty makes a tenant property of a text in the language of scenario files, as
// [World.CreateVerification] does; fields are laid over the scenario's.
func (w *World) CreateTenantProperty(ctx context.Context, text []byte) (p api.TenantProperty, err error) {
	var in struct {
		origin         `yaml:",inline"`
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	if err := decode(text, &in); err != nil {
		return p, err
	}
	s, err := w.scenarioIn(in.origin)
	if err != nil {
		return p, err
	}
	shape := in.TenantProperty
	if s != nil {
		if shape.Set, err = s.TenantPropertyShape().Set.With(shape.Set); err != nil {
			return p, err
		}
	}
	id, err := w.newID(ctx, "tp_", in.origin, scenarios.TenantPropertyID)
	if err != nil {
		return p, err
	}
	p = w.fixtures.TenantProperty(id, shape)
	return p, w.update(ctx, tenantName(id), func([]byte) ([]byte, error) { return json.Marshal(p) })
}

// CreateQualification makes a qualification check of a text in the language of scenario files, as
// [World.CreateVerification] does.
func (w *World) CreateQualification(ctx context.Context, text []byte) (check api.QualificationCheck, err error) {
	var in struct {
		origin             `yaml:",inline"`
		QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
		Reports            []fixtures.ReportShape       `yaml:"reports"`
	}
	if err := decode(text, &in); err != nil {
		return check, err
	}
	s, err := w.scenarioIn(in.origin)
	if err != nil {
		return check, err
	}
	var shape fixtures.QualificationShape
	if s != nil {
		shape = s.QualificationShape()
	}
	if in.QualificationCheck != nil {
		reports := shape.Reports
		shape = *in.QualificationCheck
		shape.Reports = reports
	}
	if in.Reports != nil {
		shape.Reports = in.Reports
	}
	id, err := w.newID(ctx, "qc_", in.origin, scenarios.QualificationCheckID)
	if err != nil {
		return check, err
	}
	q := qualification{Created: w.now, Shape: shape}
	err = w.update(ctx, qualificationName(id), func([]byte) ([]byte, error) { return json.Marshal(q) })
	return w.draw(id, q), err
}

// newID returns an id that nothing of a kind has: the one that is wanted, else a new one. Its error for one that is taken
// or that no id can be is an [*api.Error].
func (w *World) newID(ctx context.Context, prefix string, from origin, kind scenarios.Kind) (string, error) {
	if from.ID == nil {
		return w.freeID(ctx, prefix, kind)
	}
	wanted := *from.ID
	if !scenarios.ValidID(wanted) {
		return "", api.Because(http.StatusBadRequest, "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: "+
			"choose another, or leave id out")
	}
	stored, err := w.get(ctx, placeOf(kind, wanted))
	if err != nil {
		return "", err
	}
	if stored != nil || w.catalogue.ByID(kind, wanted) != nil {
		return "", idTaken(wanted)
	}
	return wanted, nil
}

// freeID counts on to an id that nobody gave to something by hand.
func (w *World) freeID(ctx context.Context, prefix string, kind scenarios.Kind) (string, error) {
	for {
		number, err := w.next(ctx, "created")
		if err != nil {
			return "", err
		}
		id := w.fixtures.ID(prefix, "created "+strconv.Itoa(number), w.now)
		if stored, err := w.get(ctx, placeOf(kind, id)); err != nil || stored == nil {
			return id, err
		}
	}
}

func idTaken(id string) error {
	return api.Because(http.StatusConflict, "The id "+id+" is taken: choose another")
}
