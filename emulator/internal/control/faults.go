package control

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func faultCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/faults", inWorld: listFaults(), query: paged},
		{method: post, path: "v1/faults", inWorld: addFault},
		{method: del, path: "v1/faults", inWorld: func(x *exchange) (any, error) { return nil, x.world.RemoveFaults(x.context()) }},
		{method: del, path: "v1/faults/:id", inWorld: removes((*world.World).RemoveFault)},
	}
}

// faultView is a fault as a list shows it.
type faultView struct {
	ID        string         `json:"id"`
	Rule      jsontext.Value `json:"rule"`
	Words     string         `json:"in_words"`
	Resource  *string        `json:"resource"`  // the id that requests must be for; null: any
	Remaining *int           `json:"remaining"` // requests that it will still apply to; null: the rule has no times
	Expires   *time.Time     `json:"expires"`   // by the world's clock
}

func viewFault(f rules.Fault) faultView {
	shown := faultView{ID: f.ID, Rule: jsontext.Value(f.Source), Words: f.Rule.String(), Expires: f.Expires}
	if f.Resource != "" {
		shown.Resource = &f.Resource
		shown.Words += " (only " + f.Resource + ")"
	}
	if f.Rule.Times > 0 {
		shown.Remaining = new(f.Rule.Times - f.Applied)
	}
	return shown
}

// listFaults lists the faults of the world, in the order in which they were added.
func listFaults() call {
	return lists(rules.ValidFaultID, func(f rules.Fault) string { return f.ID }, viewFault, func(x *exchange, after string, _ int) ([]rules.Fault, error) {
		faults, err := x.world.Faults(x.context())
		return slices.DeleteFunc(faults, func(f rules.Fault) bool { return !f.After(after) }), err
	})
}

// addFault adds a rule to the world: {"rule":{"on":"get","respond":{"status":500},"times":2},"expires_in":"10m"},
// for every request or, with "resource":"vr_completed", for those of one. The rule may also be a text, or the name of a preset.
func addFault(x *exchange) (any, error) {
	var in struct {
		Rule      jsontext.Value `json:"rule"`
		ExpiresIn *string        `json:"expires_in"`
		Resource  string         `json:"resource"`
	}
	text, _, err := x.json()
	if err != nil {
		return nil, err
	}
	if isRule(text) {
		return nil, api.Because(http.StatusBadRequest, `The rule goes under rule: {"rule":{"on":"get","respond":{"status":500}}}`)
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.Rule == nil {
		return nil, api.Because(http.StatusBadRequest, `Send a rule: {"rule":{"on":"get","respond":{"status":500}}}`)
	}
	rule, options := string(in.Rule), []world.FaultOption{world.OnlyFor(in.Resource)}
	if in.Rule.Kind() == '"' { // its text, in YAML or JSON
		if err := json.Unmarshal(in.Rule, &rule); err != nil {
			return nil, err
		}
	}
	if in.ExpiresIn != nil {
		lasts, err := world.ParseSpan(*in.ExpiresIn)
		if err != nil {
			return nil, err
		}
		options = append(options, world.Lasting(lasts))
	}
	return made(viewFault)(x.world.AddFault(x.context(), rule, options...))
}

// isRule reports whether a body is a rule itself, without the member rule around it.
func isRule(text []byte) bool {
	var members map[string]jsontext.Value
	if json.Unmarshal(text, &members) != nil || members["rule"] != nil {
		return false
	}
	return slices.ContainsFunc([]string{"on", "respond", "fault", "delay", "deliver"}, func(key string) bool { return members[key] != nil })
}
