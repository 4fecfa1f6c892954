package world

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Flow is the step of a credentials session in which a person uses its token.
type Flow struct {
	Kind    scenarios.SessionFlow
	Waiting bool   // nobody has used the token, and somebody can
	Outcome string // success, failure or abandoned; "": not finished
	Page    string // the path of the page for the person; "" when the emulator plays the person
}

// pageOfToken is the path of that page, before the token.
const pageOfToken = "/_understudy/flow?token="

// outcome is how a person finishes a credentials session.
type outcome string

// Values lists the outcomes.
func (outcome) Values() []outcome { return []outcome{"success", "failure", "abandoned"} }

// played are the outcomes of sessions whose person the emulator played, by the states in which their requests end.
var played = map[api.State]outcome{api.StateCompleted: "success", api.StateCanceled: "failure", api.StateInvalid: "abandoned"}

// unsuccessful are the timelines of requests whose sessions do not end in success. The specification is silent on the time.
var unsuccessful = map[outcome]scenarios.Timeline{
	"failure": {{State: api.StateCanceled}}, // without a reason, as when the service cancels
	"abandoned": {
		{State: api.StatePendingApproval},
		{State: api.StateInvalid, After: scenarios.After{Elapsed: scenarios.Duration(72 * time.Hour)}},
	},
}

// manual reports whether the sessions of a scenario wait for a person.
func (tx *Tx) manual(s *scenarios.Scenario) bool {
	return cmp.Or(s.Settings.SessionFlow, tx.settings.SessionFlow) == scenarios.FlowManual
}

// NoteFlow explains who uses the token of a session for a number.
func (tx *Tx) NoteFlow(ssn api.SSN) string {
	if s := tx.catalogue.BySSN(ssn); s != nil && tx.manual(s) {
		return "session_flow manual: the request stays pending-approval until the token is used on the page " + pageOfToken + "..., " +
			"or POST /_understudy/v1/credentials-sessions/{id}/finish"
	}
	return "session_flow auto: the emulator played the person who uses the token" + provenance.Reason("the person who uses a session's token")
}

// Waiting explains that a verification request waits for a person, "" for any other.
func (r Resource) Waiting() string { return r.request.waiting() }

func (v *verification) waiting() string {
	if v == nil || !v.Manual || v.Outcome != "" || v.Progress.State != api.StatePendingApproval {
		return ""
	}
	return "the request waits, without end, for a person to use the token of its session " + v.Session.ID
}

// begin makes a session's new request pending-approval, as all requests begin (spec 3). With flow manual it waits so for a
// person, off its timeline; else it goes on to the first step of its timeline at once.
func (v *verification) begin(first scenarios.Step, now time.Time, manual bool) {
	v.History, v.Progress.Completed, v.Progress.Canceled = nil, time.Time{}, nil
	v.reach(offTimeline, scenarios.Step{State: api.StatePendingApproval}, now)
	v.fresh = 0
	if v.Manual, v.Off = manual, manual; !manual {
		v.follow(first, now)
	}
}

// follow puts a request that is pending-approval on the first step of its timeline. Nothing is completed before it was processed.
func (v *verification) follow(first scenarios.Step, now time.Time) {
	if first.State == v.Progress.State {
		v.History[len(v.History)-1].Step = 0
		return
	}
	if first.State == api.StateCompleted {
		v.reach(offTimeline, scenarios.Step{State: api.StateProcessing}, now)
	}
	v.reach(0, first, now)
}

// FinishSession finishes a session of flow manual, as the person does who uses its token: with success its request follows
// the scenario's timeline from now on, with failure the service cancels it, and abandoned it becomes invalid after 72 h. An
// empty outcome is success.
func (w *World) FinishSession(ctx context.Context, id, how string) (Verification, error) {
	end := cmp.Or(outcome(how), "success")
	if err := checkValue("outcome", end); err != nil {
		return Verification{}, err
	}
	return update(ctx, w, func(tx *Tx) (Verification, error) {
		v, err := tx.session(id)
		if err == nil {
			err = v.finish(tx, end)
		}
		if err == nil {
			_, err = tx.saveVerification(&v)
		}
		if err != nil {
			return Verification{}, err
		}
		return v.show(tx)
	})
}

func (v *verification) finish(tx *Tx, end outcome) error {
	if timeline := unsuccessful[end]; timeline != nil && v.waiting() != "" {
		v.Timeline = timeline
	}
	timeline := v.steps(tx)
	switch id := v.Session.ID; {
	case !v.Manual:
		return conflict(fmt.Sprintf("The session %s has session_flow auto: the emulator played the person. Create one with session_flow manual", id))
	case v.Outcome != "":
		return conflict(fmt.Sprintf("The session %s is finished: its outcome is %s. Create another one", id, v.Outcome))
	case v.waiting() == "":
		return conflict(fmt.Sprintf("The request of session %s is %s: a session is finished while its request is pending-approval", id, v.Progress.State))
	case len(timeline) == 0:
		return conflict(fmt.Sprintf("The scenario %s of session %s no longer exists: add it again", api.Quote(v.Scenario), id))
	}
	v.Outcome, v.Cursor, v.Off = end, scenarios.Cursor{Entered: tx.now}, false
	v.follow(timeline[0], tx.now)
	return nil
}

// flow returns how far the person of the request's session is.
func (v *verification) flow(tx *Tx) Flow {
	if !v.Manual {
		return Flow{Kind: "auto", Outcome: string(played[v.Progress.State])}
	}
	return Flow{scenarios.FlowManual, v.waiting() != "", string(v.Outcome), pageOfToken + v.Session.Token + "&world=" + tx.id}
}
