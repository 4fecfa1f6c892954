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
	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
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

// validator finds values of a scenario that parse but make no sense.
type validator struct {
	decode.Decoder
	s *Scenario
}

// validate reports values that parse but make no sense; it skips values with a problem.
func (v *validator) validate() {
	if name := (decode.Path{"name"}); v.Valid(name) && !ValidName(v.s.Name) {
		what := "a scenario needs a name"
		if v.s.Name != "" {
			what = "name " + source.Quote(v.s.Name) + " is not a name"
		}
		v.Reject(name, "%s of 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit, such as name: slow-approval", what)
	}
	if title := (decode.Path{"title"}); v.Valid(title) && (v.s.Title == "" || source.Printable(v.s.Title) != v.s.Title) {
		v.Reject(title, "a scenario needs a title, one line of printable characters, such as title: The target approves late")
	}
	v.validateMagic()
	for i, rule := range v.s.Rules {
		v.validateRule(decode.Path{"rules", strconv.Itoa(i)}, rule)
	}
	v.validateFilter()
}

// validateDrawn warns of what set contradicts in the documents as they are drawn.
func (v *validator) validateDrawn() {
	v.validateCheck()
	if sets := func(r fixtures.ReportShape) bool { return !r.Set.Empty() }; v.Problems.Errors() == 0 && slices.ContainsFunc(v.s.Reports, sets) {
		v.validateElements()
		v.validateSet()
	}
}

// validateElements warns of elements that set changes by their numbers, and that generated lists do not have.
func (v *validator) validateElements() {
	at := time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)
	drawn := fixtures.Generator{Seed: 1}.VerificationRequest("", "", v.s.VerificationShape(), fixtures.Progress{State: api.StateCompleted, Created: at, Completed: at})
	for i, r := range v.s.Reports {
		if err := r.Set.Missing(drawn.Reports[i]); err != nil {
			v.Warn(decode.Path{"reports", strconv.Itoa(i), "set"}, "%v", err)
		}
	}
}

// validateCheck warns of fields that a qualification check sets although others follow from the rest of it.
func (v *validator) validateCheck() {
	section := decode.Path{"qualification_check"}
	if v.s.QualificationCheck == nil || v.s.QualificationCheck.Set.Empty() || !v.Valid(section, decode.Path{"reports"}) {
		return
	}
	for _, violation := range v.s.QualificationShape().Contradictions() {
		v.Warn(section.To("set").To(strings.Split(violation.Field, ".")...), "%s", strings.TrimSpace(violation.Field+" "+violation.What))
	}
}

// validateSet warns of set fields of reports that contradict the rest of their document.
func (v *validator) validateSet() {
	shape := v.s.VerificationShape()
	if !v.s.Magic.verifies() {
		shape.Type, shape.EmployerFilter = cmp.Or(v.s.QualificationShape().Type, api.TypeTenantScreening), api.EmployersAll
	}
	_, contradictions, _ := fixtures.Generator{}.Explain("", "", shape, fixtures.Progress{}, time.Time{})
	for _, found := range contradictions {
		_, key, set := strings.Cut(found.Field, ".set.")
		if !set {
			key = found.Field
		}
		v.Warn(strings.Split(found.Field, "."), "%s %s", key, found.What)
	}
}

// validateFilter compares the employer filter with the reports, which are in another section of the file.
func (v *validator) validateFilter() {
	if v.s.VerificationRequest == nil || !v.Valid(decode.Path{"reports"}) {
		return
	}
	const filter = "employer_filter"
	for _, violation := range v.s.VerificationShape().Validate() {
		if violation.Field == filter && v.Valid(decode.Path{"verification_request", filter}) {
			v.Reject(decode.Path{"verification_request", filter}, "%s %s", filter, violation.What)
		}
	}
	for _, at := range []decode.Path{{"verification_request", filter}, {"verification_request", "set", "request_parameters", filter}} {
		_, value := v.Find(at)
		if text, ok := value.(ast.ScalarNode); ok && len(v.s.Reports) > 1 && v.Row.Fill(text.GetToken().Value) == string(api.EmployersTarget) {
			v.Warn(at, "target-employer asks about one employer, and there are %d reports: for several employers, write employer_filter: all-employers", len(v.s.Reports))
		}
	}
}

