package world

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
	Notes    []Note          // on the delay and the fault

	deliver *scenarios.Rule // of a webhook
}

// Note explains a delay or a fault of an answer.
type Note struct {
	Rules string // their positions, the same for every request that they apply to
	Text  string
}

// Prevents reports whether the operation is not carried out.
func (d Decision) Prevents() bool { return d.Answer != nil || d.Fault.Prevents() }

// ruleSet is a scenario whose rules apply to a request, and the name under which the world stores their counters.
type ruleSet struct {
	scenario *scenarios.Scenario
	counters string
}

// counterPrefix begins the names of stored counters of rules.
const counterPrefix = "calls/"

// Evaluate evaluates the rules for a request: the world's faults, then the rules of the resource's scenario, then the
// global rules. All of them count the request; the first one that answers decides.
func (tx *Tx) Evaluate(operation api.Operation, r Resource) (Decision, error) {
	sets, err := tx.ruleSets(r)
	if len(sets) == 0 {
		return Decision{}, err
	}
	call := scenarios.Call{Operation: operation}
	if r.kind == scenarios.VerificationRequestID {
		if v, err := tx.verification(r); err == nil {
			call.State = v.Progress.State
		}
	}
	return tx.evaluate(call, sets...)
}

// evaluateWebhook evaluates the rules for a webhook about a verification request: it announces a state, or "" for the end of
// its session. The rule that decides how it is delivered is Decision.deliver, nil for none.
func (tx *Tx) evaluateWebhook(r Resource, state api.State) (Decision, error) {
	sets, err := tx.ruleSets(r)
	if len(sets) == 0 {
		return Decision{}, err
	}
	return tx.evaluate(scenarios.Call{Webhook: true, State: state}, sets...)
}

// ruleSets returns the rules for a resource, in the order of their evaluation.
func (tx *Tx) ruleSets(r Resource) (sets []ruleSet, err error) {
	for _, f := range tx.record.Faults {
		if !f.concerns(r.id, tx.now) {
			continue
		}
		s, err := f.scenario()
		if err != nil {
			return nil, err
		}
		sets = append(sets, ruleSet{s, f.counters()})
	}
	s := r.magic
	if s == nil && r.request != nil {
		s = tx.catalogue.ByName(r.request.Scenario)
	}
	if s != nil && len(s.Rules) > 0 {
		sets = append(sets, ruleSet{s, counterPrefix + r.name})
	}
	for _, s := range tx.catalogue.ForKey(tx.keyName) {
		sets = append(sets, ruleSet{s, counterPrefix + "all/" + s.Name})
	}
	return sets, nil
}

// EvaluateSSN adds the rules of a credentials session's scenario, which its number selects, to a decision. Their answer in
// place of the session takes precedence over a fault of the decision.
func (tx *Tx) EvaluateSSN(operation api.Operation, d Decision, ssn api.SSN) (Decision, error) {
	s := tx.catalogue.BySSN(ssn)
	if s == nil || len(s.Rules) == 0 {
		return d, nil
	}
	later, err := tx.evaluate(scenarios.Call{Operation: operation, Delayed: d.Delay}, ruleSet{s, counterPrefix + "cs/" + s.Name})
	if d.Rule == "" || later.Prevents() {
		d.Scenario, d.Rule, d.Answer, d.Header, d.Fault = later.Scenario, later.Rule, later.Answer, later.Header, later.Fault
	}
	d.Delay += later.Delay
	d.Notes = slices.Concat(d.Notes, later.Notes)
	return d, err
}

// evaluate evaluates the rules of scenarios, and stores their counters.
func (tx *Tx) evaluate(call scenarios.Call, sets ...ruleSet) (d Decision, err error) {
	call.Seed, call.Now, call.Began = tx.fixtures.Seed, tx.now, tx.record.Created
	var faults []Note // after the delays
	for _, set := range sets {
		var counters scenarios.Counters
		if err := tx.values.Load(set.counters, &counters); err != nil {
			return d, err
		}
		decision, after, counted := set.scenario.Evaluate(call, counters)
		if counted {
			if _, err := tx.values.Save(set.counters, after); err != nil {
				return d, err
			}
		}
		if len(decision.Delaying) > 0 {
			d.Delay += decision.Delay
			call.Delayed += decision.Delay
			at := positions(decision.Delaying...)
			d.Notes = append(d.Notes, Note{at, fmt.Sprintf("scenario %s holds the answer back for %s, by its %s",
				set.scenario.Name, decision.Delay.Round(time.Microsecond), at)})
		}
		if decision.Rule == nil || d.Rule != "" {
			continue
		}
		d.Scenario, d.Rule, d.Fault = set.scenario.Name, decision.Rule.At.String(), decision.Rule.Fault
		if decision.Rule.Deliver != nil {
			d.deliver = decision.Rule
			continue
		}
		switch limited := decision.Rule.Limit != (scenarios.Limit{}); {
		case d.Fault == scenarios.NoFault && (limited || decision.Rule.Respond.Status > 0):
			d.Answer = tx.answer(set.scenario, decision)
		case d.Fault == scenarios.NoFault:
			d.Header = tx.header(nil, decision.Rule.Respond)
			faults = append(faults, Note{positions(decision.Rule), explain(set.scenario, decision, "changes the headers of the answer")})
		default:
			faults = append(faults, Note{positions(decision.Rule), explain(set.scenario, decision, "has the fault "+string(d.Fault))})
		}
	}
	d.Notes = append(d.Notes, faults...)
	return d, nil
}

