package console

import "strings"

// synonyms are the words by which people look for what the catalogue calls otherwise, by a word of the name of a scenario,
// or a name.
var synonyms = map[string]string{
	"400":                     "bad request invalid body",
	"401":                     "unauthorized authentication wrong key",
	"403":                     "forbidden permission denied",
	"404":                     "not found missing unknown",
	"406":                     "not acceptable version accept header",
	"429":                     "rate limit limited throttled throttling too many requests",
	"451":                     "legal unavailable",
	"500":                     "internal server error crash outage",
	"501":                     "not implemented",
	"action-required":         "stuck waiting",
	"assets":                  "bank balance",
	"canceled":                "cancelled cancellation aborted",
	"cancel":                  "cancellation cancelling",
	"contractor":              "self-employed self employed freelance freelancer gig",
	"disputed":                "contested correction",
	"dribble":                 "slow late timeout streaming chunked",
	"empty":                   "no response hang up eof",
	"fault":                   "network broken outage",
	"flaky":                   "retry retries rate limit too many requests server error intermittent",
	"frequency":               "payroll pay schedule period",
	"furloughed":              "frozen suspended",
	"guarantor":               "co-signer cosigner",
	"invalid":                 "rejected error failed",
	"large":                   "big huge many long heavy",
	"lay":                     "unemployed fired laid off",
	"leave":                   "absent parental sick",
	"lifecycle":               "happy path poll polling progress workflow",
	"malformed":               "corrupt garbage broken parse",
	"multiple":                "several many jobs",
	"not-enough-information":  "unknown undecided missing incomplete",
	"not-qualified":           "unqualified declined denied rejected failed",
	"guarantor-not-qualified": "unqualified declined denied rejected failed",
	"null":                    "missing blank nil optional",
	"pending":                 "waiting consent stuck",
	"processing":              "stuck frozen waiting in progress never completes",
	"qualified":               "approved passed",
	"reset":                   "disconnect connection refused dropped",
	"retired":                 "pension pensioner",
	"separated":               "former terminated fired quit unemployed",
	"slow":                    "timeout late latency delay delayed hang",
	"stale":                   "old outdated expired late",
	"target":                  "consent applicant",
	"tenant":                  "rent rental landlord property",
	"timed":                   "clock time frozen late delay webhook",
	"truncated":               "partial incomplete cut broken",
	"variable":                "volatile volatility commission irregular",
	"zero":                    "no income nothing unpaid unemployed",
}

// synonymsOf returns the words by which people look for a scenario, beside its own.
func synonymsOf(name string) (all []string) {
	for word := range strings.SplitSeq(name, "-") {
		if also, ok := synonyms[word]; ok {
			all = append(all, also)
		}
	}
	if also, ok := synonyms[name]; ok && strings.Contains(name, "-") {
		all = append(all, also)
	}
	return all
}