// validateMagic finds magic values that nobody can send, and sections that no magic value leads to.
func (v *validator) validateMagic() {
	magic := decode.Path{"magic"}
	key := magic.To("api_key")
	if v.s.Magic.APIKey != "" && !consistsOf(v.s.Magic.APIKey, alphanumeric+"_*-", 128) {
		v.Reject(key, `api_key %s is not a pattern of A-Z a-z 0-9 _ - and * for what follows sk_test_, such as api_key: "*_down"`, source.Quote(v.s.Magic.APIKey))
	}
	v.validateIDs(v.s.Magic)
	if !v.Valid(magic) {
		return // a problem may explain what is missing
	}
	if v.s.Magic.global() && len(v.s.Rules) == 0 && len(v.s.Webhooks) == 0 && v.s.Settings == (Settings{}) && v.Valid(decode.Path{"rules"}, decode.Path{"webhooks"}) {
		v.Reject(magic, "a scenario needs a magic value, such as magic: {verification_request: vr_slow_approval}, or rules for every call, settings or webhooks")
	}
	if v.s.Magic.APIKey != "" && !v.s.Magic.global() {
		v.RejectKey(key, "api_key stands alone, since its rules apply to every call: leave the other magic values out, or api_key")
	}
	reported := v.s.Magic.verifies() || v.s.Magic.QualificationCheck != ""
	for _, section := range []struct {
		key            string
		written, led   bool
		needs, example string
	}{
		{"verification_request", v.s.VerificationRequest != nil, v.s.Magic.verifies(), "verification_request or ssn", "magic: {verification_request: vr_slow_approval}"},
		{"qualification_check", v.s.QualificationCheck != nil, v.s.Magic.QualificationCheck != "", "qualification_check", "magic: {qualification_check: qc_tight}"},
		{"tenant_property", v.s.TenantProperty != nil, v.s.Magic.TenantProperty != "", "tenant_property", "magic: {tenant_property: tp_archived}"},
		{"person", v.s.Person != nil, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"company", v.s.Company != nil, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"reports", len(v.s.Reports) > 0, reported, "verification_request, ssn or qualification_check", "magic: {verification_request: vr_slow_approval}"},
		{"grease", v.s.Settings.Grease != "", v.s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
		{"session_flow", v.s.Settings.SessionFlow != "", v.s.Magic.global() || v.s.Magic.SSN != "", "ssn, or api_key alone", "magic: {ssn: 000-00-7007}"},
		{"webhooks", len(v.s.Webhooks) > 0, v.s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
		{"account", v.s.Settings.Account != nil, v.s.Magic.global(), "api_key alone", `magic: {api_key: "*_down"}`},
	} {
		if section.written && !section.led {
			v.RejectKey(decode.Path{section.key}, "%s needs a magic value that leads to it (%s), such as %s", section.key, section.needs, section.example)
		}
	}
}

// validateIDs finds ids that no client can send, and warns of those with the prefix of another kind.
func (v *validator) validateIDs(magic Magic) {
	ids := []struct{ key, value, prefix string }{
		{"verification_request", magic.VerificationRequest, "vr_"},
		{"tenant_property", magic.TenantProperty, "tp_"},
		{"qualification_check", magic.QualificationCheck, "qc_"},
	}
	for _, id := range ids {
		at := decode.Path{"magic", id.key}
		if id.value == "" || !v.Valid(at) {
			continue
		}
		if !ValidID(id.value) {
			v.Reject(at, "%s %s is not an id of 1 to 128 of A-Z a-z 0-9 . _ ~ - (. and .. are none), such as %s: %sexample", id.key, source.Quote(id.value), id.key, id.prefix)
		}
		for _, other := range ids {
			if other.key != id.key && strings.HasPrefix(id.value, other.prefix) {
				v.Warn(at, "%s %s begins like the id of another kind of resource: if that is meant, write %s: %s", id.key, source.Quote(id.value), other.key, api.MaskLine(id.value))
			}
		}
	}
}

// verifies reports whether a magic value leads to a verification request.
func (m Magic) verifies() bool { return m.leadsTo(VerificationRequestID) }
