package control

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

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
	Rules    []string                `json:"rules"`
	Resource api.VerificationRequest `json:"resource"`
}

// stepView is a step of a timeline.
type stepView struct {
	State api.State  `json:"state"`
	After *string    `json:"after"` // what leads to it, in words; null for the first
	Place string     `json:"place"` // past, present, next or ahead
	At    *time.Time `json:"at"`    // since when it is present, or when it will come; null when that is not known
}

func summarize(v world.Verification) verificationSummary {
	s := verificationSummary{ID: v.ID, State: v.Progress.State, Scenario: v.Name, Created: v.Progress.Created}
	if v.SessionID != "" {
		s.SessionID = &v.SessionID
	}
	return s
}

func view(v world.Verification) verificationView {
	shown := verificationView{verificationSummary: summarize(v), Timeline: []stepView{}, Rules: []string{}, Resource: v.Document}
	if v.Scenario == nil {
		return shown
	}
	for i, step := range v.Scenario.Timeline() {
		shown.Timeline = append(shown.Timeline, viewStep(v, i, step))
	}
	for _, rule := range v.Scenario.Rules {
		shown.Rules = append(shown.Rules, rule.String())
	}
	return shown
}

func viewStep(v world.Verification, index int, step scenarios.Step) stepView {
	s := stepView{State: step.State, Place: "ahead"}
	if index > 0 {
		s.After = new(step.After.String())
	}
	over := v.Progress.State.Terminal()
	switch {
	case index < v.Cursor.Step:
		s.Place = "past"
	case index == v.Cursor.Step && step.State == v.Progress.State:
		s.Place, s.At = "present", new(v.Cursor.Entered.UTC())
	case index == v.Cursor.Step:
		s.Place = "past" // something else has become of the request
	case index == v.Cursor.Step+1 && !over:
		s.Place = "next"
		if step.After.Elapsed > 0 {
			s.At = new(v.Cursor.Entered.Add(time.Duration(step.After.Elapsed)).UTC())
		}
	}
	return s
}

// listVerifications shows the verification requests that the world remembers, by ?state= and ?scenario= if wanted.
func listVerifications(x *exchange) (any, error) {
	limit, err := x.limit()
	if err != nil {
		return nil, err
	}
	query := x.request.URL.Query()
	state := api.State(query.Get("state"))
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.Verifications(x.context(), query.Get("after"), limit+1, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && (query.Get("scenario") == "" || v.Name == query.Get("scenario"))
	})
	if err != nil {
		return nil, err
	}
	var summaries []verificationSummary
	for _, v := range found {
		summaries = append(summaries, summarize(v))
	}
	return page(summaries, limit, func(s verificationSummary) string { return s.ID }), nil
}

// showVerification shows a verification request and moves nothing.
func showVerification(x *exchange) (any, error) {
	v, err := x.world.Inspect(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return view(v), nil
}

// newVerification is the body that creates a verification request: in the language of scenario files.
type newVerification struct {
	ID                  string                      `yaml:"id"`
	Scenario            string                      `yaml:"scenario"` // that it looks like, and follows
	State               api.State                   `yaml:"state"`    // default: where the timeline begins
	VerificationRequest *fixtures.VerificationShape `yaml:"verification_request"`
	Reports             []fixtures.ReportShape      `yaml:"reports"`
}

// createVerification makes a verification request of a scenario, of explicit fields, or of both: these take the place of
// the scenario's.
func createVerification(x *exchange) (any, error) {
	var in newVerification
	if err := x.decodeLanguage(&in); err != nil {
		return nil, err
	}
	made := world.NewVerification{ID: in.ID, State: in.State}
	if in.Scenario != "" {
		if made.Scenario = x.world.Catalogue().ByName(in.Scenario); made.Scenario == nil {
			return nil, x.unknownScenario(in.Scenario)
		}
		made.Shape = made.Scenario.VerificationShape()
	}
	if in.VerificationRequest != nil {
		reports := made.Shape.Reports
		made.Shape = *in.VerificationRequest
		made.Shape.Reports = reports
	}
	if in.Reports != nil {
		made.Shape.Reports = in.Reports
	}
	v, err := x.world.CreateVerification(x.context(), made)
	if err != nil {
		return nil, err
	}
	return created{view(v)}, nil
}

// verificationChange is the body that changes a verification request.
type verificationChange struct {
	State               api.State                                 `yaml:"state"`
	CancellationReason  *api.CancellationReason                   `yaml:"cancellation_reason"`
	CancellationDetails *string                                   `yaml:"cancellation_details"`
	Force               bool                                      `yaml:"force"` // whatever the spec allows
	Set                 fixtures.Overlay[api.VerificationRequest] `yaml:"set"`
}

// Flaws finds what does not go together.
func (c verificationChange) Flaws() (flaws []fixtures.Flaw) {
	if c.State == "" && c.Set.Empty() {
		flaws = append(flaws, fixtures.Flaw{What: `needs what is to change: {"state":"processing"} or {"set":{"loan_id":"7"}}`})
	}
	if c.State != api.StateCanceled && (c.CancellationReason != nil || c.CancellationDetails != nil) {
		flaws = append(flaws, fixtures.Flaw{What: "only a canceled request has a cancellation reason and details"})
	}
	return append(flaws, fixtures.VerificationShape{Set: c.Set}.Flaws()...)
}

// changeVerification puts a verification request into a state, sets fields of it, or both.
func changeVerification(x *exchange) (any, error) {
	var in verificationChange
	if err := x.decodeLanguage(&in); err != nil {
		return nil, err
	}
	id := x.param("id")
	if in.State != "" {
		_, err := x.world.Move(x.context(), id, world.Move{
			State:        in.State,
			Cancellation: fixtures.Cancellation{Reason: in.CancellationReason, Details: in.CancellationDetails},
			Force:        in.Force,
		})
		if err != nil {
			return nil, err
		}
	}
	if !in.Set.Empty() {
		if _, err := x.world.SetFields(x.context(), id, in.Set); err != nil {
			return nil, err
		}
	}
	return showVerification(x)
}

// deleteVerification has the world forget a verification request.
func deleteVerification(x *exchange) (any, error) {
	return nil, x.world.Forget(x.context(), x.param("id"))
}
