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

// Call is what rules may depend on.
type Call struct {
	Operation Operation
	State     api.State // of its verification request when it arrives; "" when it has none
	Seed      uint64    // of the world
	Now       time.Time // of the world
}

// Counters are the counts that one scenario's rules depend on, of one resource or of a whole world.
type Counters struct {
	Calls    map[string]int       `json:"calls,omitempty"`    // by what is counted: an operation, and the states where a rule names some
	Applied  map[string]int       `json:"applied,omitempty"`  // how often rules with times have applied, by their number in the scenario
	Arrivals map[string]time.Time `json:"arrivals,omitempty"` // theoretical, by what is limited; see [Limit.Admit]
}

// Decision is what the rules of a scenario do to a call.
type Decision struct {
	Rule     *Rule         // that answers, nil when the resource does
	Call     int           // the number of the call by that rule's count, 0 when it counts none
	Delay    time.Duration // of all rules that applied, up to the one that answers; 10 minutes at most
	Delaying []*Rule       // those of them that delay
	Wait     time.Duration // until the limit of that rule admits another call
}

// Evaluate applies the rules to a call, from top to bottom: every rule that applies adds its delay, and the first that
// answers ends the search. It returns the counters after the call, and leaves those it was given as they are. counted is
// false when no later decision depends on this call; the counters are then unchanged and need not be stored.
func (s *Scenario) Evaluate(c Call, counters Counters) (d Decision, after Counters, counted bool) {
	admitted := map[string]time.Time{}
	var applied []string
	for i := range s.Rules {
		rule := &s.Rules[i]
		if !rule.meets(c) {
			continue
		}
		number := counters.Calls[rule.counter()] + 1
		if !s.applies(rule, i, number, c.Seed) || rule.exhausted(i, counters) {
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
		chance := 0.0
		if rule.Delay.drawn() {
			chance = s.chance(c.Seed, i, number, "delay")
		}
		if delay := rule.Delay.span(chance); delay > 0 {
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
	counts := s.counted(c, counters)
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

// incremented returns a copy of the counts with those of some names one higher.
func incremented(counts map[string]int, names []string) map[string]int {
	after := make(map[string]int)
	maps.Copy(after, counts)
	for _, name := range names {
		after[name]++
	}
	return after
}

// counted names the counts of calls that this one raises: those that a rule about it still depends on.
func (s *Scenario) counted(c Call, counters Counters) (names []string) {
	for i := range s.Rules {
		rule := &s.Rules[i]
		name := rule.counter()
		spent := rule.Calls.Last > 0 && counters.Calls[name] >= rule.Calls.Last // it applies to no later call
		if rule.counts() && rule.meets(c) && !spent && !rule.exhausted(i, counters) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
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

// exhausted reports whether rule i has applied as often as it may.
func (r *Rule) exhausted(i int, counters Counters) bool {
	return r.Times > 0 && counters.Applied[strconv.Itoa(i)] >= r.Times
}

// applies reports whether rule i applies to the call with that number.
func (s *Scenario) applies(rule *Rule, i, number int, seed uint64) bool {
	return (rule.Calls == (Calls{}) || rule.Calls.holds(number)) &&
		(rule.Every == 0 || number%rule.Every == 0) &&
		(rule.Probability == 0 || s.chance(seed, i, number, "rule") < float64(rule.Probability))
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
