package inventory

import (
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Evaluate evaluates the rules for a request: the world's faults, then the rules of the resource's scenario, then the
// global rules. All of them count the request; the first one that answers decides.
func (tx *Tx) Evaluate(operation api.Operation, r Resource) (rules.Decision, error) {
	sets, err := tx.rulesFor(r)
	if len(sets) == 0 {
		return rules.Decision{}, err
	}
	call := scenarios.Call{Operation: operation}
	if r.kind == scenarios.VerificationRequestID {
		if v, err := tx.verification(r); err == nil {
			call.State = v.Progress.State
		}
	}
	return tx.Rules.Evaluate(call, sets)
}

// evaluateWebhook returns the rule that says how a webhook about a verification request is delivered, nil for none. The webhook
// announces a state, or "" for the end of the request's session.
func (tx *Tx) evaluateWebhook(r Resource, state api.State) (*scenarios.Rule, error) {
	sets, err := tx.rulesFor(r)
	if len(sets) == 0 {
		return nil, err
	}
	d, err := tx.Rules.Evaluate(scenarios.Call{Webhook: true, State: state}, sets)
	return d.Webhook, err
}

func (tx *Tx) rulesFor(r Resource) ([]rules.Set, error) {
	own := r.magic
	if own == nil && r.request != nil {
		own = tx.Catalogue.ByName(r.request.Scenario)
	}
	return tx.Rules.For(r.id, r.name, own)
}

// EvaluateSSN adds the rules of a credentials session's scenario, which its number selects, to a decision.
func (tx *Tx) EvaluateSSN(operation api.Operation, d rules.Decision, ssn api.SSN) (rules.Decision, error) {
	s := tx.Catalogue.BySSN(ssn)
	if s == nil || len(s.Rules) == 0 {
		return d, nil
	}
	return tx.Rules.ForSSN(operation, d, s)
}
