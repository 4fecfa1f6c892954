package world

import (
	"context"
	"encoding/json"
	"errors"
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
	if err := firstFlaw("", shape); err != nil { // its parts may be from two places
		return Verification{}, api.Because(http.StatusBadRequest, "The request "+err.Error())
	}
	var v verification
	id, err := w.add(ctx, scenarios.VerificationRequestID, in.origin, func(id string) (any, error) {
		v = w.begin(s, id, shape, in.State)
		if in.VerificationRequest == nil {
			return v, nil
		}
		return v, v.checkSet(w, id, in.VerificationRequest.Set)
	})
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
	_, err = w.add(ctx, scenarios.TenantPropertyID, in.origin, func(id string) (any, error) {
		p = w.fixtures.TenantProperty(id, shape)
		return p, nil
	})
	return p, err
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
	q := qualification{Created: w.now, Shape: shape}
	id, err := w.add(ctx, scenarios.QualificationCheckID, in.origin, func(string) (any, error) { return q, nil })
	if err != nil {
		return check, err
	}
	return w.draw(id, q), nil
}

// add has the world remember a new resource, which make makes for its id: the one that is wanted, else the first new one
// that nothing of the kind has. Its error for one that is taken, or that no id can be, is an [*api.Error].
func (w *World) add(ctx context.Context, kind scenarios.Kind, from origin, make func(id string) (any, error)) (id string, err error) {
	if from.ID != nil {
		if err := w.checkNewID(kind, *from.ID); err != nil {
			return "", err
		}
		err := w.remember(ctx, w.amend, kind, *from.ID, make)
		if errors.Is(err, errTaken) {
			err = idTaken(*from.ID)
		}
		return *from.ID, err
	}
	for {
		number, err := w.next(ctx, "created")
		if err != nil {
			return "", err
		}
		id := w.fixtures.ID(prefixes[kind], "created "+strconv.Itoa(number), w.now)
		if err := w.remember(ctx, w.amend, kind, id, make); !errors.Is(err, errTaken) {
			return id, err
		}
	}
}

// prefixes begin the ids that are made here.
var prefixes = map[scenarios.Kind]string{
	scenarios.VerificationRequestID: "vr_",
	scenarios.TenantPropertyID:      "tp_",
	scenarios.QualificationCheckID:  "qc_",
}

// checkNewID refuses an id that no resource can have, and that of a magic one.
func (w *World) checkNewID(kind scenarios.Kind, id string) error {
	if !scenarios.ValidID(id) {
		return api.Because(http.StatusBadRequest, "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: "+
			"choose another, or leave id out")
	}
	if w.catalogue.ByID(kind, id) != nil {
		return idTaken(id)
	}
	return nil
}

func idTaken(id string) error {
	return api.Because(http.StatusConflict, "The id "+id+" is taken: choose another")
}

// errTaken is the error of a resource whose id another one has.
var errTaken = errors.New("the id is taken")

// remember stores the new resource that make makes for an id: amended, unless nobody has asked for the id before. Its error
// where one is already is errTaken.
func (w *World) remember(ctx context.Context, write write, kind scenarios.Kind, id string, make func(id string) (any, error)) error {
	resource, err := make(id)
	if err != nil {
		return err
	}
	text, err := json.Marshal(resource) // before other writers wait for it
	if err != nil {
		return err
	}
	return write(ctx, placeOf(kind, id), func(old []byte) ([]byte, error) {
		if old != nil {
			return nil, errTaken
		}
		return text, nil
	})
}
