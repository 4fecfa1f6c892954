package scenarios

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// validate finds what is well-formed and still makes no sense.
func (d *decoder) validate(body ast.Node, s *Scenario) {
	at := d.position(body)
	if s.Name == "" {
		d.reject(at, "a scenario needs a name")
	}
	if s.Title == "" {
		d.reject(at, "a scenario needs a title: one line that says what it shows")
	}
	if s.Magic == (Magic{}) {
		d.reject(at, "a scenario needs a magic value: magic: {verification_request: …}")
	}
	if s.QualificationCheck != nil && s.Magic.QualificationCheck == "" {
		d.reject(at, "qualification_check needs a magic value of its own: magic: {qualification_check: …}")
	}
	for _, rule := range s.Rules {
		d.validateRule(rule)
	}
	for _, report := range s.Reports {
		d.validatePay(at, report.Pay)
	}
	d.validateTimeline(s.Timeline())
}

func (d *decoder) reject(at Position, what string) {
	d.problems = append(d.problems, Problem{At: at, What: what})
}

func (d *decoder) validatePay(at Position, pay Pay) {
	if pay.Base != 0 && (pay.Base < fixtures.LeastBase || pay.Base > fixtures.MostBase) {
		d.reject(at, fmt.Sprintf("pay: base is a year's pay, from %s to %s", fixtures.LeastBase.Decimal(), fixtures.MostBase.Decimal()))
	}
	if pay.Paystubs < 0 {
		d.reject(at, "pay: paystubs may not be negative")
	}
}

func (d *decoder) validateRule(rule Rule) {
	if rule.On == "" {
		d.reject(rule.At, "a rule needs an operation: on: any, get, cancel, update or create")
	}
	if rule.Respond.Status < 400 || rule.Respond.Status > 599 {
		d.reject(rule.At, "a rule needs an error status from 400 to 599: respond: {status: 500}")
	}
}

func (d *decoder) validateTimeline(timeline Timeline) {
	for i, step := range timeline {
		if step.State == "" {
			d.reject(step.At, "a step needs a state")
		}
		if i == 0 && step.After != (After{}) {
			d.reject(step.At, "the first step is the start: nothing can come before it")
		}
		if i > 0 && step.After.Reads < 1 {
			d.reject(step.At, "a step needs what leads to it: after: {reads: 1}")
		}
		if i > 0 && timeline[i-1].State.Terminal() {
			d.reject(step.At, "nothing leaves "+string(timeline[i-1].State)+", which is a terminal state")
		}
		if step.State != api.StateCanceled && (step.CancellationReason != nil || step.CancellationDetails != nil) {
			d.reject(step.At, "only a canceled request has a cancellation reason and details")
		}
	}
}
