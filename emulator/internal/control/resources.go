package control

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// resources are the calls about a world's resources of one kind. A text is a body in the language of scenario files.
type resources[T any] struct {
	id   func(T) string
	row  func(T) any // of a list
	view func(T) any // of one alone

	list func(x *exchange, after string, limit int) ([]T, error)
	get  func(w *world.World, ctx context.Context, id string) (T, error)

	// nil where only clients of the emulated API create them.
	create func(w *world.World, ctx context.Context, text string) (T, error)
	change func(w *world.World, ctx context.Context, id, text string) (T, error)
	delete func(w *world.World, ctx context.Context, id string) error
}

// calls lists the calls about a kind of resource; query has the parameters of its list, beside those of every list.
func (k resources[T]) calls(path string, query ...string) []endpoint {
	one := path + "/:id"
	read := []endpoint{
		{method: get, path: path, query: slices.Concat(paged, query), inWorld: lists(scenarios.ValidID, k.id, k.row, k.list)},
		{method: get, path: one, inWorld: func(x *exchange) (any, error) { return viewed(k.view)(k.get(x.world, x.context(), x.param())) }},
	}
	if k.create == nil {
		return read
	}
	return append(read,
		endpoint{method: post, path: path, inWorld: written(func(x *exchange, text string) (any, error) {
			return made(k.view)(k.create(x.world, x.context(), text))
		})},
		endpoint{method: patch, path: one, inWorld: written(func(x *exchange, text string) (any, error) {
			return viewed(k.view)(k.change(x.world, x.context(), x.param(), text))
		})},
		endpoint{method: del, path: one, inWorld: removes(k.delete)},
	)
}

func tenantProperties() resources[api.TenantProperty] {
	return resources[api.TenantProperty]{
		id:   func(p api.TenantProperty) string { return p.ID },
		row:  func(p api.TenantProperty) any { return p },
		view: func(p api.TenantProperty) any { return p },
		list: func(x *exchange, after string, limit int) ([]api.TenantProperty, error) {
			return x.world.ListTenantProperties(x.context(), after, limit)
		},
		get:    (*world.World).TenantProperty,
		create: (*world.World).CreateTenantProperty,
		change: (*world.World).ChangeTenantProperty,
		delete: (*world.World).DeleteTenantProperty,
	}
}

// checkView is a qualification check, and the verification request that has its reports.
type checkView struct {
	api.QualificationCheck
	VerificationRequest string `json:"verification_request_id"`
}

func qualificationChecks() resources[api.QualificationCheck] {
	return resources[api.QualificationCheck]{
		id:   func(q api.QualificationCheck) string { return q.ID },
		row:  func(q api.QualificationCheck) any { return q },
		view: func(q api.QualificationCheck) any { return checkView{q, fixtures.CheckRequest + q.ID} },
		list: func(x *exchange, after string, limit int) ([]api.QualificationCheck, error) {
			return x.world.ListQualificationChecks(x.context(), after, limit)
		},
		get:    (*world.World).QualificationCheck,
		create: (*world.World).CreateQualificationCheck,
		change: (*world.World).ChangeQualificationCheck,
		delete: (*world.World).DeleteQualificationCheck,
	}
}

// sessionView is a credentials session and its verification request.
type sessionView struct {
	ID                  string    `json:"id"`
	Created             time.Time `json:"created"`
	VerificationRequest string    `json:"verification_request_id"`
	State               api.State `json:"state"` // of the verification request
	Scenario            string    `json:"scenario"`

	Flow    scenarios.SessionFlow `json:"flow"`
	Outcome *string               `json:"outcome"`  // null: not finished
	Page    *string               `json:"flow_url"` // for the person, from the console's host on; null: the emulator plays the person
}

func viewSession(v world.Verification) any {
	return sessionView{
		v.SessionID, v.Document.Created.Time, v.ID, v.Progress.State, v.Name, v.Flow.Kind, orNull(v.Flow.Outcome), orNull(v.Flow.Page),
	}
}

