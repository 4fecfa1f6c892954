package steer

import (
	"net/url"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// faultsPage is the data of pages/faults.html.
type faultsPage struct {
	Toggles  Toggles
	Faults   []rules.Fault
	Rule     string // of the form, or of ?rule= to begin with
	Examples []example
}

// example is a rule to begin with.
type example struct{ Label, Rule string }

// examples show each key of a rule.
var examples = []example{
	{"The second and third read are 429", `{on: get, calls: 2-3, respond: {status: 429, headers: {Retry-After: "7"}}}`},
	{"Every third call breaks off", "{on: any, every: 3, fault: truncated}"},
	{"One call in ten is 500", "{on: any, probability: 0.1, respond: {status: 500, message: Try again later}}"},
	{"Slow by 50 to 250 ms", "{on: any, delay: {between: [50ms, 250ms]}}"},
	{"429 above ten calls a second", "{on: any, limit: 10/s}"},
	{"Two cancels fail while it is processing", "{on: cancel, state: [processing], respond: {status: 503}, times: 2}"},
	{"Down in the third hour", "{on: any, between: [2h, 3h], respond: {status: 503}}"},
}

// StatusRule returns a rule that answers every call with a status.
func StatusRule(status string) string { return "{on: any, respond: {status: " + status + "}}" }

// showFaults shows the faults that are on, and the toggles for all requests, or for those of ?id=.
func showFaults(x *frame.Exchange) (frame.Answer, error) {
	faults, err := x.World.Faults(x.Context())
	id, here := x.Value("id"), x.Here("faults")
	if id != "" {
		here += "?id=" + url.QueryEscape(id)
	}
	return frame.Page{Name: "faults", Title: "Faults", Data: faultsPage{togglesOf(faults, x.Param("world"), id, here), faults, x.Value("rule"), examples}}, err
}

// addFault adds the rule of the form, in the language of scenario files, to the world.
func addFault(x *frame.Exchange) (frame.Answer, error) {
	options := []world.FaultOption{world.OnlyFor(x.Value("id"))}
	if text := x.Value("expires_in"); text != "" {
		lasts, err := world.ParseSpan(text)
		if err != nil {
			return nil, err
		}
		options = append(options, world.Lasting(lasts))
	}
	_, err := x.World.AddFault(x.Context(), x.Value("rule"), options...)
	return frame.Done(x.Here("faults"), "fault"), err
}

// removeFault removes the fault that the form names, or all.
func removeFault(x *frame.Exchange) (frame.Answer, error) {
	if id := x.Value("remove"); id != "" {
		return frame.Done(x.Here("faults"), "unfault"), x.World.RemoveFault(x.Context(), id)
	}
	return frame.Done(x.Here("faults"), "unfaults"), x.World.RemoveFaults(x.Context())
}
