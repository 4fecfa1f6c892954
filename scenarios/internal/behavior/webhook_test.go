package behavior_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// announced is the delivery of a webhook that announces a state.
func announced(state api.State) scenarios.Call {
	return scenarios.Call{Webhook: true, State: state, Seed: 1, Now: time.Unix(0, 0), Began: time.Unix(0, 0)}
}

// A rule on webhooks decides how one is delivered, by the conditions of other rules, and none of a call.
func TestEvaluateWebhook(t *testing.T) {
	t.Parallel()
	done, processing, session := announced(api.StateCompleted), announced(api.StateProcessing), announced("")
	for name, tt := range map[string]struct {
		rules []string
		calls []scenarios.Call
		want  string
	}{
		"each":             {[]string{"{on: webhook, deliver: twice}"}, []scenarios.Call{processing, done, session}, "twice, twice, twice"},
		"one state":        {[]string{"{on: webhook, state: completed, deliver: lost}"}, []scenarios.Call{processing, done, session}, "-, never, -"},
		"late":             {[]string{"{on: webhook, deliver: late}"}, []scenarios.Call{done}, "1h late"},
		"late by a span":   {[]string{"{on: webhook, deliver: {late: 1d}}"}, []scenarios.Call{done}, "24h late"},
		"the second":       {[]string{"{on: webhook, calls: 2, deliver: wrong-token}"}, []scenarios.Call{done, done, done}, "-, with a wrong token, -"},
		"every other":      {[]string{"{on: webhook, every: 2, deliver: out-of-order}"}, []scenarios.Call{done, done, done, done}, "-, after the next event, -, after the next event"},
		"once":             {[]string{"{on: webhook, times: 1, deliver: before-answer}"}, []scenarios.Call{done, done}, "before the answer, -"},
		"the first of two": {[]string{"{on: webhook, times: 1, deliver: lost}", "{on: webhook, deliver: twice}"}, []scenarios.Call{done, done}, "never, twice"},
		"calls do not count, and are not meant": {
			[]string{"{on: any, fault: empty}", "{on: webhook, calls: 1, deliver: lost}"}, []scenarios.Call{get, cancel, done, done}, "empty, empty, never, -",
		},
		"webhooks are no calls": {
			[]string{"{on: any, calls: 2, fault: empty}", "{on: webhook, deliver: lost}"}, []scenarios.Call{done, get, done, get}, "never, -, never, empty",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			var counters scenarios.Counters
			s := ruled(t, tt.rules...)
			for _, call := range tt.calls {
				var d scenarios.Decision
				d, counters, _ = s.Evaluate(call, counters)
				switch {
				case d.Rule == nil:
					got = append(got, "-")
				case d.Rule.Deliver == nil:
					got = append(got, string(d.Rule.Fault))
				default:
					got = append(got, strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(d.Rule.Deliver.String(), "delivered "), "never "), " delivered"))
				}
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(strings.Join(got, ", "), "delivered", "never")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The probability of a webhook is drawn from the seed.
func TestEvaluateWebhook_probability(t *testing.T) {
	t.Parallel()
	s := ruled(t, "{on: webhook, probability: 0.5, deliver: lost}")
	lost := func(seed uint64) (pattern string) {
		var counters scenarios.Counters
		for range 64 {
			call := announced(api.StateCompleted)
			call.Seed = seed
			var d scenarios.Decision
			d, counters, _ = s.Evaluate(call, counters)
			pattern += fmt.Sprint(d.Rule != nil)[:1]
		}
		return pattern
	}
	first, second, other := lost(1), lost(1), lost(2)
	if first != second || first == other || !strings.Contains(first, "t") || !strings.Contains(first, "f") {
		t.Errorf("seed 1: %s and %s, seed 2: %s", first, second, other)
	}
}
