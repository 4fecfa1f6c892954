package behavior_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestEvaluateBetween(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, calls: 2, between: [2h, P1D], respond: {status: 500}}", "{on: get, between: [0s, 1h], respond: {status: 501}}")
	var all []scenarios.Call
	for _, age := range []time.Duration{0, time.Hour - 1, time.Hour, 2*time.Hour - 1, 24 * time.Hour} {
		all = append(all, scenarios.Call{Operation: get.Operation, Began: now, Now: now.Add(age)})
	}
	if diff := cmp.Diff([]int{501, 501, 200, 200, 200}, calls(t, s, all...)); diff != "" {
		t.Error(diff)
	}
	all[1].Now = now.Add(2 * time.Hour)
	if diff := cmp.Diff([]int{501, 500, 200, 200, 200}, calls(t, s, all...)); diff != "" {
		t.Error(diff)
	}
	if got := s.Rules[0].String(); got != "call 2 of get from 2h to before 24h after the world began: 500 Internal Server Error" {
		t.Error(got)
	}
}

// ruled parses a scenario with rules.
func ruled(t testing.TB, rules ...string) *scenarios.Scenario {
	t.Helper()
	return parseOne(t, "name: s\ntitle: t\nmagic: {verification_request: vr_s, tenant_property: tp_s, qualification_check: qc_s, ssn: any}\nrules:\n  - "+strings.Join(rules, "\n  - ")+"\n")
}

func parseOne(t testing.TB, file string) *scenarios.Scenario {
	t.Helper()
	found, problems := scenarios.Parse("s.yaml", []byte(file))
	if len(problems) > 0 || len(found) != 1 {
		t.Fatalf("%d scenarios, %v", len(found), problems)
	}
	return found[0]
}

// calls evaluates calls one after another, stores the counters in between, and returns the status of each: 200 when no rule
// answers.
func calls(t testing.TB, s *scenarios.Scenario, all ...scenarios.Call) (statuses []int) {
	t.Helper()
	var counters scenarios.Counters
	for _, c := range all {
		d, after, counted := s.Evaluate(c, counters)
		stored, err := json.Marshal(after)
		if err != nil {
			t.Fatal(err)
		}
		if counted {
			counters = scenarios.Counters{}
			if err := json.Unmarshal(stored, &counters); err != nil {
				t.Fatal(err)
			}
		}
		statuses = append(statuses, statusOf(d))
	}
	return statuses
}

func statusOf(d scenarios.Decision) int {
	switch {
	case d.Rule == nil:
		return 200
	case d.Rule.Respond == nil:
		return 429
	}
	return d.Rule.Respond.Status
}

func times(n int, c scenarios.Call) (all []scenarios.Call) {
	for range n {
		all = append(all, c)
	}
	return all
}

var (
	get     = scenarios.Call{Operation: operation("getVerificationRequest"), State: api.StateProcessing, Seed: 1}
	cancel  = scenarios.Call{Operation: operation("cancelVerificationRequest"), State: api.StateProcessing, Seed: 1}
	check   = scenarios.Call{Operation: operation("getQualificationCheck"), Seed: 1}
	update  = scenarios.Call{Operation: operation("updateTenantProperty"), Seed: 1}
	session = scenarios.Call{Operation: operation("createCredentialsSession"), Seed: 1}
)

