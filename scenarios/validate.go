package scenarios

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// consistsOf reports whether text has 1 to most characters, all of them in characters (ASCII).
func consistsOf(text, characters string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, characters) == ""
}

// ValidName reports whether a scenario can have a name: 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit.
func ValidName(name string) bool {
	return consistsOf(name, alphanumeric+"._-", 64) && strings.ToLower(name) == name && !strings.ContainsAny(name[:1], "._-")
}

// ValidID reports whether a resource can have an id: 1 to 128 of A-Z a-z 0-9 . _ ~ -, but not . and .., which clients remove
// from paths.
func ValidID(id string) bool {
	return consistsOf(id, alphanumeric+"._~-", 128) && id != "." && id != ".."
}

// validate reports values that parse but make no sense; it skips values with a problem.
func (d *decoder) validate(s *Scenario) {
	if name := (nodePath{"name"}); d.valid(name) && !ValidName(s.Name) {
		what := "a scenario needs a name"
		if s.Name != "" {
			what = "name " + source.Quote(s.Name) + " is not a name"
		}
		d.reject(name, "%s of 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit, such as name: slow-approval", what)
	}
	if title := (nodePath{"title"}); d.valid(title) && (s.Title == "" || source.Printable(s.Title) != s.Title) {
		d.reject(title, "a scenario needs a title, one line of printable characters, such as title: The target approves late")
	}
	d.validateMagic(s)
	for i, rule := range s.Rules {
		d.validateRule(nodePath{"rules", strconv.Itoa(i)}, rule, s)
	}
	d.validateFilter(s)
}

// validateDrawn warns of what set contradicts in the documents as they are drawn.
func (d *decoder) validateDrawn(s *Scenario) {
	d.validateCheck(s)
	if sets := func(r fixtures.ReportShape) bool { return !r.Set.Empty() }; d.problems.Errors() == 0 && slices.ContainsFunc(s.Reports, sets) {
		d.validateElements(s)
		d.validateSet(s)
	}
}

// validateElements warns of elements that set changes by their numbers, and that generated lists do not have.
func (d *decoder) validateElements(s *Scenario) {
	at := time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)
	drawn := fixtures.Generator{Seed: 1}.VerificationRequest("", "", s.VerificationShape(), fixtures.Progress{State: api.StateCompleted, Created: at, Completed: at})
	for i, r := range s.Reports {
		if err := r.Set.Missing(drawn.Reports[i]); err != nil {
			d.warn(nodePath{"reports", strconv.Itoa(i), "set"}, "%v", err)
		}
	}
}

// validateCheck warns of fields that a qualification check sets although others follow from the rest of it.
func (d *decoder) validateCheck(s *Scenario) {
	section := nodePath{"qualification_check"}
	if s.QualificationCheck == nil || s.QualificationCheck.Set.Empty() || !d.valid(section, nodePath{"reports"}) {
		return
	}
	for _, violation := range s.QualificationShape().Contradictions() {
		d.warn(section.to("set").to(strings.Split(violation.Field, ".")...), "%s", strings.TrimSpace(violation.Field+" "+violation.What))
	}
}

// validateSet warns of set fields of reports that contradict the rest of their document.
func (d *decoder) validateSet(s *Scenario) {
	shape := s.VerificationShape()
	if !s.Magic.verifies() {
		shape.Type, shape.EmployerFilter = cmp.Or(s.QualificationShape().Type, api.TypeTenantScreening), api.EmployersAll
	}
	_, contradictions, _ := fixtures.Generator{}.Explain("", "", shape, fixtures.Progress{}, time.Time{})
	for _, found := range contradictions {
		_, key, set := strings.Cut(found.Field, ".set.")
		if !set {
			key = found.Field
		}
		d.warn(strings.Split(found.Field, "."), "%s %s", key, found.What)
	}
}

// validateFilter compares the employer filter with the reports, which are in another section of the file.
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
	for _, at := range []nodePath{{"verification_request", filter}, {"verification_request", "set", "request_parameters", filter}} {
		_, value := d.find(at)
		if text, ok := value.(ast.ScalarNode); ok && len(s.Reports) > 1 && d.row.fillIn(text.GetToken().Value) == string(api.EmployersTarget) {
			d.warn(at, "target-employer asks about one employer, and there are %d reports: for several employers, write employer_filter: all-employers", len(s.Reports))
		}
	}
}

