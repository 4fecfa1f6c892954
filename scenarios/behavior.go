package scenarios

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/behavior"
)

// What a scenario does: its rules change how calls are answered, its timeline moves a verification request.
type (
	Rule      = behavior.Rule      // changes how a call is answered when all of its conditions hold
	Operation = behavior.Operation // what a rule's on names, such as get, or "get qualification_check"
	Response  = behavior.Response  // what a rule answers with
	Fault     = behavior.Fault     // a fault of the connection
	Limit     = behavior.Limit     // a rate limit on a world's clock; the zero value: none
	Call      = behavior.Call      // a call, or the delivery of a webhook, as rules see it
	Counters  = behavior.Counters  // what the rules of a scenario depend on, for one resource or for a world
	Decision  = behavior.Decision  // the effect of a scenario's rules on a call

	Timeline = behavior.Timeline // the states of a verification request in their order: at least one step
	Step     = behavior.Step     // a state, and what leads to it from the step before
	After    = behavior.After    // the condition that ends a step
	Cursor   = behavior.Cursor   // the position of a resource on its timeline
	Duration = behavior.Duration // a span of time on a world's clock, written as 90s, 10m, 48h or 7d
)

// The faults of a connection. The first two prevent the call; the others damage its answer.
const (
	NoFault         = behavior.NoFault
	ConnectionReset = behavior.ConnectionReset
	Truncated       = behavior.Truncated
	Malformed       = behavior.Malformed
	Dribble         = behavior.Dribble
)

// Manners are the words for what goes wrong with a webhook.
var Manners = behavior.Manners

// Evaluate applies the rules to a call, from top to bottom: every rule that applies adds its delay, and the first that
// answers ends the search. It returns the counters after the call and does not change those it is given. When no later
// decision depends on the call, counted is false and the counters are unchanged.
func (s *Scenario) Evaluate(c Call, counters Counters) (d Decision, after Counters, counted bool) {
	return behavior.Evaluate(s.Name, s.Rules, c, counters)
}

// Forbidden explains why spec section 3 forbids a transition between two states, and returns "" for an allowed one.
func Forbidden(from, to api.State) string { return behavior.Forbidden(from, to) }

// ParseLimit reads a limit such as 10/s, 600/m or 5/10s.
func ParseLimit(text string) (Limit, error) { return behavior.ParseLimit(text) }

// ParseSpan reads a span of time in Go's units and d (24 hours) and w (7 days), such as 1d12h, or in those of ISO 8601, such as
// P1DT12H. It may be 0 or negative. The error does not repeat the text.
func ParseSpan(text string) (time.Duration, error) { return behavior.ParseSpan(text) }
