package behavior_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/scenarios/internal/behavior"
)

func TestRuleString(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"{on: any, respond: {status: 500, content_type: text/html, body: <b>}}":             "every call: 500 Internal Server Error with a body of its own as text/html",
		"{on: get, respond: {status: 200, body: none}}":                                     "every get: 200 OK without a body",
		"{on: get, respond: {content_type: text/plain, omit: [Date]}}":                      "every get: the answer as text/plain without Date",
		"{on: get, limit: 1/s, respond: {omit: Retry-After}}":                               "every get above 1/1s: 429 Too Many Requests without Retry-After",
		"{on: webhook, deliver: twice}":                                                     "every webhook: delivered twice",
		"{on: webhook, state: completed, times: 1, deliver: lost}":                          "every webhook while completed, once: never delivered",
		"{on: webhook, calls: 1, deliver: {late: 2h}}":                                      "the first webhook: delivered 2h late",
		"{on: webhook, calls: 2-3, deliver: out-of-order}":                                  "webhooks 2-3: delivered after the next event",
		"{on: webhook, calls: 2, deliver: wrong-token}":                                     "webhook 2: delivered with a wrong token",
		"{on: webhook, every: 2, calls: 4-, deliver: before-answer}":                        "every 2nd webhook of webhooks 4-: delivered before the answer",
		"{on: any, respond: {status: 500}}":                                                 "every call: 500 Internal Server Error",
		"{on: any qualification_check, respond: {status: 500}}":                             "every call of qualification_check: 500 Internal Server Error",
		"{on: any tenant_property, calls: 1, respond: {status: 500}}":                       "the first call of tenant_property: 500 Internal Server Error",
		"{on: get qualification_check, every: 3, respond: {status: 500}}":                   "every 3rd get qualification_check: 500 Internal Server Error",
		"{on: get, calls: 2-3, respond: {status: 429}}":                                     "calls 2-3 of get: 429 Too Many Requests",
		"{on: cancel, calls: 1, fault: empty}":                                              "the first call of cancel: fault empty",
		"{on: get, calls: 4-, delay: {between: [50ms, 250ms]}}":                             "from call 4 of get: delayed by 50ms to 250ms",
		"{on: get, every: 22, respond: {status: 501}}":                                      "every 22nd get: 501 Not Implemented",
		"{on: any, every: 11, calls: 1-40, fault: dribble}":                                 "every 11th call of calls 1-40: fault dribble",
		"{on: get, state: [processing, completed], delay: {fixed: 90s}}":                    "every get while completed or processing: delayed by 1m30s",
		"{on: get, probability: 0.1, respond: {status: 500}}":                               "every get, with probability 0.1: 500 Internal Server Error",
		"{on: update, limit: 10/s}":                                                         "every update above 10/1s: 429 Too Many Requests",
		"{on: get, delay: {lognormal: {median: 80ms, sigma: 0.4}}, respond: {status: 500}}": "every get: delayed by about 80ms (log-normal, sigma 0.4), 500 Internal Server Error",
	} {
		if got := ruled(t, rule).Rules[0].String(); got != want {
			t.Errorf("%s\n is %q\nwant %q", rule, got, want)
		}
	}
}

// Every value of on names an operation of the API, and a rule can be on each: by its verb, alone and with its resource.
func TestOperationValues(t *testing.T) {
	t.Parallel()
	values, rows := scenarios.Operation("").Values(), api.Operations()
	for _, op := range rows {
		resource := strings.ReplaceAll(op.Resource, " ", "_")
		for _, on := range []string{op.Verb, op.Verb + " " + resource, "any " + resource} {
			if !slices.Contains(values, scenarios.Operation(on)) {
				t.Errorf("%s: no rule can be on: %s: rule.go lacks the verb or the resource", op.Name, on)
			}
		}
	}
	for _, on := range values {
		if on != behavior.OnWebhook && !slices.ContainsFunc(rows, func(op api.Operation) bool { return behavior.Covers(on, op) }) {
			t.Errorf("no call is a call of %s", on)
		}
	}
}
