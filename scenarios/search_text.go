package scenarios

import (
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
)

// maxText bounds the text of a scenario that counts, in bytes.
const maxText = 8 << 10

// newCandidate returns what can be found of a scenario: what its file says, and synonyms.
func newCandidate(s *Scenario) *candidate {
	c := &candidate{scenario: s, exact: []string{s.Name}}
	add := func(name string, weight float64, text string) {
		c.fields = append(c.fields, searchField{name, weight, splitWords(text)})
	}
	file := path.Base(s.At.File)
	add("name", 10, s.Name)
	add("name", 10, strings.ReplaceAll(s.Name, "-", ""))
	add("title", 6, s.Title)
	if s.Magic.VerificationRequest == "" {
		c.order = 1 // requests are wanted most
	}
	for _, m := range s.MagicValues() {
		c.exact = append(c.exact, strings.ToLower(m.Value))
		add("magic value", 9, m.Value+" "+strings.ReplaceAll(m.Value, "-", ""))
		add("kind", 4, string(m.Kind))
	}
	add("file", 3, path.Base(path.Dir(s.At.File))+" "+strings.TrimSuffix(file, path.Ext(file)))
	for i := range s.Rules {
		add("rule", 3, s.Rules[i].String())
		if answer := s.Rules[i].Respond; answer != nil && answer.Status > 0 {
			add("status", 7, fmt.Sprintf("%d %dxx %s %s", answer.Status, answer.Status/100, http.StatusText(answer.Status), synonyms[strconv.Itoa(answer.Status)]))
		}
	}
	if s.VerificationRequest != nil {
		for _, step := range s.VerificationRequest.Timeline {
			add("state", 3, string(step.State))
		}
	}
	if len(s.Matrix) == 0 { // the text of a row of a matrix is costly, and has no more than its title
		text := s.Source()
		add("text", 1, text[:min(len(text), maxText)])
	}
	add("synonym", 8, synonyms[s.Name]+" "+synonyms[file])
	for part := range strings.SplitSeq(s.Name, "-") {
		if part != s.Name && !isNumber(part) {
			add("synonym", 7, synonyms[part])
		}
	}
	return c
}

// synonyms are the words of people for what scenarios do, where the scenarios have other words. They are by the name of a
// scenario, a word of names, a file, or a status.
var synonyms = map[string]string{
	"401":                     "authentication wrong key token login",
	"403":                     "permission denied",
	"404":                     "missing unknown",
	"406":                     "version accept header",
	"429":                     "rate limit limited throttled throttling quota",
	"451":                     "frozen locked",
	"500":                     "crash outage down",
	"action-required":         "stuck waiting",
	"all-null":                "missing blank nil optional",
	"assets":                  "bank balance account",
	"canceled":                "cancelation cancellation aborted",
	"contractor":              "self employed freelance freelancer gig",
	"credentials-session":     "ssn social security number any person derived default",
	"disputed":                "contested correction",
	"dribble":                 "slow timeout streaming chunked",
	"employment-status.yaml":  "job working",
	"empty":                   "hang up eof disconnect",
	"error":                   "failure fails failing",
	"fault":                   "network broken outage",
	"flaky":                   "retry retries once intermittent unstable",
	"furloughed":              "suspended",
	"garnishment":             "deduction child support",
	"guarantor":               "co signer cosigner",
	"invalid":                 "rejected failed",
	"large":                   "big huge many long heavy",
	"lay":                     "laid unemployed fired redundant",
	"leave-return":            "maternity paternity",
	"lifecycle":               "happy path poll polling progress workflow",
	"lifecycle-timed":         "clock late delay webhook wait",
	"malformed":               "corrupt garbage broken parse",
	"multiple-reports":        "several many jobs employers history",
	"not-enough-information":  "unknown undecided missing incomplete",
	"not-qualified":           "unqualified declined denied rejected failed",
	"guarantor-not-qualified": "unqualified declined denied rejected failed",
	"new-hire":                "just started recent recently tenure",
	"no-paystubs":             "without payslips missing",
	"pending-approval":        "waiting consent stuck",
	"processing":              "stuck waiting in progress never completes",
	"promotion":               "raise",
	"qualified":               "approved passed",
	"reset":                   "disconnect refused dropped econnreset",
	"retired":                 "pension pensioner",
	"separated":               "former terminated fired quit unemployed left",
	"slow":                    "timeout late latency delay hang",
	"stale":                   "old outdated expired",
	"target-approval":         "consent applicant",
	"tenant":                  "rent rental landlord",
	"tips":                    "waiter restaurant gratuity",
	"truncated":               "partial incomplete cut broken",
	"two-jobs":                "multiple several second employers jobs moonlighting",
	"variable":                "volatile volatility commission irregular fluctuating",
	"volatility":              "volatile variable",
	"zero-income":             "no unpaid unemployed without",
}
