package scenarios_test

import "testing"

func TestRulesAreToldInWords(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		"{on: any, respond: {status: 500}}":                                                 "every call: 500 Internal Server Error",
		"{on: get, calls: 2-3, respond: {status: 429}}":                                     "calls 2-3 of get: 429 Too Many Requests",
		"{on: cancel, calls: 1, fault: empty}":                                              "the first call of cancel: fault empty",
		"{on: get, calls: 4-, delay: {between: [50ms, 250ms]}}":                             "from call 4 of get: held back for 50ms to 250ms",
		"{on: get, every: 22, respond: {status: 501}}":                                      "every 22nd get: 501 Not Implemented",
		"{on: any, every: 11, calls: 1-40, fault: dribble}":                                 "every 11th call of calls 1-40: fault dribble",
		"{on: get, state: [processing, completed], delay: {fixed: 90s}}":                    "every get while completed or processing: held back for 1m30s",
		"{on: get, probability: 0.1, respond: {status: 500}}":                               "every get, with probability 0.1: 500 Internal Server Error",
		"{on: update, limit: 10/s}":                                                         "every update above 10/1s: 429 Too Many Requests",
		"{on: get, delay: {lognormal: {median: 80ms, sigma: 0.4}}, respond: {status: 500}}": "every get: held back for about 80ms (log-normal, sigma 0.4), 500 Internal Server Error",
	} {
		if got := ruled(t, rule).Rules[0].String(); got != want {
			t.Errorf("%s\n is %q\nwant %q", rule, got, want)
		}
	}
}