// operation returns the operation of a name.
func operation(name string) api.Operation {
	all := api.Operations()
	return all[slices.IndexFunc(all, func(op api.Operation) bool { return op.Name == name })]
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	done := get
	done.State = api.StateCompleted
	for name, tt := range map[string]struct {
		rules []string
		calls []scenarios.Call
		want  []int
	}{
		"the first matching rule answers": {
			[]string{"{on: cancel, respond: {status: 400}}", "{on: any, respond: {status: 500}}", "{on: get, respond: {status: 403}}"},
			[]scenarios.Call{cancel, get, update}, []int{400, 500, 500},
		},
		"a call without a rule goes to the resource": {
			[]string{"{on: cancel, respond: {status: 400}}"}, []scenarios.Call{get}, []int{200},
		},
		"one call by its number": {
			[]string{"{on: get, calls: 2, respond: {status: 500}}"}, times(4, get), []int{200, 500, 200, 200},
		},
		"a range of calls": {
			[]string{"{on: get, calls: 2-3, respond: {status: 500}}"}, times(5, get), []int{200, 500, 500, 200, 200},
		},
		"a range without end": {
			[]string{"{on: get, calls: 3-, respond: {status: 500}}"}, times(5, get), []int{200, 200, 500, 500, 500},
		},
		"every n-th call": {
			[]string{"{on: get, every: 3, respond: {status: 500}}"}, times(7, get), []int{200, 200, 500, 200, 200, 500, 200},
		},
		"every second call of a range": {
			[]string{"{on: get, calls: 1-4, every: 2, respond: {status: 500}}"}, times(7, get), []int{200, 500, 200, 500, 200, 200, 200},
		},
		"operations are counted separately": {
			[]string{"{on: get, calls: 2, respond: {status: 500}}", "{on: cancel, calls: 1, respond: {status: 403}}"},
			[]scenarios.Call{get, cancel, get, cancel}, []int{200, 403, 500, 200},
		},
		"any counts all operations together": {
			[]string{"{on: any, calls: 3, respond: {status: 500}}"}, []scenarios.Call{get, update, cancel, get}, []int{200, 200, 500, 200},
		},
		"a call that another rule answers is counted too": {
			[]string{"{on: get, calls: 1, respond: {status: 500}}", "{on: get, calls: 2, respond: {status: 429}}"}, times(3, get), []int{500, 429, 200},
		},
		"a rule for reads of one kind": {
			[]string{"{on: get qualification_check, calls: 2, respond: {status: 500}}"}, []scenarios.Call{check, get, check, get, check}, []int{200, 200, 500, 200, 200},
		},
		"a rule for every call of one kind": {
			[]string{"{on: any verification_request, respond: {status: 500}}"}, []scenarios.Call{check, get, cancel, update, session}, []int{200, 500, 500, 200, 200},
		},
		"a rule for every session": {
			[]string{"{on: create credentials_session, respond: {status: 500}}"}, []scenarios.Call{check, session}, []int{200, 500},
		},
		"a rule without a kind is for all kinds": {
			[]string{"{on: get, calls: 2-, respond: {status: 500}}"}, []scenarios.Call{check, get, check}, []int{200, 500, 500},
		},
		"a rule for a state": {
			[]string{"{on: get, state: processing, respond: {status: 500}}"}, []scenarios.Call{get, done, update}, []int{500, 200, 200},
		},
		"a rule for several states": {
			[]string{"{on: get, state: [invalid, completed], respond: {status: 500}}"}, []scenarios.Call{get, done}, []int{200, 500},
		},
		"calls in a state are counted separately": {
			[]string{"{on: get, state: completed, calls: 1, respond: {status: 500}}"}, []scenarios.Call{get, get, done, done}, []int{200, 200, 500, 200},
		},
		"each rule counts the calls in its own states": {
			[]string{"{on: get, state: completed, calls: 1, respond: {status: 500}}", "{on: get, state: processing, calls: 1, respond: {status: 429}}"},
			[]scenarios.Call{get, done, get, done}, []int{429, 500, 200, 200},
		},
		"a rule with times": {
			[]string{"{on: get, every: 2, times: 2, respond: {status: 500}}"}, times(8, get), []int{200, 500, 200, 500, 200, 200, 200, 200},
		},
		"a call that another rule answers does not count for times": {
			[]string{"{on: get, calls: 1, respond: {status: 429}}", "{on: get, times: 1, respond: {status: 500}}"}, times(3, get), []int{429, 500, 200},
		},
		"a probability of 1": {
			[]string{"{on: get, probability: 1, respond: {status: 500}}"}, times(3, get), []int{500, 500, 500},
		},
		"a delay answers nothing": {
			[]string{"{on: get, delay: {fixed: 1s}}", "{on: get, respond: {status: 500}}"}, times(1, get), []int{500},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, calls(t, ruled(t, tt.rules...), tt.calls...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A call that no later decision depends on is not counted, and costs no write.
func TestEvaluateCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rule    string
		calls   int // before the one in question
		counted bool
	}{
		"a rule for all calls":                  {"{on: get, respond: {status: 500}}", 0, false},
		"a rule for another operation":          {"{on: cancel, calls: 1, respond: {status: 500}}", 0, false},
		"the last call of a range":              {"{on: get, calls: 2-3, respond: {status: 500}}", 2, true},
		"a call after the range":                {"{on: get, calls: 2-3, respond: {status: 500}}", 3, false},
		"a call in a range without end":         {"{on: get, calls: 2-, respond: {status: 500}}", 9, true},
		"a fixed delay":                         {"{on: get, delay: {fixed: 1s}}", 0, false},
		"a random delay":                        {"{on: get, delay: {between: [1s, 2s]}}", 0, true},
		"a probability":                         {"{on: get, probability: 0.5, respond: {status: 500}}", 7, true},
		"a limit":                               {"{on: get, limit: 10/s}", 0, true},
		"a call that a limit refuses":           {"{on: get, limit: 1/s}", 1, false},
		"a rule that has reached its times":     {"{on: get, times: 2, respond: {status: 500}}", 2, false},
		"a rule that has not reached its times": {"{on: get, times: 2, respond: {status: 500}}", 1, true},
		"a rule for another state":              {"{on: get, state: completed, calls: 1, respond: {status: 500}}", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ruled(t, tt.rule)
			var counters scenarios.Counters
			for range tt.calls {
				_, counters, _ = s.Evaluate(get, counters)
			}
			if _, after, counted := s.Evaluate(get, counters); counted != tt.counted || !counted && !cmp.Equal(counters, after) {
				t.Errorf("counted: %t, want %t: from %+v to %+v", counted, tt.counted, counters, after)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	at := func(seconds int) scenarios.Call {
		c := get
		c.Now = time.Date(2025, 1, 15, 9, 30, seconds, 0, time.UTC)
		return c
	}
	s := ruled(t, "{on: get, limit: 2/10s}")
	got := calls(t, s, at(0), at(0), at(0), at(4), at(5), at(5), at(60), at(60), at(60))
	if diff := cmp.Diff([]int{200, 200, 429, 429, 200, 429, 200, 200, 429}, got); diff != "" {
		t.Error(diff)
	}
	d, _, _ := s.Evaluate(at(0), scenarios.Counters{Arrivals: map[string]time.Time{"get at 2/10s": at(10).Now}})
	if d.Wait != 5*time.Second {
		t.Errorf("the wait is %v, want 5s until the next is admitted", d.Wait)
	}
}

// At 5/s a sixth call at one instant waits for 200 ms: a wait below a second is a wait, and ends when it says.
func TestLimitBelowSecond(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, limit: 5/s}")
	var counters scenarios.Counters
	c := get
	c.Now = now
	for range 5 {
		_, counters, _ = s.Evaluate(c, counters)
	}
	for after, want := range map[time.Duration]time.Duration{0: 200 * time.Millisecond, 199 * time.Millisecond: time.Millisecond, 200 * time.Millisecond: 0} {
		c.Now = now.Add(after)
		if d, _, _ := s.Evaluate(c, counters); d.Wait != want || (d.Rule == nil) != (want == 0) {
			t.Errorf("after %v the wait is %v, want %v", after, d.Wait, want)
		}
	}
}

// Limits of the same rate count apart for each operation.
func TestLimitOfEachOperation(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, limit: 1/s}", "{on: cancel, limit: 1/s}")
	if diff := cmp.Diff([]int{200, 200, 429, 429}, calls(t, s, get, cancel, get, cancel)); diff != "" {
		t.Error(diff)
	}
}

func TestLimitRespond(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, limit: 1/s, respond: {status: 500}}")
	if diff := cmp.Diff([]int{200, 500}, calls(t, s, times(2, get)...)); diff != "" {
		t.Error(diff)
	}
}

func TestProbability(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, probability: 0.1, respond: {status: 500}}")
	first := calls(t, s, times(2000, get)...)
	if diff := cmp.Diff(first, calls(t, s, times(2000, get)...)); diff != "" {
		t.Errorf("another run: %s", diff)
	}
	failed := 0
	for _, status := range first {
		if status == 500 {
			failed++
		}
	}
	if failed < 150 || failed > 250 { // 200 ± 3.7 standard deviations
		t.Errorf("%d of 2000 calls failed at a probability of 0.1", failed)
	}
	other := get
	other.Seed = 2
	if cmp.Equal(first, calls(t, s, times(2000, other)...)) {
		t.Error("another seed has the same calls fail")
	}
	renamed := *s
	renamed.Name = "another"
	if cmp.Equal(first, calls(t, &renamed, times(2000, get)...)) {
		t.Error("another scenario has the same calls fail")
	}
	twice := ruled(t, "{on: get, probability: 0.1, respond: {status: 500}}", "{on: get, probability: 0.1, respond: {status: 429}}")
	if second := calls(t, twice, times(2000, get)...); !cmp.Equal(first, onlyStatus(second, 500)) || !slices.Contains(second, 429) {
		t.Error("a second rule has the same random numbers")
	}
}

func onlyStatus(statuses []int, status int) []int {
	only := make([]int, len(statuses))
	for i, s := range statuses {
		only[i] = 200
		if s == status {
			only[i] = s
		}
	}
	return only
}

// delays returns the delay of each of n calls.
func delays(s *scenarios.Scenario, n int) (all []time.Duration) {
	var counters scenarios.Counters
	var d scenarios.Decision
	for range n {
		d, counters, _ = s.Evaluate(get, counters)
		all = append(all, d.Delay)
	}
	return all
}

func TestDelay(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]time.Duration{3 * time.Second, 3 * time.Second}, delays(ruled(t, "{on: get, delay: {fixed: 3s}}"), 2)); diff != "" {
		t.Errorf("fixed: %s", diff)
	}
	sum := ruled(t, "{on: get, delay: {fixed: 1s}}", "{on: any, delay: {fixed: 2s}, respond: {status: 500}}", "{on: any, delay: {fixed: 9s}}")
	if diff := cmp.Diff([]time.Duration{3 * time.Second}, delays(sum, 1)); diff != "" {
		t.Errorf("all up to the rule that answers: %s", diff)
	}
	between := ruled(t, "{on: get, delay: {between: [50ms, 250ms]}}")
	seen := make(map[bool]int)
	for _, d := range delays(between, 1000) {
		if d < 50*time.Millisecond || d > 250*time.Millisecond {
			t.Fatalf("between 50ms and 250ms: %v", d)
		}
		seen[d < 150*time.Millisecond]++
	}
	if seen[true] < 420 || seen[false] < 420 {
		t.Errorf("between: %d below the middle, %d above", seen[true], seen[false])
	}
	if diff := cmp.Diff(delays(between, 50), delays(between, 50)); diff != "" {
		t.Errorf("another run: %s", diff)
	}
}

