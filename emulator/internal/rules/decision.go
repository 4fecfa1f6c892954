// Package rules evaluates the rules of a world: its faults, those of a resource's scenario, and those for every request. A call
// flows in with the scenarios whose rules apply, a [Decision] flows out, and the counters of the rules are stored. It depends on no resource.
package rules

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Decision is the result of the rules for a request. The zero value leaves the answer to the resource.
type Decision struct {
	Scenario string          // of the rule that applied; "": none did
	Rule     string          // its position, file:line:column
	Answer   *api.Error      // of a rule in place of the resource, with any status; nil: none
	Header   http.Header     // of a rule over that of the resource's answer, see [api.Error]; nil: none
	Fault    scenarios.Fault // of the connection
	Delay    time.Duration   // of the answer, in real time
	Notes    []Note          // on the delays
	Effect   Note            // on the fault, or on the headers; the zero value: there are none

	Webhook *scenarios.Rule // that says how a webhook is delivered; nil: none
}

// Note explains a delay or a fault of an answer.
type Note struct {
	Rules string // their positions, the same for every request that they apply to
	Text  string
}

// Prevents reports whether the operation is not carried out.
func (d Decision) Prevents() bool { return d.Answer != nil || d.Fault.Prevents() }

// CounterPrefix begins the names of stored counters of rules.
const CounterPrefix = "calls/"

// Rules are the rules of a world in a transaction, at one instant.
type Rules struct {
	Values stored.Values
	Seed   uint64
	Began  time.Time // the world
	Now    time.Time
	Frozen bool                  // the world's clock
	Faults []StoredFault         // of the world
	Parsed Parsed                // their rules
	Global []*scenarios.Scenario // for every request
}

// Set is a scenario whose rules apply to a request, and the name under which the world stores their counters.
type Set struct {
	Scenario *scenarios.Scenario
	Counters string
}

// For returns the rules for a resource with a name and a scenario, nil for none, in the order of their evaluation.
func (r *Rules) For(id, name string, own *scenarios.Scenario) (sets []Set, err error) {
	for _, f := range r.Faults {
		if f.Expired(r.Now) || f.Resource != "" && f.Resource != id {
			continue
		}
		s, err := r.Parsed.of(f)
		if err != nil {
			return nil, err
		}
		sets = append(sets, Set{s, f.counters()})
	}
	if own != nil && len(own.Rules) > 0 {
		sets = append(sets, Set{own, CounterPrefix + name})
	}
	for _, s := range r.Global {
		sets = append(sets, Set{s, CounterPrefix + "all/" + s.Name})
	}
	return sets, nil
}

// ForSSN evaluates the rules of a scenario for its number after a decision. Their answer takes precedence over a fault of the
// decision.
func (r *Rules) ForSSN(operation api.Operation, d Decision, s *scenarios.Scenario) (Decision, error) {
	later, err := r.Evaluate(scenarios.Call{Operation: operation, Delayed: d.Delay}, []Set{{s, CounterPrefix + "cs/" + s.Name}})
	delay, notes := d.Delay+later.Delay, slices.Concat(d.Notes, later.Notes)
	if d.Rule == "" || later.Prevents() {
		d = later
	}
	d.Delay, d.Notes = delay, notes
	return d, err
}

// Evaluate evaluates the rules of scenarios, and stores their counters.
func (r *Rules) Evaluate(call scenarios.Call, sets []Set) (d Decision, err error) {
	call.Seed, call.Now, call.Began = r.Seed, r.Now, r.Began
	for _, set := range sets {
		var counters scenarios.Counters
		if err := r.Values.Load(set.Counters, &counters); err != nil {
			return d, err
		}
		decision, after, counted := set.Scenario.Evaluate(call, counters)
		if counted {
			if _, err := r.Values.Save(set.Counters, after); err != nil {
				return d, err
			}
		}
		if len(decision.Delaying) > 0 {
			d.Delay += decision.Delay
			call.Delayed += decision.Delay
			at := positions(decision.Delaying...)
			d.Notes = append(d.Notes, Note{at, fmt.Sprintf("scenario %s holds the answer back for %s, by its %s",
				set.Scenario.Name, decision.Delay.Round(time.Microsecond), at)})
		}
		if decision.Rule == nil || d.Rule != "" {
			continue
		}
		d.Scenario, d.Rule, d.Fault = set.Scenario.Name, decision.Rule.At.String(), decision.Rule.Fault
		if decision.Rule.Deliver != nil {
			d.Webhook = decision.Rule
			continue
		}
		switch limited := decision.Rule.Limit != (scenarios.Limit{}); {
		case d.Fault == scenarios.NoFault && (limited || decision.Rule.Respond.Status > 0):
			d.Answer = r.answer(set.Scenario, decision)
		case d.Fault == scenarios.NoFault:
			d.Header = r.header(nil, decision.Rule.Respond)
			d.Effect = Note{positions(decision.Rule), explain(set.Scenario, decision, "changes the headers of the answer")}
		default:
			d.Effect = Note{positions(decision.Rule), explain(set.Scenario, decision, "has the fault "+string(d.Fault))}
		}
	}
	return d, nil
}

