package behavior

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

// Call is a call, or the delivery of a webhook, as rules see it.
type Call struct {
	Webhook   bool // and no operation: its State is the one that it announces, "" for the event of a session
	Operation api.Operation
	State     api.State     // of its verification request before the call; "" for other resources
	Seed      uint64        // of the world
	Now       time.Time     // of the world
	Began     time.Time     // the world, by its own clock
	Delayed   time.Duration // by the rules of other scenarios
}

// Counters are the counts that a scenario's rules depend on, for one resource or for a whole world.
type Counters struct {
	Calls    map[string]int       `json:"calls,omitempty"`    // by operation, and by the states where a rule names some; see [Rule.counter]
	Applied  map[string]int       `json:"applied,omitempty"`  // how often rules with times have applied, by their index
	Arrivals map[string]time.Time `json:"arrivals,omitempty"` // theoretical arrival times of limits; see [Limit.Admit]
}

// Decision is the effect of a scenario's rules on a call.
type Decision struct {
	Rule     *Rule         // the rule that answers; nil when the resource does
	Call     int           // the number of the call for that rule, 0 when it does not depend on one
	Delay    time.Duration // the sum of the rules that applied, with [Call].Delayed at most 10 minutes
	Delaying []*Rule       // the rules that delay
	Wait     time.Duration // until the limit of Rule admits another call
}

// Evaluate applies the rules of a scenario to a call, from top to bottom: every rule that applies adds its delay, and the first that
// answers ends the search. It returns the counters after the call and does not change those it is given. When no later
// decision depends on the call, counted is false and the counters are unchanged.
func Evaluate(name string, rules []Rule, c Call, counters Counters) (d Decision, after Counters, counted bool) {
	admitted := map[string]time.Time{}
	var applied []string
	for i := range rules {
		rule := &rules[i]
		if !rule.matches(c) {
			continue
		}
		number := counters.Calls[rule.counter()] + 1
		if !rule.applies(name, i, number, c) || rule.exhausted(i, counters) {
			continue
		}
		if rule.Limit != (Limit{}) {
			next, wait := rule.Limit.Admit(counters.Arrivals[rule.limited()], c.Now)
			if wait == 0 {
				admitted[rule.limited()] = next
				continue
			}
			d.Wait = wait
		}
		if rule.Times > 0 {
			applied = append(applied, strconv.Itoa(i))
		}
		uniform := 0.0
		if rule.Delay.random() {
			uniform = random(name, c.Seed, i, number, "delay")
		}
		if delay := rule.Delay.span(uniform); delay > 0 {
			d.Delay, d.Delaying = min(maxDelay-c.Delayed, d.Delay+delay), append(d.Delaying, rule)
		}
		if Answers(rule) {
			d.Rule = rule
			if CountsCalls(rule) {
				d.Call = number
			}
			break
		}
	}
	counts := countsOf(rules, c, counters)
	if len(admitted)+len(counts)+len(applied) == 0 {
		return d, counters, false
	}
	after = Counters{Calls: incremented(counters.Calls, counts), Applied: incremented(counters.Applied, applied), Arrivals: admitted}
	for name, arrival := range counters.Arrivals {
		if _, newer := admitted[name]; !newer {
			admitted[name] = arrival
		}
	}
	return d, after, true
}

// incremented returns a copy of the counts in which the names are one higher.
func incremented(counts map[string]int, names []string) map[string]int {
	after := make(map[string]int)
	maps.Copy(after, counts)
	for _, name := range names {
		after[name]++
	}
	return after
}

// countsOf returns the names of the counts that a call increments: those that a later decision may depend on.
func countsOf(rules []Rule, c Call, counters Counters) (names []string) {
	for i := range rules {
		rule := &rules[i]
		name := rule.counter()
		over := rule.Calls.Last > 0 && counters.Calls[name] >= rule.Calls.Last // no later call is in the range
		if CountsCalls(rule) && rule.matches(c) && !over && !rule.exhausted(i, counters) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// matches reports whether the operation and the state of a call are those of the rule.
func (r *Rule) matches(c Call) bool {
	if webhook := r.On == OnWebhook; webhook != c.Webhook {
		return false
	}
	return (c.Webhook || Covers(r.On, c.Operation)) && (len(r.State) == 0 || slices.Contains(r.State, c.State))
}

// CountsCalls reports whether the rule depends on the number of a call.
func CountsCalls(r *Rule) bool {
	return r.Calls != (calls{}) || r.Every > 0 || r.Probability > 0 || r.Delay.random()
}

// exhausted reports whether rule i has reached its limit of times.
func (r *Rule) exhausted(i int, counters Counters) bool {
	return r.Times > 0 && counters.Applied[strconv.Itoa(i)] >= r.Times
}

// applies reports whether the rule, number i of a scenario, applies to a call with that number.
func (r *Rule) applies(scenario string, i, number int, c Call) bool {
	age := offset(c.Now.Sub(c.Began))
	return (r.Between == nil || age >= r.Between[0] && age < r.Between[1]) && (r.Calls == (calls{}) || r.Calls.contains(number)) &&
		(r.Every == 0 || number%r.Every == 0) &&
		(r.Probability == 0 || random(scenario, c.Seed, i, number, "rule") < float64(r.Probability))
}

// Answers reports whether the rule ends the search.
func Answers(r *Rule) bool {
	return r.Respond != nil || r.Fault != NoFault || r.Limit != (Limit{}) || r.Deliver != nil
}

// counter returns the name of the rule's count in [Counters]. Rules with the same operation and states share a count.
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

// limited returns the name of the rule's arrival time in [Counters].
func (r *Rule) limited() string { return r.counter() + " at " + r.Limit.String() }

// random returns a number from 0 to below 1, derived from the seed, the scenario, the rule and the number of the call. It is
// the same in every run.
func random(scenario string, seed uint64, rule, number int, of string) float64 {
	digest := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %d %s", seed, scenario, rule, number, of))
	return float64(binary.BigEndian.Uint64(digest[:])>>11) / (1 << 53)
}