// The delays of all scenarios together are at most ten minutes.
func TestDelayOfAllScenarios(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, delay: {fixed: 2m}}", "{on: get, delay: {fixed: 3m}}")
	for delayed, want := range map[time.Duration]time.Duration{0: 5 * time.Minute, 5 * time.Minute: 5 * time.Minute, 6 * time.Minute: 4 * time.Minute, 10 * time.Minute: 0} {
		c := get
		c.Delayed = delayed
		if d, _, _ := s.Evaluate(c, scenarios.Counters{}); d.Delay != want {
			t.Errorf("after a delay of %v by other scenarios this one adds %v, want %v", delayed, d.Delay, want)
		}
	}
}

// Whether a rule applies says nothing about the delay that it draws.
func TestDelayIndependentOfProbability(t *testing.T) {
	t.Parallel()
	short, long := 0, 0
	for _, d := range delays(ruled(t, "{on: get, probability: 0.5, delay: {between: [1s, 3s]}}"), 400) {
		switch {
		case d > 2*time.Second:
			long++
		case d > 0:
			short++
		}
	}
	if short < 60 || long < 60 { // of about 200
		t.Errorf("%d delays below the middle, %d above", short, long)
	}
}

func TestDelayLogNormal(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: get, delay: {lognormal: {median: 80ms, sigma: 0.4, max: 200ms}}}")
	below, within, atMax := 0, 0, 0
	for _, d := range delays(s, 4000) {
		if d < 80*time.Millisecond {
			below++
		}
		if d > 53626*time.Microsecond && d < 119346*time.Microsecond { // one sigma: a factor of e^0.4
			within++
		}
		if d == 200*time.Millisecond {
			atMax++
		}
		if d < 0 || d > 200*time.Millisecond {
			t.Fatalf("a delay of %v", d)
		}
	}
	if below < 1880 || below > 2120 || within < 2620 || within > 2840 || atMax == 0 {
		t.Errorf("of 4000: %d below the median, %d within a sigma, %d at the maximum", below, within, atMax)
	}
}

// A rule with a range applies exactly to the calls of the range, whatever other rules there are.
func TestCallsRange(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(1, 6).Draw(t, "first")
		last := rapid.IntRange(first, 8).Draw(t, "last")
		other := rapid.IntRange(1, 9).Draw(t, "other")
		found, problems := scenarios.Parse("s.yaml", fmt.Appendf(nil, `{name: s, title: t, magic: {verification_request: vr_s}, rules: [
			{on: cancel, calls: %d, respond: {status: 403}},
			{on: get, calls: %d-%d, respond: {status: 500}}]}`, other, first, last))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		ops := rapid.SliceOfN(rapid.SampledFrom([]scenarios.Call{get, cancel}), 0, 20).Draw(t, "calls")
		gets := 0
		var counters scenarios.Counters
		for i, c := range ops {
			d, after, _ := found[0].Evaluate(c, counters)
			counters = after
			if c.Operation.Name != get.Operation.Name {
				continue
			}
			gets++
			if want := gets >= first && gets <= last; (d.Rule != nil) != want {
				t.Fatalf("call %d, read %d of range %d-%d: %+v", i, gets, first, last, d)
			}
		}
	})
}
