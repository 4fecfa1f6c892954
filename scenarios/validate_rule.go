package scenarios

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// validateRule finds a rule that nothing can meet, that does nothing, or that says two things at once.
func (d *decoder) validateRule(at trail, rule Rule, s *Scenario) {
	d.validateCondition(at, rule, s)
	switch {
	case !d.sound(at.to("respond"), at.to("fault"), at.to("limit"), at.to("delay"), at.to("calls"), at.to("every"), at.to("times")):
		// what the rule does, and when, is not known
	case rule.Respond != nil && rule.Fault != NoFault:
		d.reject(at, "a rule has one answer: respond or fault")
	case rule.Limit != (Limit{}) && rule.Fault != NoFault:
		d.reject(at, "what a limit refuses is answered: give it respond, or no answer for a 429")
	case rule.Limit != (Limit{}) && (rule.counts() || rule.Times > 0):
		d.reject(at, "a limit counts for itself: it goes with on, state and respond only")
	case !rule.answers() && rule.Delay == nil:
		d.reject(at, "a rule needs what it does, such as respond: {status: 500}, delay: {fixed: 1s} or fault: connection-reset")
	}
	if rule.Respond != nil {
		d.validateResponse(at, rule, s)
	}
}

// validateCondition finds conditions that no call can meet.
func (d *decoder) validateCondition(at trail, rule Rule, s *Scenario) {
	on, magic := at.to("on"), trail{"magic"}
	if d.sound(on) && rule.On == "" {
		d.reject(at, "a rule needs an operation: on: any, get, cancel, update or create")
	} else if d.sound(on, magic) && !slices.ContainsFunc(s.operations(), rule.meetsOperation) {
		d.reject(on, "no magic value of this scenario is ever asked to %s", rule.On)
	}
	if len(rule.State) > 0 && !s.Magic.verifies() && !s.Global() && d.sound(magic) {
		d.rejectKey(at.to("state"), "state is that of a verification request, and no magic value of this scenario leads to one")
	}
	if rule.Every < 0 {
		d.reject(at.to("every"), "every may not be negative: every: 5 is the fifth call, the tenth and so on")
	}
	if rule.Times < 0 {
		d.reject(at.to("times"), "times may not be negative: times: 3 has the rule apply to three calls and then no more")
	}
}

// What a rule may send as a header.
var (
	headerName  = form{regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$"), 64}
	headerValue = form{regexp.MustCompile(`^[ -~]*$`), 1000}
)

// ownHeaders are those that make an answer what it is.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Trailer", "Transfer-Encoding", "Upgrade"}

func (d *decoder) validateResponse(at trail, rule Rule, s *Scenario) {
	respond := at.to("respond")
	d.validateStatus(at, rule, s)
	for _, name := range slices.Sorted(maps.Keys(rule.Respond.Headers)) {
		canonical, header := http.CanonicalHeaderKey(name), respond.to("headers", name)
		switch {
		case !headerName.MatchString(name):
			d.rejectKey(header, "%s is not the name of a header", quote(name))
		case slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Understudy-"):
			d.rejectKey(header, "the header %s is the emulator's to set", canonical)
		case !headerValue.MatchString(rule.Respond.Headers[name]):
			d.reject(header, "the header %s may have up to 1000 printable ASCII characters", canonical)
		}
	}
}

// validateStatus finds a status that is no error's, and warns of one that the spec does not list.
func (d *decoder) validateStatus(at trail, rule Rule, s *Scenario) {
	place, status := at.to("respond", "status"), rule.Respond.Status
	switch {
	case !d.sound(place):
		return
	case status < 400 || status > 599:
		d.reject(place, "a rule answers with an error status from 400 to 599: respond: {status: 500}")
		return
	case !d.sound(at.to("on"), trail{"magic"}):
		return
	}
	var unlisted, listed []string
	for _, op := range s.operations() {
		statuses := op.statuses()
		if !rule.meetsOperation(op) || slices.Contains(statuses, status) {
			continue
		}
		unlisted = append(unlisted, string(op))
		listed = nil // for all but the last they are the same, and hold its own
		for _, one := range statuses {
			listed = append(listed, strconv.Itoa(one))
		}
	}
	if len(unlisted) > 0 {
		d.warn(place, "%d is not among the statuses that the spec lists for %s: %s", status, enumerate(unlisted), strings.Join(listed, ", "))
	}
}

// enumerate returns words as a sentence has them: get, cancel and create.
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// operations lists what can be asked of the scenario's magic values, of anything when it is global.
func (s *Scenario) operations() (ops []Operation) {
	global := s.Global()
	for _, possible := range []struct {
		op Operation
		is bool
	}{
		{OnGet, global || s.Magic.verifies() || s.Magic.QualificationCheck != ""},
		{OnCancel, global || s.Magic.verifies()},
		{OnUpdate, global || s.Magic.TenantProperty != ""},
		{OnCreate, global || s.Magic.SSN != ""},
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