// answer returns the answer of a rule in place of the resource.
func (r *Rules) answer(s *scenarios.Scenario, decision scenarios.Decision) *api.Error {
	rule, respond := decision.Rule, cmp.Or(decision.Rule.Respond, new(scenarios.Response))
	answer := api.NewError(cmp.Or(respond.Status, tooManyRequests), explain(s, decision, "answers so"))
	if decision.Wait > 0 {
		answer.Diagnosis += ": above " + rule.Limit.String() + " on the world's clock" + r.ifFrozen()
		answer.SetHeader("Retry-After", seconds(decision.Wait))
	}
	answer.Message = cmp.Or(respond.Message, answer.Message)
	if respond.Body != nil {
		answer.Body = []byte(respond.Body.Text)
	}
	answer.Header = r.header(answer.Header, respond)
	return answer
}

// header returns headers with those that a rule sets, and without values those that it omits.
func (r *Rules) header(usual http.Header, of *scenarios.Response) http.Header {
	header := make(http.Header)
	maps.Copy(header, usual)
	if of.Body != nil && of.Body.Text == "" {
		header["Content-Type"] = nil
	}
	if of.Status == http.StatusNoContent || of.Status == http.StatusNotModified {
		header["Content-Length"] = nil
	}
	if of.ContentType != "" {
		header.Set("Content-Type", of.ContentType)
	}
	for name, value := range of.Headers {
		header.Set(name, value)
	}
	for name, after := range of.Dates {
		header.Set(name, r.Now.Add(time.Duration(after)).UTC().Format(http.TimeFormat))
	}
	for _, name := range of.Omit {
		header[http.CanonicalHeaderKey(string(name))] = nil
	}
	return header
}

// explain names a scenario, its effect, and the rule.
func explain(s *scenarios.Scenario, decision scenarios.Decision, effect string) string {
	text := fmt.Sprintf("scenario %s %s, by its %s", s.Name, effect, positions(decision.Rule))
	if decision.Call > 0 {
		text += fmt.Sprintf(", at call %d", decision.Call)
	}
	return text
}

func positions(rules ...*scenarios.Rule) string {
	var all []string
	for _, r := range rules {
		all = append(all, r.At.String())
	}
	if len(all) == 1 {
		return "rule at " + all[0]
	}
	return "rules at " + strings.Join(all, " and ")
}

// tooManyRequests is the status of a request above a limit (spec section 7).
const tooManyRequests = 429

// Admit counts a request against a rate limit of the world. Above the limit it returns a 429.
func (r *Rules) Admit(limit scenarios.Limit) error {
	if limit == (scenarios.Limit{}) {
		return nil
	}
	var arrival time.Time
	if err := r.Values.Load("limit", &arrival); err != nil {
		return err
	}
	next, wait := limit.Admit(arrival, r.Now)
	if wait > 0 {
		refusal := api.NewError(tooManyRequests, "rate limit "+limit.String()+" of this world, counted on its clock"+r.ifFrozen())
		refusal.SetHeader("Retry-After", seconds(wait))
		return refusal
	}
	_, err := r.Values.Save("limit", next)
	return err
}

// ifFrozen explains a limit on a frozen clock.
func (r *Rules) ifFrozen() string {
	if !r.Frozen {
		return ""
	}
	return ", which is frozen: nothing more is served until it moves"
}

// seconds writes a wait as Retry-After has it: whole seconds, rounded up.
func seconds(wait time.Duration) string {
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}

// InWords lists, in their order, the rules that apply to requests for a verification request with a scenario, nil for none (spec 4.1
// and 4.2), and to webhooks about it. It names the fault or the global scenario.
func (r *Rules) InWords(id string, own *scenarios.Scenario) (all []string, err error) {
	faults, err := r.Active()
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if f.Rule.Verifies() && (f.Resource == "" || f.Resource == id) {
			all = append(all, f.Rule.String()+" ("+f.ID+")")
		}
	}
	if own != nil {
		for _, rule := range own.Rules {
			all = append(all, rule.String())
		}
	}
	for _, s := range r.Global {
		for _, rule := range s.Rules {
			if rule.Verifies() {
				all = append(all, rule.String()+" (scenario "+s.Name+", for every call)")
			}
		}
	}
	return all, nil
}
