package scenarios

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// isOf reports whether a text has 1 to most characters, each one of some in ASCII.
func isOf(text, characters string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, characters) == ""
}

// ValidName reports whether a scenario can have a name: 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit.
func ValidName(name string) bool {
	return isOf(name, alphanumeric+"._-", 64) && strings.ToLower(name) == name && !strings.ContainsAny(name[:1], "._-")
}

// ValidID reports whether a resource can have an id: 1 to 128 of A-Z a-z 0-9 . _ ~ -, but not . and .., which are no parts
// of a path that a client can ask for.
func ValidID(id string) bool { return isOf(id, alphanumeric+"._~-", 128) && id != "." && id != ".." }

// validate finds what is well-formed and still makes no sense. Of what is wrong already it says nothing more.
func (d *decoder) validate(s *Scenario) {
	if name := (nodePath{"name"}); d.valid(name) && !ValidName(s.Name) {
		d.reject(name, "a scenario needs a name of 1 to 64 of a-z 0-9 . _ -, such as name: slow-approval")
	}
	if title := (nodePath{"title"}); d.valid(title) && (s.Title == "" || printable(s.Title) != s.Title) {
		d.reject(title, "a scenario needs a title: one line that says what it shows, of printable characters")
	}
	d.validateMagic(s)
	for i, rule := range s.Rules {
		d.validateRule(nodePath{"rules", strconv.Itoa(i)}, rule, s)
	}
	d.validateTimeline(s.Timeline())
	d.validateFilter(s)
}

// validateFilter holds the employers that are asked about against the reports, which stand in a section of their own.
func (d *decoder) validateFilter(s *Scenario) {
	if s.VerificationRequest == nil || !d.valid(nodePath{"reports"}) {
		return
	}
	const filter = "employer_filter"
	for _, violation := range s.VerificationShape().Validate() {
		if violation.Field == filter && d.valid(nodePath{"verification_request", filter}) {
			d.reject(nodePath{"verification_request", filter}, "%s %s", filter, violation.What)
		}
	}
}

// validateMagic finds magic values that nobody can send, and sections that no magic value leads to.
func (d *decoder) validateMagic(s *Scenario) {
	magic := nodePath{"magic"}
	key := magic.to("api_key")
	if s.Magic.APIKey != "" && !isOf(s.Magic.APIKey, alphanumeric+"_*-", 128) {
		d.reject(key, "api_key is a pattern of A-Z a-z 0-9 _ - and *, such as *_flaky: it is held against what follows sk_test_")
	}
	for _, id := range []struct{ key, value string }{
		{"verification_request", s.Magic.VerificationRequest},
		{"tenant_property", s.Magic.TenantProperty},
		{"qualification_check", s.Magic.QualificationCheck},
	} {
		if id.value != "" && !ValidID(id.value) && d.valid(magic.to(id.key)) {
			d.reject(magic.to(id.key), "the magic id %s is not 1 to 128 of A-Z a-z 0-9 . _ ~ -, or is . or .., which no client can ask for", quote(id.value))
		}
	}
	if !d.valid(magic) {
		return // what is missing may be what is wrong
	}
	if s.Global() && len(s.Rules) == 0 && d.valid(nodePath{"rules"}) {
		d.reject(magic, "a scenario needs a magic value, such as magic: {verification_request: vr_...}; without one it is for every call and has rules only")
	}
	if s.Magic.APIKey != "" && !s.Global() {
		d.rejectKey(key, "api_key stands alone: rules for a key are for all of its calls, whatever they ask for")
	}
	for _, section := range []struct {
		key         string
		stated, met bool
		needs       string
	}{
		{"verification_request", s.VerificationRequest != nil, s.Magic.verifies(), "verification_request needs a magic value that leads to one: verification_request or ssn"},
		{"qualification_check", s.QualificationCheck != nil, s.Magic.QualificationCheck != "", "qualification_check needs a magic value that leads to one: qualification_check"},
		{"tenant_property", s.TenantProperty != nil, s.Magic.TenantProperty != "", "tenant_property needs a magic value that leads to one: tenant_property"},
		{"reports", len(s.Reports) > 0, s.Magic.verifies() || s.Magic.QualificationCheck != "", "reports need a magic value that leads to some: verification_request, ssn or qualification_check"},
	} {
		if section.stated && !section.met {
			d.rejectKey(nodePath{section.key}, "%s", section.needs)
		}
	}
}

// verifies reports whether a magic value leads to a verification request.
func (m Magic) verifies() bool { return m.VerificationRequest != "" || m.SSN != "" }

func (d *decoder) validateTimeline(timeline Timeline) {
	for i, step := range timeline {
		at := nodePath{"verification_request", "timeline", strconv.Itoa(i)}
		if step.State == "" && d.valid(at.to("state")) {
			d.reject(at, "a step needs a state: %s", strings.Join(wordsOf(reflect.ValueOf(step.State.Values())), ", "))
		}
		if i == 0 && step.After != (After{}) {
			d.reject(at, "the first step is the start: nothing can come before it")
		}
		if i > 0 {
			d.validateTransition(at, timeline[i-1], step)
		}
		if step.State != api.StateCanceled && (step.CancellationReason != nil || step.CancellationDetails != nil) && d.valid(at.to("state")) {
			d.reject(at, "only a canceled request has a cancellation reason and details")
		}
	}
}

