package catalogue

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const scratchKey = "console-scratch" // names the key of the world for sample requests

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

type sampleAnswer struct {
	Sample
	Status    int    // 0: no whole answer
	Broken    string // how the connection was broken; "": it was not
	Headers   http.Header
	Body      string
	Took      time.Duration
	Diagnosis string
	World     string // the scratch world's id
	Request   string // id in its journal; "": unknown
	Session   string // id of the created one
}

// sendSample sends a sample request to the emulated API, in a scratch world.
func sendSample(x *frame.Exchange) (frame.Answer, error) {
	view, err := scenario(x)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(view.Samples, func(s codedSample) bool { return s.Name == x.Value("send") })
	if i < 0 || view.Own { // the scratch world has no scenarios of another
		return nil, api.Because(http.StatusBadRequest, "This scenario has no such request: use a button of its page")
	}
	view.Answer = answerTo(x, view.Samples[i].Sample)
	return frame.Page{Name: "scenario", Title: view.Title, Data: view}, nil
}

// answerTo sends a request as a client would, and returns the answer.
func answerTo(x *frame.Exchange, s Sample) *sampleAnswer {
	r, err := s.Request()
	if err != nil {
		return &sampleAnswer{Sample: s, Broken: err.Error()}
	}
	r.Header.Set("User-Agent", "understudy-console")
	began := time.Now()
	answer, err := recorded.SendTo(x, x.Worlds.ByKey(x.Key(scratchKey)), r)
	result := &sampleAnswer{
		Sample: s, Took: time.Since(began), Status: answer.Status, Headers: answer.Header(), Body: words.Indented(answer.Body.Bytes()),
		Request: answer.Header().Get("Understudy-Request-Id"), Diagnosis: answer.Header().Get("Understudy-Diagnosis"),
		World: world.IDOf(x.Key(scratchKey)),
	}
	switch {
	case err != nil && err != http.ErrAbortHandler:
		result.Status, result.Broken = 0, "No answer came within "+recorded.SendTimeout.String()+": the scenario delays it for longer."
	case err != nil && answer.Status == 0:
		result.Broken = "The connection was broken off without an answer, as the scenario says."
	case err != nil:
		result.Broken = "The connection was broken off in the middle of the answer, as the scenario says."
	}
	if session := (api.CredentialsSession{}); answer.Status == http.StatusCreated && s.Name == "session" && json.Unmarshal(answer.Body.Bytes(), &session) == nil {
		result.Session = session.ID
	}
	return result
}
