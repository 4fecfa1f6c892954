package scenarios

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// validateRule finds a rule that nothing can meet, that does nothing, or that says two things at once.
func (d *decoder) validateRule(rule Rule, s *Scenario) {
	if rule.On == "" {
		d.reject(rule.At, "a rule needs an operation: on: any, get, cancel, update or create")
	} else if !slices.ContainsFunc(s.operations(), rule.meetsOperation) {
		d.reject(rule.At, "no magic value of this scenario is ever asked to %s", rule.On)
	}
	if len(rule.State) > 0 && !s.Magic.verifies() {
		d.reject(rule.At, "state is that of a verification request, and no magic value of this scenario leads to one")
	}
	if rule.Every < 0 {
		d.reject(rule.At, "every may not be negative: every: 5 is the fifth call, the tenth and so on")
	}
	switch {
	case rule.Respond != nil && rule.Fault != NoFault:
		d.reject(rule.At, "a rule has one answer: respond or fault")
	case rule.Limit != (Limit{}) && rule.Fault != NoFault:
		d.reject(rule.At, "what a limit refuses is answered: give it respond, or no answer for a 429")
	case rule.Limit != (Limit{}) && rule.counts():
		d.reject(rule.At, "a limit counts for itself: it goes with on, state and respond only")
	case !rule.answers() && rule.Delay == nil:
		d.reject(rule.At, "a rule needs what it does, such as respond: {status: 500}, delay: {fixed: 1s} or fault: connection-reset")
	}
	if rule.Respond != nil {
		d.validateResponse(rule, s)
	}
}

// What a rule may send as a header.
var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$")
	headerValue = regexp.MustCompile(`^[ -~]{0,1000}$`)
)

// ownHeaders are those that make an answer what it is.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Trailer", "Transfer-Encoding", "Upgrade"}

func (d *decoder) validateResponse(rule Rule, s *Scenario) {
	status := rule.Respond.Status
	if status < 400 || status > 599 {
		d.reject(rule.At, "a rule answers with an error status from 400 to 599: respond: {status: 500}")
		return
	}
	for _, op := range s.operations() {
		if rule.meetsOperation(op) && !slices.Contains(op.statuses(), status) {
			d.warn(rule.At, "%d is not among the statuses that the spec lists for %s: %v", status, op, op.statuses())
		}
	}
	for name, value := range rule.Respond.Headers {
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !headerName.MatchString(name):
			d.reject(rule.At, "%s is not the name of a header", api.Quote(name))
		case slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Understudy-"):
			d.reject(rule.At, "the header %s is the emulator's to set", canonical)
		case !headerValue.MatchString(value):
			d.reject(rule.At, "the header %s may have up to 1000 printable ASCII characters", canonical)
		}
	}
}

// operations lists what can be asked of the scenario's magic values, of anything when it is worldwide.
func (s *Scenario) operations() (ops []Operation) {
	worldwide := s.Worldwide()
	for _, possible := range []struct {
		op Operation
		is bool
	}{
		{OnGet, worldwide || s.Magic.verifies() || s.Magic.QualificationCheck != ""},
		{OnCancel, worldwide || s.Magic.verifies()},
		{OnUpdate, worldwide || s.Magic.TenantProperty != ""},
		{OnCreate, worldwide || s.Magic.SSN != ""},
	} {
		if possible.is {
			ops = append(ops, possible.op)
		}
	}
	return ops
}

// statuses lists the errors that the spec lists for an operation (section 4).
func (op Operation) statuses() []int {
	all := []int{400, 401, 403, 404, 406, 429, 451, 500, 501}
	if op == OnCreate { // spec 4.4 lists no 404
		return slices.DeleteFunc(all, func(status int) bool { return status == http.StatusNotFound })
	}
	return all
}
