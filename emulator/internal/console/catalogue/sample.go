package catalogue

import (
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Sample is a request that a scenario answers.
type Sample struct {
	Name         string // in the form
	Button       string
	Method, Path string
	Version      string // of the API (spec 9)
	Body         string // "": none
}

// codedSample is a sample request, and its code.
type codedSample struct {
	Sample
	Code recorded.Snippet
}

// sampleForms has the name and the button of each operation's sample request.
var sampleForms = map[string]struct{ name, button string }{
	"getVerificationRequest":    {"read", "Read it"},
	"cancelVerificationRequest": {"cancel", "Cancel it"},
	"getQualificationCheck":     {"check", "Read it"},
	"updateTenantProperty":      {"update", "Update it"},
	"createCredentialsSession":  {"session", "Create a session"},
	"createVerification":        {"create", "Create a request"},
	"getReport":                 {"report", "Get its report"},
}

// SamplesOf returns the sample requests of a scenario: none of a global one.
func SamplesOf(s *scenarios.Scenario, extended bool) (all []Sample) {
	for _, c := range s.Samples(extended) {
		form := sampleForms[c.Name]
		all = append(all, Sample{form.name, form.button, c.Method, c.Target, c.Version, c.Body})
	}
	return all
}

// Request returns the sample as a request, without an address and a key.
func (s Sample) Request() (*http.Request, error) {
	r, err := http.NewRequest(s.Method, s.Path, strings.NewReader(s.Body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json; version="+s.Version)
	if s.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}