// validateTransition holds a step against the one before it and the state table of spec section 3.
func (d *decoder) validateTransition(at nodePath, from, to Step) {
	if count(to.After.Reads > 0, to.After.Elapsed > 0, to.After.Manual) != 1 && d.valid(at.to("after")) {
		d.reject(at, "a step needs what leads to it, one of after: {reads: 1}, after: {elapsed: 10m} and after: {manual: true}")
	}
	if why := Forbidden(from.State, to.State); why != "" && from.State != "" && to.State != "" {
		d.reject(at, "%s", why)
	}
}

// count returns how many of some things are stated.
func count(stated ...bool) (n int) {
	for _, is := range stated {
		if is {
			n++
		}
	}
	return n
}

// validateRule finds a rule that nothing can meet, that does nothing, or that says two things at once.
func (d *decoder) validateRule(at nodePath, rule Rule, s *Scenario) {
	d.validateCondition(at, rule, s)
	switch {
	case !d.valid(at.to("respond"), at.to("fault"), at.to("limit"), at.to("delay"), at.to("calls"), at.to("every"), at.to("times")):
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
func (d *decoder) validateCondition(at nodePath, rule Rule, s *Scenario) {
	on, magic := at.to("on"), nodePath{"magic"}
	if d.valid(on) && rule.On == "" {
		d.reject(at, "a rule needs an operation: on: any, get, cancel, update or create")
	} else if d.valid(on, magic) && !slices.ContainsFunc(s.operations(), rule.meetsOperation) {
		d.reject(on, "no magic value of this scenario is ever asked to %s", rule.On)
	}
	if len(rule.State) > 0 && !s.Magic.verifies() && !s.Global() && d.valid(magic) {
		d.rejectKey(at.to("state"), "state is that of a verification request, and no magic value of this scenario leads to one")
	}
	if rule.Every < 0 {
		d.reject(at.to("every"), "every may not be negative: every: 5 is the fifth call, the tenth and so on")
	}
	if rule.Times < 0 {
		d.reject(at.to("times"), "times may not be negative: times: 3 has the rule apply to three calls and then no more")
	}
}

// ownHeaders are those that make an answer what it is.
var ownHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Trailer", "Transfer-Encoding", "Upgrade"}

func (d *decoder) validateResponse(at nodePath, rule Rule, s *Scenario) {
	d.validateStatus(at, rule, s)
	for _, name := range slices.Sorted(maps.Keys(rule.Respond.Headers)) {
		value, canonical, header := rule.Respond.Headers[name], http.CanonicalHeaderKey(name), at.to("respond", "headers", name)
		switch {
		case !isOf(name, alphanumeric+"!#$%&'*+.^_`|~-", 64):
			d.rejectKey(header, "%s is not the name of a header", quote(name))
		case slices.Contains(ownHeaders, canonical) || strings.HasPrefix(canonical, "Understudy-"):
			d.rejectKey(header, "the header %s is the emulator's to set", canonical)
		case len(value) > 1000 || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
			d.reject(header, "the header %s may have up to 1000 printable ASCII characters", canonical)
		}
	}
}

// validateStatus finds a status that is no error's, and warns of one that the spec does not list.
func (d *decoder) validateStatus(at nodePath, rule Rule, s *Scenario) {
	place, status := at.to("respond", "status"), rule.Respond.Status
	switch {
	case !d.valid(place):
		return
	case status < 400 || status > 599:
		d.reject(place, "a rule answers with an error status from 400 to 599: respond: {status: 500}")
		return
	case !d.valid(at.to("on"), nodePath{"magic"}):
		return
	}
	listed := strings.Fields("400 401 403 404 406 429 451 500 501") // spec section 4
	var unlisted []string
	for _, op := range s.operations() {
		if !rule.meetsOperation(op) {
			continue
		}
		if op == OnCreate { // spec 4.4 lists no 404; of all others the lists are the same
			listed = slices.Delete(listed, 3, 4)
		}
		if !slices.Contains(listed, strconv.Itoa(status)) {
			unlisted = append(unlisted, string(op))
		}
	}
	if last := len(unlisted) - 1; last >= 0 {
		operations := strings.TrimPrefix(strings.Join(unlisted[:last], ", ")+" and "+unlisted[last], " and ")
		d.warn(place, "%d is not among the statuses that the spec lists for %s: %s", status, operations, strings.Join(listed, ", "))
	}
}

// operations lists what can be asked of the scenario's magic values, of anything when it is global.
func (s *Scenario) operations() (ops []Operation) {
	global := s.Global()
	if global || s.Magic.verifies() || s.Magic.QualificationCheck != "" {
		ops = append(ops, OnGet)
	}
	if global || s.Magic.verifies() {
		ops = append(ops, OnCancel)
	}
	if global || s.Magic.TenantProperty != "" {
		ops = append(ops, OnUpdate)
	}
	if global || s.Magic.SSN != "" {
		ops = append(ops, OnCreate)
	}
	return ops
}