// validateMagic finds magic values that nobody can send, and sections that no magic value leads to.
func (d *decoder) validateMagic(s *Scenario) {
	magic := nodePath{"magic"}
	key := magic.to("api_key")
	if s.Magic.APIKey != "" && !consistsOf(s.Magic.APIKey, alphanumeric+"_*-", 128) {
		d.reject(key, `api_key %s is not a pattern of A-Z a-z 0-9 _ - and * for what follows sk_test_, such as api_key: "*_down"`, source.Quote(s.Magic.APIKey))
	}
	d.validateIDs(s.Magic)
	if !d.valid(magic) {
		return // a problem may explain what is missing
	}
	if s.Magic.global() && len(s.Rules) == 0 && len(s.Webhooks) == 0 && s.Settings == (Settings{}) && d.valid(nodePath{"rules"}, nodePath{"webhooks"}) {
		d.reject(magic, "a scenario needs a magic value, such as magic: {verification_request: vr_slow_approval}, or rules for every call, settings or webhooks")
	}
	if s.Magic.APIKey != "" && !s.Magic.global() {
		d.rejectKey(key, "api_key stands alone, since its rules apply to every call: leave the other magic values out, or api_key")
	}
	reported := s.Magic.verifies() || s.Magic.QualificationCheck != ""
	for _, section := range []struct {
		key            string
		written, led   bool
		needs, example string
	}{
		{"verification_request", s.VerificationRequest != nil, s.Magic.verifies(), "verification_request or ssn", "magic: {verification_request: vr_slow_approval}"},
		{"qualification_check", s.QualificationCheck != nil, s.Magic.QualificationCheck != "", "qualification_check", "magic: {qualification_check: qc_tight}"},
		{"tenant_property", s.TenantProperty != nil, s.Magic.TenantProperty != "", "tenant_property", "magic: {tenant_property: tp_archived}"},
		{"person", s.Person != nil, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"company", s.Company != nil, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"reports", len(s.Reports) > 0, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"grease", s.Settings.Grease != "", s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
		{"session_flow", s.Settings.SessionFlow != "", s.Magic.global() || s.Magic.SSN != "", "ssn, or api_key alone", "magic: {ssn: 000-00-7007}"},
		{"webhooks", len(s.Webhooks) > 0, s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
		{"account", s.Settings.Account != nil, s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
	} {
		if section.written && !section.led {
			d.rejectKey(nodePath{section.key}, "%s needs a magic value that leads to it (%s), such as %s", section.key, section.needs, section.example)
		}
	}
}

// validateIDs finds ids that no client can send, and warns of those with the prefix of another kind.
func (d *decoder) validateIDs(magic Magic) {
	ids := []struct{ key, value, prefix string }{
		{"verification_request", magic.VerificationRequest, "vr_"},
		{"tenant_property", magic.TenantProperty, "tp_"},
		{"qualification_check", magic.QualificationCheck, "qc_"},
	}
	for _, id := range ids {
		at := nodePath{"magic", id.key}
		if id.value == "" || !d.valid(at) {
			continue
		}
		if !ValidID(id.value) {
			d.reject(at, "%s %s is not an id of 1 to 128 of A-Z a-z 0-9 . _ ~ - (. and .. are none), such as %s: %sexample", id.key, source.Quote(id.value), id.key, id.prefix)
		}
		for _, other := range ids {
			if other.key != id.key && strings.HasPrefix(id.value, other.prefix) {
				d.warn(at, "%s %s begins like the id of another kind of resource: if that is meant, write %s: %s", id.key, source.Quote(id.value), other.key, api.MaskLine(id.value))
			}
		}
	}
}

// verifies reports whether a magic value leads to a verification request.
func (m Magic) verifies() bool { return m.leadsTo(VerificationRequestID) }

// validateRule finds a rule that no call can match, that has no effect, or that has two answers.
func (d *decoder) validateRule(at nodePath, rule Rule, s *Scenario) {
	d.validateCondition(at, rule, s)
	if rule.On == onWebhook || rule.Deliver != nil {
		d.validateDeliver(at, rule)
		return
	}
	switch {
	case !d.valid(at.to("respond"), at.to("fault"), at.to("limit"), at.to("delay"), at.to("calls"), at.to("every"), at.to("times")):
		// a problem may explain what is missing
	case rule.Respond != nil && rule.Fault != NoFault:
		d.reject(at, "a rule has one answer: write respond or fault, and the other in a rule of its own, such as - {on: %s, fault: %s}", cmp.Or(rule.On, OnAny), rule.Fault)
	case rule.Limit != (Limit{}) && rule.Fault != NoFault:
		d.reject(at, "a limit answers 429 or the error of respond: leave fault out")
	case rule.Limit != (Limit{}) && (rule.countsCalls() || rule.Times > 0):
		d.reject(at, "a limit goes with on, state, between and respond only: leave the other conditions out, such as - {on: %s, limit: 10/s}", cmp.Or(rule.On, OnAny))
	case !rule.answers() && rule.Delay == nil:
		d.reject(at, "a rule needs an effect, such as respond: {status: 500}, delay: {fixed: 1s} or fault: connection-reset")
	}
	if rule.Respond != nil {
		d.validateResponse(at, rule, s)
	}
}

// validateDeliver finds what a rule on webhooks cannot have, and a delivery of what is none.
func (d *decoder) validateDeliver(at nodePath, rule Rule) {
	if rule.On != onWebhook {
		if d.valid(at.to("on")) {
			d.rejectKey(at.to("deliver"), "deliver is for webhooks: write on: webhook, or fault for a call")
		}
		return
	}
	effect := rule.Deliver != nil || !d.valid(at.to("deliver"))
	for key, written := range map[string]bool{
		"respond": rule.Respond != nil, "fault": rule.Fault != NoFault, "delay": rule.Delay != nil, "limit": rule.Limit != (Limit{}),
	} {
		if written {
			d.rejectKey(at.to(key), "%s is for calls, and a webhook is none: write deliver, such as deliver: lost", key)
		}
		effect = effect || written || !d.valid(at.to(key))
	}
	if !effect {
		d.reject(at, "a rule on webhooks needs an effect, such as deliver: twice or deliver: {late: 2h}")
	}
}

// validateCondition finds conditions that no call can meet.
func (d *decoder) validateCondition(at nodePath, rule Rule, s *Scenario) {
	on, magic := at.to("on"), nodePath{"magic"}
	if d.valid(on) && rule.On == "" {
		d.reject(at, "a rule needs an operation (any, get, cancel, update, create, list, report or reverify), such as on: get, or on: webhook")
	} else if rule.On == onWebhook {
		if d.valid(magic) && !s.Magic.verifies() && !s.Magic.global() {
			d.reject(on, "webhooks are about verification requests, which this scenario has not: give it magic: {verification_request: vr_late}")
		}
	} else if d.valid(on, magic) && len(s.operations(rule.On)) == 0 {
		verbs := verbsOf(s.operations(OnAny))
		d.reject(on, "the magic values of this scenario have no operation %s, only %s: write on: %s", rule.On, strings.Join(verbs, ", "), verbs[0])
	}
	if len(rule.State) > 0 && !s.Magic.verifies() && !s.Magic.global() && d.valid(magic) {
		d.rejectKey(at.to("state"), "state is the state of a verification request, which this scenario has not: leave it out")
	} else if _, resource, limited := strings.Cut(string(rule.On), " "); len(rule.State) > 0 && limited && resource != VerificationRequestID.key() {
		d.rejectKey(at.to("state"), "state is the state of a verification request, which on: %s is not about: leave it out", rule.On)
	}
	if b := rule.Between; b != nil && d.valid(at.to("between")) && (len(b) != 2 || b[0] >= b[1]) {
		d.reject(at.to("between"), "between takes two spans of time since the world began, the shorter first: write between: [2h, 3h]")
	}
	if rule.Every < 0 {
		d.reject(at.to("every"), "every may not be negative: write every: 5 for the fifth call, the tenth and so on")
	}
	if rule.Times < 0 {
		d.reject(at.to("times"), "times may not be negative: write times: 3 for a rule that applies to three calls")
	}
}

// operations lists the operations that the rule covers, of those that the scenario's magic values have; a global scenario has
// all.
func (s *Scenario) operations(on Operation) []api.Operation {
	return slices.DeleteFunc(api.Operations(), func(op api.Operation) bool {
		return !on.covers(op) || !s.Magic.global() && !s.Magic.calledBy(op)
	})
}

// verbsOf returns the verbs of operations.
func verbsOf(operations []api.Operation) (named []string) {
	for _, verb := range verbs {
		if slices.ContainsFunc(operations, verb.covers) {
			named = append(named, string(verb))
		}
	}
	return named
}
