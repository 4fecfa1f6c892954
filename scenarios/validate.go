package scenarios

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Names and ids stand in headers and paths, and are typed by people.
var (
	validName = form{regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`), 64}
	validID   = form{regexp.MustCompile(`^[A-Za-z0-9._~-]+$`), 128}

	validPattern = form{regexp.MustCompile(`^[A-Za-z0-9_*-]+$`), 128}
)

// form is what a text may look like and how many bytes it may have: a bounded repetition in an expression costs a start
// milliseconds.
type form struct {
	look *regexp.Regexp
	most int
}

// MatchString reports whether a text has the form.
func (f form) MatchString(text string) bool { return len(text) <= f.most && f.look.MatchString(text) }

// ValidName reports whether a scenario can have a name: 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit.
func ValidName(name string) bool { return validName.MatchString(name) }

// ValidID reports whether a resource can have an id: 1 to 128 of A-Z a-z 0-9 . _ ~ -, but not . and .., which are no parts
// of a path that a client can ask for.
func ValidID(id string) bool { return validID.MatchString(id) && id != "." && id != ".." }

// validate finds what is well-formed and still makes no sense. Of what is wrong already it says nothing more.
func (d *decoder) validate(s *Scenario) {
	if name := (trail{"name"}); d.sound(name) && !validName.MatchString(s.Name) {
		d.reject(name, "a scenario needs a name of 1 to 64 of a-z 0-9 . _ -, such as name: slow-approval")
	}
	if title := (trail{"title"}); d.sound(title) && (s.Title == "" || strings.ContainsFunc(s.Title, unprintable)) {
		d.reject(title, "a scenario needs a title: one line that says what it shows, of printable characters")
	}
	d.validateMagic(s)
	for i, rule := range s.Rules {
		d.validateRule(trail{"rules"}.element(i), rule, s)
	}
	d.validateTimeline(s.Timeline())
	d.validateFilter(s)
}

// validateFilter holds the employers that are asked about against the reports, which stand in a section of their own.
func (d *decoder) validateFilter(s *Scenario) {
	if s.VerificationRequest == nil || !d.sound(trail{"reports"}) {
		return
	}
	const filter = "employer_filter"
	for _, flaw := range s.VerificationShape().Flaws() {
		if flaw.Field == filter && d.sound(trail{"verification_request", filter}) {
			d.reject(trail{"verification_request", filter}, "%s %s", filter, flaw.What)
		}
	}
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// validateMagic finds magic values that nobody can send, and sections that no magic value leads to.
func (d *decoder) validateMagic(s *Scenario) {
	magic := trail{"magic"}
	key := magic.to("api_key")
	if s.Magic.APIKey != "" && !validPattern.MatchString(s.Magic.APIKey) {
		d.reject(key, "api_key is a pattern of A-Z a-z 0-9 _ - and *, such as *_flaky: it is held against what follows sk_test_")
	}
	for _, id := range []struct{ key, value string }{
		{"verification_request", s.Magic.VerificationRequest},
		{"tenant_property", s.Magic.TenantProperty},
		{"qualification_check", s.Magic.QualificationCheck},
	} {
		if id.value != "" && !ValidID(id.value) {
			d.reject(magic.to(id.key), "the magic id %s is not 1 to 128 of A-Z a-z 0-9 . _ ~ -, or is . or .., which no client can ask for", quote(id.value))
		}
	}
	if !d.sound(magic) {
		return // what is missing may be what is wrong
	}
	if s.Global() && len(s.Rules) == 0 && d.sound(trail{"rules"}) {
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
			d.rejectKey(trail{section.key}, "%s", section.needs)
		}
	}
}

// verifies reports whether a magic value leads to a verification request.
func (m Magic) verifies() bool { return m.VerificationRequest != "" || m.SSN != "" }

func (d *decoder) validateTimeline(timeline Timeline) {
	for i, step := range timeline {
		at := trail{"verification_request", "timeline"}.element(i)
		if step.State == "" && d.sound(at.to("state")) {
			d.reject(at, "a step needs a state: %s", strings.Join(states(), ", "))
		}
		if i == 0 && step.After != (After{}) {
			d.reject(at, "the first step is the start: nothing can come before it")
		}
		if i > 0 {
			d.validateTransition(at, timeline[i-1], step)
		}
		if step.State != api.StateCanceled && (step.CancellationReason != nil || step.CancellationDetails != nil) && d.sound(at.to("state")) {
			d.reject(at, "only a canceled request has a cancellation reason and details")
		}
	}
}

// validateTransition holds a step against the one before it and the state table of spec section 3.
func (d *decoder) validateTransition(at trail, from, to Step) {
	if to.After.causes() != 1 && d.sound(at.to("after")) {
		d.reject(at, "a step needs what leads to it, one of after: {reads: 1}, after: {elapsed: 10m} and after: {manual: true}")
	}
	if why := Forbidden(from.State, to.State); why != "" && from.State != "" && to.State != "" {
		d.reject(at, "%s", why)
	}
}

// causes counts what is stated to lead to a step.
func (a After) causes() (n int) {
	for _, stated := range []bool{a.Reads > 0, a.Elapsed > 0, a.Manual} {
		if stated {
			n++
		}
	}
	return n
}

func states() (words []string) {
	for _, state := range api.State("").Values() {
		words = append(words, string(state))
	}
	return words
}
