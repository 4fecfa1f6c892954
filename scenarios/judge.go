package scenarios

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Call is a call that rules are judged for.
type Call struct {
	Operation Operation
	State     api.State // in which it finds its verification request; "" when it has none
	Seed      uint64    // of the world
	Now       time.Time // of the world
}

// Tally is what has been counted of the calls that met a scenario in one place: for one resource, or in a whole world.
type Tally struct {
	Calls    map[string]int       `json:"calls,omitempty"`    // by what is counted: an operation, and the states where a rule names some
	Applied  map[string]int       `json:"applied,omitempty"`  // how often rules have been, by their number in the scenario
	Arrivals map[string]time.Time `json:"arrivals,omitempty"` // theoretical, by what is limited; see [Limit.Admit]
}

// Decision is what the rules of a scenario do to a call.
type Decision struct {
	Rule     *Rule         // that answers, nil when the resource does
	Call     int           // the number of the call by that rule's count, 0 when it counts none
	Delay    time.Duration // of all rules that were met, up to the one that answers; 10 minutes at most
	Delaying []*Rule       // those of them that make it
	Wait     time.Duration // until the limit of that rule admits another call
}

// Judge decides a call by the rules from top to bottom: every rule that applies delays it, the first that answers ends
// the search. It counts the call and returns the tally after it; counted is false when nothing that may yet come depends
// on this call, and then the tally is as before.
func (s *Scenario) Judge(c Call, tally Tally) (d Decision, after Tally, counted bool) {
	var admitted map[string]time.Time
	var applied []string
	for i := range s.Rules {
		rule := &s.Rules[i]
		if !rule.meets(c) {
			continue
		}
		number := tally.Calls[rule.counter()] + 1
		if !s.applies(rule, i, number, c.Seed) || rule.exhausted(i, tally) {
			continue
		}
		if rule.Limit != (Limit{}) {
			next, wait := rule.Limit.Admit(tally.Arrivals[rule.limited()], c.Now)
			if wait == 0 {
				if admitted == nil {
					admitted = make(map[string]time.Time)
				}
				admitted[rule.limited()] = next
				continue
			}
			d.Wait = wait
		}
		if rule.Times > 0 {
			applied = append(applied, strconv.Itoa(i))
		}
		if delay := s.delay(rule, i, number, c.Seed); delay > 0 {
			d.Delay, d.Delaying = min(maxDelay, d.Delay+delay), append(d.Delaying, rule)
		}
		if rule.answers() {
			d.Rule = rule
			if rule.counts() {
				d.Call = number
			}
			break
		}
	}
	counters := s.counters(c, tally)
	if len(admitted)+len(counters)+len(applied) == 0 {
		return d, tally, false
	}
	return d, tally.with(counters, applied, admitted), true
}

// with returns the tally after a call that was counted, to which rules were applied and which limits admitted.
func (t Tally) with(counters, applied []string, admitted map[string]time.Time) Tally {
	after := Tally{Calls: more(t.Calls, counters), Applied: more(t.Applied, applied), Arrivals: make(map[string]time.Time)}
	maps.Copy(after.Arrivals, t.Arrivals)
	maps.Copy(after.Arrivals, admitted)
	return after
}

// more returns counts with those of some names one higher.
func more(counts map[string]int, names []string) map[string]int {
	after := make(map[string]int)
	maps.Copy(after, counts)
	for _, name := range names {
		after[name]++
	}
	return after
}

// counters returns what must be counted of a call: what a rule that the call meets still depends on.
func (s *Scenario) counters(c Call, tally Tally) (names []string) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		name := rule.counter()
		if rule.counts() && rule.meets(c) && !rule.spent(tally.Calls[name]) && !rule.exhausted(i, tally) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// MindsState reports whether the state of the verification request makes a difference to the scenario's rules.
func (s *Scenario) MindsState() bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool { return len(r.State) > 0 })
}

// meets reports whether the rule is about such calls.
func (r *Rule) meets(c Call) bool {
	return r.meetsOperation(c.Operation) && (len(r.State) == 0 || slices.Contains(r.State, c.State))
}

func (r *Rule) meetsOperation(op Operation) bool { return r.On == op || r.On == OnAny }

// counts reports whether the rule depends on the number of a call.
func (r *Rule) counts() bool {
	return r.Calls != (Calls{}) || r.Every > 0 || r.Probability > 0 || r.Delay.drawn()
}

// spent reports whether the rule applies to no call after so many.
func (r *Rule) spent(calls int) bool { return r.Calls.Last > 0 && calls >= r.Calls.Last }

// exhausted reports whether the rule, the so manieth of its scenario, has applied as often as it may.
func (r *Rule) exhausted(index int, tally Tally) bool {
	return r.Times > 0 && tally.Applied[strconv.Itoa(index)] >= r.Times
}

// applies reports whether a rule, the so manieth of the scenario, applies to the call of a number.
func (s *Scenario) applies(rule *Rule, index, number int, seed uint64) bool {
	return (rule.Calls == (Calls{}) || rule.Calls.holds(number)) &&
		(rule.Every == 0 || number%rule.Every == 0) &&
		(rule.Probability == 0 || s.chance(seed, index, number, "rule") < float64(rule.Probability))
}

// delay returns for how long a rule holds the call of a number back.
func (s *Scenario) delay(rule *Rule, index, number int, seed uint64) time.Duration {
	if !rule.Delay.drawn() {
		return rule.Delay.span(0)
	}
	return rule.Delay.span(s.chance(seed, index, number, "delay"))
}

// answers reports whether the rule ends the search.
func (r *Rule) answers() bool { return r.Respond != nil || r.Fault != NoFault || r.Limit != (Limit{}) }

// counter names what the rule counts. Rules that are about the same calls count together.
func (r *Rule) counter() string {
	if len(r.State) == 0 {
		return string(r.On)
	}
	return string(r.On) + " in " + r.states(",")
}

// states lists the rule's states in alphabetical order.
func (r *Rule) states(separator string) string {
	names := make([]string, len(r.State))
	for i, state := range r.State {
		names[i] = string(state)
	}
	slices.Sort(names)
	return strings.Join(names, separator)
}

// limited names what the rule limits.
func (r *Rule) limited() string { return r.counter() + " at " + r.Limit.String() }

// chance draws a number from 0 to below 1 from the seed, the scenario, the rule and the number of the call: the same in
// every run.
func (s *Scenario) chance(seed uint64, rule, number int, of string) float64 {
	digest := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %d %s", seed, s.Name, rule, number, of))
	return float64(binary.BigEndian.Uint64(digest[:])>>11) / (1 << 53)
}
