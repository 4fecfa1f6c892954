package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Decision is what rules make of a request. The zero value leaves it to its resource.
type Decision struct {
	Scenario string          // whose rule decided; "" when none did
	Rule     string          // the position of that rule, file:line:column
	Answer   *api.Error      // what a rule answers in the place of the resource; nil when none does
	Fault    scenarios.Fault // of the connection
	Delay    time.Duration   // of the answer, in real time
	Notes    []Note          // what explains the delay and the fault
}

// Note explains what rules do on an answer's way.
type Note struct {
	Rules string // their positions, the same at every request that they meet
	Text  string
}

// Prevents reports whether the operation is not carried out.
func (d Decision) Prevents() bool { return d.Answer != nil || d.Fault.Prevents() }

// ruleSet is a scenario whose rules a request meets, and the name under which the world stores their counters.
type ruleSet struct {
	scenario *scenarios.Scenario
	counters string
}

// counterPrefix begins the names under which a world stores the counters of rules.
const counterPrefix = "calls/"

// Evaluate evaluates the rules that a request for a resource meets: the world's faults, then those of the resource's
// scenario, then those for every request. All of them count the request; the first that answers decides.
func (tx *Tx) Evaluate(operation scenarios.Operation, r Resource) (Decision, error) {
	var sets []ruleSet
	for _, f := range tx.record.Faults {
		if f.over(tx.now) {
			continue
		}
		s, err := f.scenario()
		if err != nil {
			return Decision{}, err
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
	if len(sets) == 0 {
		return Decision{}, nil
	}
	call := scenarios.Call{Operation: operation}
	if r.kind == scenarios.VerificationRequestID {
		if v, err := tx.verification(r); err == nil {
			call.State = v.Progress.State
		}
	}
	return tx.evaluate(call, sets...)
}

// EvaluateSSN adds to a decision what the rules of the scenario decide that a credentials session for a number follows. What
// they answer in the place of the session comes before a fault on its way.
func (tx *Tx) EvaluateSSN(d Decision, ssn api.SSN) (Decision, error) {
	s := tx.catalogue.BySSN(ssn)
	if s == nil || len(s.Rules) == 0 {
		return d, nil
	}
	later, err := tx.evaluate(scenarios.Call{Operation: scenarios.OnCreate}, ruleSet{s, counterPrefix + "cs/" + s.Name})
	if d.Rule == "" || later.Prevents() {
		d.Scenario, d.Rule, d.Answer, d.Fault = later.Scenario, later.Rule, later.Answer, later.Fault
	}
	d.Delay += later.Delay
	d.Notes = slices.Concat(d.Notes, later.Notes)
	return d, err
}

// evaluate evaluates the rules of scenarios, and counts the request by them.
func (tx *Tx) evaluate(call scenarios.Call, sets ...ruleSet) (d Decision, err error) {
	call.Seed, call.Now = tx.fixtures.Seed, tx.now
	var explained []Note // after the delays
	for _, set := range sets {
		var counters scenarios.Counters
		if err := tx.load(set.counters, &counters); err != nil {
			return d, err
		}
		ruled, after, counted := set.scenario.Evaluate(call, counters)
		if counted {
			if _, err := tx.save(set.counters, after); err != nil {
				return d, err
			}
		}
		if ruled.Delay > 0 {
			d.Delay += ruled.Delay
			at := positions(ruled.Delaying...)
			d.Notes = append(d.Notes, Note{at, fmt.Sprintf("scenario %s holds the answer back for %s, by its %s",
				set.scenario.Name, ruled.Delay.Round(time.Microsecond), at)})
		}
		if ruled.Rule == nil || d.Rule != "" {
			continue
		}
		d.Scenario, d.Rule, d.Fault = set.scenario.Name, ruled.Rule.At.String(), ruled.Rule.Fault
		if d.Fault == scenarios.NoFault {
			d.Answer = tx.answer(set.scenario, ruled)
		} else {
			explained = append(explained, Note{positions(ruled.Rule), explain(set.scenario, ruled, "has the fault "+string(d.Fault))})
		}
	}
	d.Notes = append(d.Notes, explained...)
	return d, nil
}

// answer returns what a rule answers in the place of the resource.
func (tx *Tx) answer(s *scenarios.Scenario, ruled scenarios.Decision) *api.Error {
	rule, status := ruled.Rule, tooManyRequests
	if rule.Respond != nil {
		status = rule.Respond.Status
	}
	answer := api.NewError(status, explain(s, ruled, "answers so"))
	if ruled.Wait > 0 {
		answer.Diagnosis += ": above " + rule.Limit.String() + " on the world's clock" + tx.ifFrozen()
		answer.SetHeader("Retry-After", seconds(ruled.Wait))
	}
	if rule.Respond != nil {
		if rule.Respond.Message != "" {
			answer.Message = rule.Respond.Message
		}
		for name, value := range rule.Respond.Headers {
			answer.SetHeader(name, value)
		}
	}
	return answer
}

// explain says what a scenario does, and by which rule.
func explain(s *scenarios.Scenario, ruled scenarios.Decision, does string) string {
	text := fmt.Sprintf("scenario %s %s, by its %s", s.Name, does, positions(ruled.Rule))
	if ruled.Call > 0 {
		text += fmt.Sprintf(", at call %d", ruled.Call)
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

// Admit counts a request against the world's rate limit. Its error for one that is above it is a 429.
func (tx *Tx) Admit() error {
	limit := tx.worlds.config.Limit
	if limit == (scenarios.Limit{}) {
		return nil
	}
	var arrival time.Time
	if err := tx.load("limit", &arrival); err != nil {
		return err
	}
	next, wait := limit.Admit(arrival, tx.now)
	if wait > 0 {
		refusal := api.NewError(tooManyRequests, "rate limit "+limit.String()+" of this world, counted on its clock"+tx.ifFrozen())
		refusal.SetHeader("Retry-After", seconds(wait))
		return refusal
	}
	_, err := tx.save("limit", next)
	return err
}

// ifFrozen says what a limit means on a clock that stands.
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

// rules says in words which rules requests for a verification request meet (spec 4.1 and 4.2), in their order: the world's
// faults that are not used up, those of its scenario, and the global ones. It names the origin of all but its scenario's.
func (tx *Tx) rules(v Verification) (all []string, err error) {
	met := []scenarios.Operation{scenarios.OnAny, scenarios.OnGet, scenarios.OnCancel}
	faults, err := tx.faults()
	if err != nil {
		return nil, err
	}
	for _, f := range faults {
		if slices.Contains(met, f.Rule.On) && !f.usedUp() {
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
			if slices.Contains(met, rule.On) {
				all = append(all, rule.String()+" (scenario "+s.Name+", for every call)")
			}
		}
	}
	return all, nil
}
