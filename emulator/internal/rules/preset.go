package rules

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Preset is a rule for faults that has a name.
type Preset struct {
	Name  string
	Label string // of a button
	Rule  string // in JSON, for all operations or webhooks, as the source of a fault
}

// Presets lists the presets. Their rules are those of built-in scenarios, so that a magic value shows what a preset does.
var Presets = sync.OnceValue(func() []Preset {
	catalogue, err := scenarios.Load()
	if err != nil {
		panic(err) // it is built in, and tests load it
	}
	all := []Preset{
		{Name: "500", Label: "Error 500", Rule: "error-500"},
		{Name: "429", Label: "Error 429", Rule: "error-429"},
		{Name: "429-once", Label: "429 once", Rule: "error-429"},
		{Name: "slow", Label: "Slow, 3 s"},
		{Name: "reset", Label: "Connection reset", Rule: "fault-reset"},
		{Name: "outage-502", Label: "502 in HTML"},
		{Name: "outage-503", Label: "503 in HTML"},
		{Name: "outage-504", Label: "504 in HTML"},
		{Name: "outage-500-empty", Label: "500, empty"},
		{Name: "outage-200-empty", Label: "200, empty"},
		{Name: "outage-200-html", Label: "200 in HTML"},
		{Name: "outage-then-fine", Label: "503 twice"},
		{Name: "limited-bare", Label: "429, no Retry-After"},
		{Name: "limited-date", Label: "429 until a date"},
		{Name: "limited-long", Label: "429 for an hour"},
		{Name: "wrong-shape", Label: "Another object"},
		{Name: "wrong-type", Label: "As text/plain"},
		{Name: "webhook-twice", Label: "Webhooks twice"},
		{Name: "webhook-lost", Label: "Webhooks lost"},
		{Name: "webhook-late", Label: "Webhooks an hour late"},
		{Name: "webhook-out-of-order", Label: "Webhooks out of order"},
		{Name: "webhook-wrong-token", Label: "Webhooks, wrong token"},
		{Name: "webhook-before-answer", Label: "Webhooks before the answer"},
	}
	for i, p := range all {
		scenario := catalogue.ByName(cmp.Or(p.Rule, p.Name))
		text, _, err := scenarios.JSON(scenario.Name, []byte(scenario.Source()))
		var document struct{ Rules []json.RawMessage }
		if err := cmp.Or(err, json.Unmarshal(text, &document)); err != nil {
			panic(err) // it is built in, and TestPresets reads it
		}
		if all[i].Rule = string(document.Rules[0]); p.Name == "429-once" {
			all[i].Rule = all[i].Once("any")
		}
	}
	return all
})

// Limited reports whether the rule applies to some calls only.
func (p Preset) Limited() bool { return strings.Contains(p.Rule, `"times":`) }

// Webhook reports whether the rule is for webhooks.
func (p Preset) Webhook() bool { return strings.HasPrefix(p.Rule, `{"on":"webhook",`) }

// Once returns the rule for the next call of some operations, or for the next webhook.
func (p Preset) Once(on string) string {
	if p.Webhook() {
		on = "webhook"
	}
	_, effect, _ := strings.Cut(p.Rule, ",")
	return `{"on":"` + on + `","times":1,` + effect
}

// WithPreset returns a rule, that of the preset for a name.
func WithPreset(rule string) (string, error) {
	if !scenarios.ValidName(rule) { // it is a mapping
		return rule, nil
	}
	names := []string{}
	for _, p := range Presets() {
		if p.Name == rule {
			return p.Rule, nil
		}
		names = append(names, p.Name)
	}
	return "", api.Because(400, api.Quote(rule)+" is neither a rule, such as {on: get, respond: {status: 500}}, nor a preset"+
		api.DidYouMean(rule, names, ": the presets are "+strings.Join(names, ", ")))
}