// answer returns the answer of a rule in place of the resource.
func (tx *Tx) answer(s *scenarios.Scenario, decision scenarios.Decision) *api.Error {
	rule, respond := decision.Rule, cmp.Or(decision.Rule.Respond, new(scenarios.Response))
	answer := api.NewError(cmp.Or(respond.Status, tooManyRequests), explain(s, decision, "answers so"))
	if decision.Wait > 0 {
		answer.Diagnosis += ": above " + rule.Limit.String() + " on the world's clock" + tx.ifFrozen()
		answer.SetHeader("Retry-After", seconds(decision.Wait))
	}
	answer.Message = cmp.Or(respond.Message, answer.Message)
	if respond.Body != nil {
		answer.Body = []byte(respond.Body.Text)
	}
	answer.Header = tx.header(answer.Header, respond)
	return answer
}

// header returns headers with those that a rule sets, and without values those that it omits.
func (tx *Tx) header(usual http.Header, r *scenarios.Response) http.Header {
	header := make(http.Header)
	maps.Copy(header, usual)
	if r.Body != nil && r.Body.Text == "" {
		header["Content-Type"] = nil
	}
	if r.Status == http.StatusNoContent || r.Status == http.StatusNotModified {
		header["Content-Length"] = nil
	}
	if r.ContentType != "" {
		header.Set("Content-Type", r.ContentType)
	}
	for name, value := range r.Headers {
		header.Set(name, value)
	}
	for name, after := range r.Dates {
		header.Set(name, tx.now.Add(time.Duration(after)).UTC().Format(http.TimeFormat))
	}
	for _, name := range r.Omit {
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

// Admit counts a request against the world's rate limit. Above the limit it returns a 429.
func (tx *Tx) Admit() error {
	limit := tx.worlds.config.Limit
	if limit == (scenarios.Limit{}) {
		return nil
	}
	var arrival time.Time
	if err := tx.values.Load("limit", &arrival); err != nil {
		return err
	}
	next, wait := limit.Admit(arrival, tx.now)
	if wait > 0 {
		refusal := api.NewError(tooManyRequests, "rate limit "+limit.String()+" of this world, counted on its clock"+tx.ifFrozen())
		refusal.SetHeader("Retry-After", seconds(wait))
		return refusal
	}
	_, err := tx.values.Save("limit", next)
	return err
}

// ifFrozen explains a limit on a frozen clock.
func (tx *Tx) ifFrozen() string {
	if tx.record.Frozen == nil {
		return ""
	}
	return ", which is frozen: nothing more is served until it moves"
}

// seconds writes a wait as Retry-After has it: whole seconds, rounded up.
func seconds(wait time.Duration) string {
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}

// rules lists, in words and in their order, the rules that apply to requests for a verification request (spec 4.1 and
// 4.2): the world's faults that are on, the rules of its scenario, and the global rules. It names the fault or
// the global scenario.
func (tx *Tx) rules(v Verification) (all []string, err error) {
	faults, err := tx.faults()
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if f.Rule.Concerns(scenarios.VerificationRequestID) && (f.Resource == "" || f.Resource == v.ID) {
			all = append(all, f.Rule.String()+" ("+f.ID+")")
		}
	}
	if v.Scenario != nil {
		for _, rule := range v.Scenario.Rules {
			all = append(all, rule.String())
		}
	}
	for _, s := range tx.catalogue.ForKey(tx.keyName) {
		for _, rule := range s.Rules {
			if rule.Concerns(scenarios.VerificationRequestID) {
				all = append(all, rule.String()+" (scenario "+s.Name+", for every call)")
			}
		}
	}
	return all, nil
}
