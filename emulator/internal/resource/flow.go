package resource

import (
	"cmp"
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
func (at Scene) manual(s *scenarios.Scenario) bool {
	return cmp.Or(s.Settings.SessionFlow, at.Settings.SessionFlow) == scenarios.FlowManual
}

// NoteFlow explains who uses the token of a session for a number.
func (at Scene) NoteFlow(ssn api.SSN) string {
	if s := at.Catalogue.BySSN(ssn); s != nil && at.manual(s) {
		return "session_flow manual: the request stays pending-approval until the token is used on the page " + pageOfToken + "..., " +
			"or POST /_understudy/v1/credentials-sessions/{id}/finish"
	}
	return "session_flow auto: the emulator played the person who uses the token" + provenance.Reason("the person who uses a session's token")
}

// Waiting explains that the request waits for a person, "" for any other.
func (v *Request) Waiting() string {
	if v == nil || !v.Manual || v.Outcome != "" || v.Progress.State != api.StatePendingApproval {
		return ""
	}
	return "the request waits, without end, for a person to use the token of its session " + v.Session.ID
}

// begin makes a session's new request pending-approval, as all requests begin (spec 3). With flow manual it waits so for a
// person, off its timeline; else it goes on to the first step of its timeline at once.
func (v *Request) begin(first scenarios.Step, now time.Time, manual bool) {
	v.History, v.Progress.Completed, v.Progress.Canceled = nil, time.Time{}, nil
	v.reach(offTimeline, scenarios.Step{State: api.StatePendingApproval}, now)
	v.fresh = 0
	if v.Manual, v.Off = manual, manual; !manual {
		v.follow(first, now)
	}
}

// follow puts a request that is pending-approval on the first step of its timeline. Nothing is completed before it was processed.
func (v *Request) follow(first scenarios.Step, now time.Time) {
	if first.State == v.Progress.State {
		v.History[len(v.History)-1].Step = 0
		return
	}
	if first.State == api.StateCompleted {
		v.reach(offTimeline, scenarios.Step{State: api.StateProcessing}, now)
	}
	v.reach(0, first, now)
}

// FinishSession returns the change that finishes a request's session with an outcome; "" is success.
func FinishSession(how string) (func(at Scene, v *Request) error, error) {
	end := cmp.Or(outcome(how), "success")
	return func(at Scene, v *Request) error { return v.finish(at, end) }, checkValue("outcome", end)
}

func (v *Request) finish(at Scene, end outcome) error {
	if timeline := unsuccessful[end]; timeline != nil && v.Waiting() != "" {
		v.Timeline = timeline
	}
	timeline := v.Steps(at)
	switch id := v.Session.ID; {
	case !v.Manual:
		return conflict(fmt.Sprintf("The session %s has session_flow auto: the emulator played the person. Create one with session_flow manual", id))
	case v.Outcome != "":
		return conflict(fmt.Sprintf("The session %s is finished: its outcome is %s. Create another one", id, v.Outcome))
	case v.Waiting() == "":
		return conflict(fmt.Sprintf("The request of session %s is %s: a session is finished while its request is pending-approval", id, v.Progress.State))
	case len(timeline) == 0:
		return conflict(fmt.Sprintf("The scenario %s of session %s no longer exists: add it again", api.Quote(v.Scenario), id))
	}
	v.Outcome, v.Cursor, v.Off = end, scenarios.Cursor{Entered: at.Now}, false
	v.follow(timeline[0], at.Now)
	return nil
}

// flow returns how far the person of the request's session is.
func (v *Request) flow(at Scene) Flow {
	if !v.Manual {
		return Flow{Kind: "auto", Outcome: string(played[v.Progress.State])}
	}
	return Flow{scenarios.FlowManual, v.Waiting() != "", string(v.Outcome), pageOfToken + v.Session.Token + "&world=" + at.World}
}
