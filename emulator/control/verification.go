package control

import (
	"errors"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
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
	s := verificationSummary{ID: v.ID, State: v.Progress.State, Scenario: v.Name, Created: v.Progress.Created}
	if v.SessionID != "" {
		s.SessionID = &v.SessionID
	}
	return s
}

func (x *exchange) view(v world.Verification) (verificationView, error) {
	shown := verificationView{verificationSummary: summarize(v), Timeline: []stepView{}, Rules: []string{}, Resource: v.Document}
	for i, stage := range v.Course() {
		shown.Timeline = append(shown.Timeline, viewStep(i, stage))
	}
	rules, err := x.world.Rules(x.context(), v)
	for _, rule := range rules {
		shown.Rules = append(shown.Rules, rule.String())
	}
	return shown, err
}

func viewStep(index int, stage world.Stage) stepView {
	s := stepView{State: stage.State, Place: stage.Place, At: stage.At}
	if index > 0 && stage.After != (scenarios.After{}) {
		s.After = new(stage.After.String())
	}
	return s
}

// listVerifications shows the verification requests that the world remembers, by ?state= and ?scenario= if wanted.
func listVerifications(x *exchange) (any, error) {
	after, limit, err := x.span(scenarios.ValidID)
	if err != nil {
		return nil, err
	}
	query := x.request.URL.Query()
	state, scenario := api.State(query.Get("state")), query.Get("scenario")
	if state != "" {
		if err := world.CheckState(state); err != nil {
			return nil, err
		}
	}
	found, err := x.world.Verifications(x.context(), after, limit+1, func(v world.Verification) bool {
		return (state == "" || v.Progress.State == state) && (scenario == "" || v.Name == scenario)
	})
	if err != nil {
		return nil, err
	}
	if scenario != "" && len(found) == 0 { // where some follow one that is gone, there is one
		if err := x.checkScenario(scenario); err != nil {
			return nil, err
		}
	}
	var summaries []verificationSummary
	for _, v := range found {
		summaries = append(summaries, summarize(v))
	}
	return page(summaries, limit, func(s verificationSummary) string { return s.ID }), nil
}

// checkScenario refuses a name that no scenario has.
func (x *exchange) checkScenario(name string) error {
	_, err := x.world.ScenarioNamed(name)
	if unknown := (*api.Error)(nil); errors.As(err, &unknown) {
		return api.Because(http.StatusBadRequest, unknown.Message)
	}
	return err
}

// showVerification shows a verification request and moves nothing.
func showVerification(x *exchange) (any, error) {
	v, err := x.world.Inspect(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	return x.view(v)
}

// createVerification makes a verification request of a body in the language of scenario files.
func createVerification(x *exchange) (any, error) {
	text, err := x.document()
	if err != nil {
		return nil, err
	}
	v, err := x.world.CreateVerification(x.context(), text)
	if err != nil {
		return nil, err
	}
	shown, err := x.view(v)
	return created{shown}, err
}

// changeVerification puts a verification request into a state, sets fields of it, or both.
func changeVerification(x *exchange) (any, error) {
	text, err := x.document()
	if err != nil {
		return nil, err
	}
	v, err := x.world.ChangeVerification(x.context(), x.param("id"), text)
	if err != nil {
		return nil, err
	}
	return x.view(v)
}

// deleteVerification has the world forget a verification request.
func deleteVerification(x *exchange) (any, error) {
	return nil, x.world.Forget(x.context(), x.param("id"))
}