// finishSession finishes a session of flow manual.
func finishSession(x *exchange, in struct {
	Outcome string `json:"outcome"`
}) (any, error) {
	return viewed(viewSession)(x.world.FinishSession(x.context(), x.param(), in.Outcome))
}

func credentialsSessions() resources[world.Verification] {
	return resources[world.Verification]{
		id:   func(v world.Verification) string { return v.SessionID },
		row:  viewSession,
		view: viewSession,
		list: func(x *exchange, after string, limit int) ([]world.Verification, error) {
			return x.world.ListCredentialsSessions(x.context(), after, limit)
		},
		get: (*world.World).CredentialsSession,
	}
}

func verificationRequests() resources[world.Verification] {
	return resources[world.Verification]{
		id:     func(v world.Verification) string { return v.ID },
		row:    func(v world.Verification) any { return summarize(v) },
		view:   viewVerification,
		list:   listVerifications,
		get:    (*world.World).VerificationRequest,
		create: (*world.World).CreateVerificationRequest,
		change: (*world.World).ChangeVerificationRequest,
		delete: (*world.World).DeleteVerificationRequest,
	}
}

// verificationSummary is a verification request as a list shows it.
type verificationSummary struct {
	ID        string    `json:"id"`
	State     api.State `json:"state"`
	Scenario  string    `json:"scenario"`
	Created   time.Time `json:"created"`
	SessionID *string   `json:"credentials_session_id"`
}

// verificationView is a verification request with its timeline and the rules that apply to it.
type verificationView struct {
	verificationSummary
	Timeline  []stepView              `json:"timeline"`
	Rules     []string                `json:"rules"`     // in words
	Diagnosis []string                `json:"diagnosis"` // what the resource says against itself, in words
	Resource  api.VerificationRequest `json:"resource"`
}

// stepView is a step of a timeline.
type stepView struct {
	State api.State   `json:"state"`
	After *string     `json:"after"` // the condition of the step, in words; null for the first step, and off the timeline
	Phase world.Phase `json:"place"`
	At    *time.Time  `json:"at"` // when the request entered it, or will; null: unknown, or it was skipped
}

func summarize(v world.Verification) verificationSummary {
	return verificationSummary{v.ID, v.Progress.State, v.Name, v.Document.Created.Time, orNull(v.SessionID)}
}

func viewVerification(v world.Verification) any {
	shown := verificationView{
		verificationSummary: summarize(v), Timeline: []stepView{},
		Rules: append([]string{}, v.Rules...), Diagnosis: append([]string{}, v.Diagnosis...), Resource: v.Document,
	}
	for i, stage := range v.Stages() {
		step := stepView{State: stage.State, Phase: stage.Phase, At: stage.At}
		if i > 0 && stage.After != (scenarios.After{}) {
			step.After = new(stage.After.String())
		}
		shown.Timeline = append(shown.Timeline, step)
	}
	return shown
}

// listVerifications lists the stored verification requests with ?state= and ?scenario=.
func listVerifications(x *exchange, after string, limit int) ([]world.Verification, error) {
	state, scenario := api.State(x.query.Get("state")), x.query.Get("scenario")
	if state != "" {
		if err := resource.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.ListVerificationRequests(x.context(), after, limit, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && (scenario == "" || v.Name == scenario)
	})
	if err != nil || scenario == "" || len(found) > 0 { // requests may have a scenario that no longer exists
		return found, err
	}
	catalogue, _, err := x.world.Catalogue(x.context())
	if err != nil {
		return nil, err
	}
	s, err := resource.ScenarioNamed(catalogue, scenario)
	if unknown := (*api.Error)(nil); errors.As(err, &unknown) {
		return nil, api.Because(http.StatusBadRequest, unknown.Message)
	}
	if why := catalogue.OtherKind(s, scenarios.VerificationRequestID); why != "" {
		return nil, api.Because(http.StatusBadRequest, why)
	}
	return nil, nil
}
