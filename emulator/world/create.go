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

// newVerification is a verification request that is to be.
type newVerification struct {
	ID                  string                      `yaml:"id"`       // "": a new one
	Scenario            string                      `yaml:"scenario"` // that it looks like, and follows; "": none
	State               api.State                   `yaml:"state"`    // "": where the timeline begins, completed without one
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
	s, shape := &scenarios.Scenario{}, fixtures.VerificationShape{}
	if in.Scenario != "" {
		var err error
		if s, err = w.ScenarioNamed(in.Scenario); err != nil {
			return Verification{}, err
		}
		shape = s.VerificationShape()
	}
	if in.VerificationRequest != nil {
		reports := shape.Reports
		shape = *in.VerificationRequest
		shape.Reports = reports
	}
	if in.Reports != nil {
		shape.Reports = in.Reports
	}
	id, err := w.newID(ctx, "vr_", in.ID, scenarios.VerificationRequestID)
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
		v.Cursor = s.Timeline().Jump(v.Cursor, state, w.now)
		v.Progress = fixtures.Progress{Created: w.now}
		v.enter(scenarios.Step{State: state}, w.now)
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
		ID             string                       `yaml:"id"`
		Scenario       string                       `yaml:"scenario"` // that it looks like
		TenantProperty fixtures.TenantPropertyShape `yaml:"tenant_property"`
	}
	if err := decode(text, &in); err != nil {
		return p, err
	}
	shape := in.TenantProperty
	if in.Scenario != "" {
		s, err := w.ScenarioNamed(in.Scenario)
		if err != nil {
			return p, err
		}
		if shape.Set, err = s.TenantPropertyShape().Set.With(shape.Set); err != nil {
			return p, err
		}
	}
	id, err := w.newID(ctx, "tp_", in.ID, scenarios.TenantPropertyID)
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
		ID                 string                       `yaml:"id"`
		Scenario           string                       `yaml:"scenario"` // that it looks like
		QualificationCheck *fixtures.QualificationShape `yaml:"qualification_check"`
		Reports            []fixtures.ReportShape       `yaml:"reports"`
	}
	if err := decode(text, &in); err != nil {
		return check, err
	}
	var shape fixtures.QualificationShape
	if in.Scenario != "" {
		s, err := w.ScenarioNamed(in.Scenario)
		if err != nil {
			return check, err
		}
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
	id, err := w.newID(ctx, "qc_", in.ID, scenarios.QualificationCheckID)
	if err != nil {
		return check, err
	}
	q := qualification{Created: w.now, Shape: shape}
	err = w.update(ctx, qualificationName(id), func([]byte) ([]byte, error) { return json.Marshal(q) })
	return w.draw(id, q), err
}

// newID returns an id that nothing of a kind has: the one that is wanted, else a new one. Its error for one that is taken
// or that no id can be is an [*api.Error].
func (w *World) newID(ctx context.Context, prefix, wanted string, kind scenarios.Kind) (string, error) {
	if wanted == "" {
		return w.freeID(ctx, prefix, kind)
	}
	if !scenarios.ValidID(wanted) {
		return "", api.Because(http.StatusBadRequest, "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ -")
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
