package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// resources are a world's resources of one kind. A text is a body in the language of scenario files.
type resources[T any] struct {
	valid func(id string) bool
	id    func(T) string
	row   func(T) any                           // what a list shows of one
	view  func(x *exchange, one T) (any, error) // what is shown of one alone; nil: row

	list func(x *exchange, after string, limit int) ([]T, error)
	get  func(w *world.World, id string) (T, error)

	// nil where nobody but clients of the emulated API makes them.
	create func(w *world.World, text []byte) (T, error)
	change func(w *world.World, id string, text []byte) (T, error)
	remove func(w *world.World, id string) error
}

// endpoints lists the calls of a kind of resource; query has the parameters of its list, beside those of every list.
func (k resources[T]) endpoints(path string, query ...string) []endpoint {
	read := []endpoint{
		{method: http.MethodGet, path: path, query: append([]string{"limit", "after"}, query...), inWorld: k.serveList},
		{method: http.MethodGet, path: path + "/:id", inWorld: func(x *exchange) (any, error) {
			one, err := k.get(x.world, x.param("id"))
			return k.show(x, one, err)
		}},
	}
	if k.create == nil {
		return read
	}
	steer := func(status int, act func(x *exchange, text []byte) (T, error)) call {
		return func(x *exchange) (any, error) {
			text, err := x.document()
			if err != nil {
				return nil, err
			}
			one, err := act(x, text)
			shown, err := k.show(x, one, err)
			return withStatus{status, shown}, err
		}
	}
	create := func(x *exchange, text []byte) (T, error) { return k.create(x.world, text) }
	change := func(x *exchange, text []byte) (T, error) { return k.change(x.world, x.param("id"), text) }
	return append(read,
		endpoint{method: http.MethodPost, path: path, inWorld: steer(http.StatusCreated, create)},
		endpoint{method: http.MethodPatch, path: path + "/:id", inWorld: steer(http.StatusOK, change)},
		endpoint{method: http.MethodDelete, path: path + "/:id", inWorld: func(x *exchange) (any, error) {
			return nil, k.remove(x.world, x.param("id"))
		}},
	)
}

func (k resources[T]) serveList(x *exchange) (any, error) {
	after, limit, err := x.span(k.valid)
	if err != nil {
		return nil, err
	}
	found, err := k.list(x, after, limit+1)
	return page(found, limit, k.id, k.row), err
}

func (k resources[T]) show(x *exchange, one T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if k.view == nil {
		return k.row(one), nil
	}
	return k.view(x, one)
}

// forget deletes what a world has stored of a resource of a kind.
func forget(kind scenarios.Kind) func(*world.World, string) error {
	return func(w *world.World, id string) error { return w.Forget(kind, id) }
}

func tenantProperties() resources[api.TenantProperty] {
	return resources[api.TenantProperty]{
		valid: scenarios.ValidID,
		id:    func(p api.TenantProperty) string { return p.ID },
		row:   func(p api.TenantProperty) any { return p },
		list: func(x *exchange, after string, limit int) ([]api.TenantProperty, error) {
			return x.world.TenantProperties(after, limit)
		},
		get:    (*world.World).TenantProperty,
		create: (*world.World).CreateTenantProperty,
		change: (*world.World).ChangeTenantProperty,
		remove: forget(scenarios.TenantPropertyID),
	}
}

func qualificationChecks() resources[api.QualificationCheck] {
	return resources[api.QualificationCheck]{
		valid: scenarios.ValidID,
		id:    func(q api.QualificationCheck) string { return q.ID },
		row:   func(q api.QualificationCheck) any { return q },
		list: func(x *exchange, after string, limit int) ([]api.QualificationCheck, error) {
			return x.world.QualificationChecks(after, limit)
		},
		get:    (*world.World).QualificationCheck,
		create: (*world.World).CreateQualification,
		change: (*world.World).ChangeQualification,
		remove: forget(scenarios.QualificationCheckID),
	}
}

// sessionView is a credentials session and where it leads.
type sessionView struct {
	ID                  string    `json:"id"`
	Created             time.Time `json:"created"`
	VerificationRequest string    `json:"verification_request_id"`
	State               api.State `json:"state"` // of the verification request
	Scenario            string    `json:"scenario"`
}

func credentialsSessions() resources[world.Verification] {
	return resources[world.Verification]{
		valid: world.ValidSessionID,
		id:    func(v world.Verification) string { return v.SessionID },
		row: func(v world.Verification) any {
			return sessionView{v.SessionID, v.Progress.Created, v.ID, v.Progress.State, v.Name}
		},
		list: func(x *exchange, after string, limit int) ([]world.Verification, error) {
			return x.world.Sessions(after, limit)
		},
		get: (*world.World).Session,
	}
}

func verificationRequests() resources[world.Verification] {
	return resources[world.Verification]{
		valid:  scenarios.ValidID,
		id:     func(v world.Verification) string { return v.ID },
		row:    func(v world.Verification) any { return summarize(v) },
		view:   viewVerification,
		list:   listVerifications,
		get:    (*world.World).Inspect,
		create: (*world.World).CreateVerification,
		change: (*world.World).ChangeVerification,
		remove: forget(scenarios.VerificationRequestID),
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

// verificationView is a verification request with all that bears on it.
type verificationView struct {
	verificationSummary
	Timeline []stepView              `json:"timeline"`
	Rules    []string                `json:"rules"` // in words
	Resource api.VerificationRequest `json:"resource"`
}

// stepView is a step of a timeline.
type stepView struct {
	State api.State   `json:"state"`
	After *string     `json:"after"` // what leads to it, in words; null for the first, and for a state to which no step leads
	Place world.Place `json:"place"`
	At    *time.Time  `json:"at"` // when it came, or will come; null when that is not known, or it was jumped over
}

func summarize(v world.Verification) verificationSummary {
	return verificationSummary{v.ID, v.Progress.State, v.Name, v.Progress.Created, orNull(v.SessionID)}
}

func viewVerification(x *exchange, v world.Verification) (any, error) {
	shown := verificationView{verificationSummary: summarize(v), Timeline: []stepView{}, Rules: []string{}, Resource: v.Document}
	for i, stage := range v.Course() {
		step := stepView{State: stage.State, Place: stage.Place, At: stage.At}
		if i > 0 && stage.After != (scenarios.After{}) {
			step.After = new(stage.After.String())
		}
		shown.Timeline = append(shown.Timeline, step)
	}
	rules, err := x.world.Rules(v)
	shown.Rules = append(shown.Rules, rules...)
	return shown, err
}

// listVerifications lists the verification requests that the world has stored: those of ?state= and ?scenario=.
func listVerifications(x *exchange, after string, limit int) ([]world.Verification, error) {
	state, scenario := api.State(x.query.Get("state")), x.query.Get("scenario")
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.Verifications(after, limit, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && (scenario == "" || v.Name == scenario)
	})
	if err != nil || scenario == "" || len(found) > 0 { // requests may follow a scenario that is gone
		return found, err
	}
	_, err = x.world.ScenarioNamed(scenario)
	if unknown := (*api.Error)(nil); errors.As(err, &unknown) {
		err = api.Because(http.StatusBadRequest, unknown.Message)
	}
	return nil, err
}
