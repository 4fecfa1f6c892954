package scenarios

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Names and ids stand in headers and paths, and are typed by people.
var (
	validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	validID   = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,128}$`)

	validPattern = regexp.MustCompile(`^[A-Za-z0-9_*-]{1,128}$`)
)

// ValidName reports whether a scenario can have a name: 1 to 64 of a-z 0-9 . _ -, the first a letter or a digit.
func ValidName(name string) bool { return validName.MatchString(name) }

// ValidID reports whether a resource can have an id: 1 to 128 of A-Z a-z 0-9 . _ ~ -.
func ValidID(id string) bool { return validID.MatchString(id) }

// validate finds what is well-formed and still makes no sense.
func (d *decoder) validate(body ast.Node, s *Scenario) {
	at := d.position(body)
	if !validName.MatchString(s.Name) {
		d.reject(at, "a scenario needs a name of 1 to 64 of a-z 0-9 . _ -, such as name: slow-approval")
	}
	if s.Title == "" {
		d.reject(at, "a scenario needs a title: one line that says what it shows")
	}
	d.validateMagic(at, s)
	for _, rule := range s.Rules {
		d.validateRule(rule, s)
	}
	d.validateTimeline(s.Timeline())
}

func (d *decoder) reject(at Position, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: at, What: fmt.Sprintf(what, args...)})
}

// warn reports what is allowed and probably not meant.
func (d *decoder) warn(at Position, what string, args ...any) {
	d.problems = append(d.problems, Problem{At: at, What: fmt.Sprintf(what, args...), Warning: true})
}

// validateMagic finds magic values that nobody can send, and sections that no magic value leads to.
func (d *decoder) validateMagic(at Position, s *Scenario) {
	if s.Worldwide() && len(s.Rules) == 0 {
		d.reject(at, "a scenario needs a magic value, such as magic: {verification_request: vr_...}; without one it is for every call and has rules only")
	}
	if s.Magic.APIKey != "" && !s.Worldwide() {
		d.reject(at, "api_key stands alone: rules for a key are for all of its calls, whatever they ask for")
	}
	if s.Magic.APIKey != "" && !validPattern.MatchString(s.Magic.APIKey) {
		d.reject(at, "api_key is a pattern of A-Z a-z 0-9 _ - and *, such as *_flaky: it is held against what follows sk_test_")
	}
	for _, id := range []string{s.Magic.VerificationRequest, s.Magic.TenantProperty, s.Magic.QualificationCheck} {
		if id != "" && !validID.MatchString(id) {
			d.reject(at, "the magic id %q is not 1 to 128 of A-Z a-z 0-9 . _ ~ -", id)
		}
	}
	if s.VerificationRequest != nil && !s.Magic.verifies() {
		d.reject(at, "verification_request needs a magic value that leads to one: verification_request or ssn")
	}
	if s.QualificationCheck != nil && s.Magic.QualificationCheck == "" {
		d.reject(at, "qualification_check needs a magic value that leads to one: qualification_check")
	}
	if s.TenantProperty != nil && s.Magic.TenantProperty == "" {
		d.reject(at, "tenant_property needs a magic value that leads to one: tenant_property")
	}
	if len(s.Reports) > 0 && !s.Magic.verifies() && s.Magic.QualificationCheck == "" {
		d.reject(at, "reports need a magic value that leads to some: verification_request, ssn or qualification_check")
	}
}

// verifies reports whether a magic value leads to a verification request.
func (m Magic) verifies() bool { return m.VerificationRequest != "" || m.SSN != "" }

func (d *decoder) validateTimeline(timeline Timeline) {
	for i, step := range timeline {
		if step.State == "" {
			d.reject(step.At, "a step needs a state: %s", strings.Join(states(), ", "))
		}
		if i == 0 && step.After != (After{}) {
			d.reject(step.At, "the first step is the start: nothing can come before it")
		}
		if i > 0 {
			d.validateTransition(timeline[i-1], step)
		}
		if step.State != api.StateCanceled && (step.CancellationReason != nil || step.CancellationDetails != nil) {
			d.reject(step.At, "only a canceled request has a cancellation reason and details")
		}
	}
}

// validateTransition holds a step against the one before it and the state table of spec section 3.
func (d *decoder) validateTransition(from, to Step) {
	if to.After.causes() != 1 {
		d.reject(to.At, "a step needs what leads to it, one of after: {reads: 1}, after: {elapsed: 10m} and after: {manual: true}")
	}
	if why := Forbidden(from.State, to.State); why != "" {
		d.reject(to.At, "%s", why)
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
