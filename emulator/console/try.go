package console

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const (
	scratchKey  = "console-scratch" // names the key of the world in which scenarios are tried
	trialsLimit = 15 * time.Second  // for an answer that a scenario holds back
)

// trial is a request that shows what a scenario does.
type trial struct {
	Name         string // by which the form says it
	Button       string
	Method, Path string
	Version      string // of the API (spec 9)
	Body         string // "": none
}

// sessionBody is the least that creates a session.
const sessionBody = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
	`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1985-04-12","social_security_number":"SSN"}}`

// anyNumber is a number that no scenario names and no person has.
const anyNumber = "900-00-2468"

// trialsOf returns what can be tried of a scenario: nothing of one that is for every call.
func trialsOf(s *scenarios.Scenario) (all []trial) {
	for _, m := range s.MagicValues() {
		switch m.Kind {
		case scenarios.VerificationRequestID:
			all = append(all,
				trial{"read", "Read it", http.MethodGet, "/verification-requests/" + m.Value, "2019-10-15", ""},
				trial{"cancel", "Cancel it", http.MethodPut, "/verification-requests/" + m.Value + "/cancel", "2022-08-01", `{"cancellation_reason":"immediate"}`})
		case scenarios.QualificationCheckID:
			all = append(all, trial{"check", "Read it", http.MethodGet, "/qualification-checks/" + m.Value, "2023-10-30", ""})
		case scenarios.TenantPropertyID:
			all = append(all, trial{"update", "Update it", http.MethodPut, "/tenant-properties/" + m.Value, "2023-10-30", `{"name":"Quay House","city":"Oakland","state":"CA"}`})
		case scenarios.SSN:
			number := m.Value
			if scenarios.MagicSSN(number) == scenarios.AnySSN {
				number = anyNumber
			}
			all = append(all, trial{"session", "Create a session", http.MethodPost, "/credentials/session", "2022-08-01", strings.Replace(sessionBody, "SSN", number, 1)})
		}
	}
	return all
}

// tried is what came of a trial.
type tried struct {
	trial
	Status    int    // 0: no answer came whole
	Broken    string // what became of the connection, when that was broken
	Headers   []header
	Body      string
	Took      time.Duration
	Diagnosis string
	World     string // the scratch world's id
	Request   string // in its journal; "" when the answer does not say
	Session   string // that was created
}

type header struct{ Name, Value string }

// tryScenario sends the request that the form names to the emulated API, in a world for such trials.
func tryScenario(x *exchange) (answer, error) {
	view, err := x.scenario()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(view.Trials, func(t trial) bool { return t.Name == x.value("try") })
	if i < 0 {
		return nil, api.Because(http.StatusBadRequest, "This scenario cannot be tried so: use a button of its page")
	}
	scratch, err := x.Worlds.Open(x.context(), x.Key(scratchKey))
	if err != nil {
		return nil, err
	}
	view.Tried = x.try(view.Trials[i])
	view.Tried.World = scratch.ID
	return page{name: "scenario", title: view.Title, data: view}, nil
}

// try sends a request as a client would, and waits for the answer.
func (x *exchange) try(t trial) *tried {
	ctx, cancel := context.WithTimeout(x.context(), trialsLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, t.Method, t.Path, strings.NewReader(t.Body))
	if err != nil {
		return &tried{trial: t, Broken: err.Error()}
	}
	r.RemoteAddr, r.Host = x.request.RemoteAddr, x.request.Host
	r.Header.Set("Authorization", "Bearer "+x.Key(scratchKey))
	r.Header.Set("Accept", "application/json; version="+t.Version)
	r.Header.Set("User-Agent", "understudy-console")
	if t.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	answer := new(api.Recorder)
	whole := serve(x.Surface, answer, r)
	result := &tried{trial: t, Took: time.Since(began), Status: answer.Status, Body: readable(answer.Body.Bytes())}
	switch {
	case !whole && ctx.Err() != nil:
		result.Status, result.Broken = 0, "No answer came within "+trialsLimit.String()+": the scenario holds it back for longer."
	case !whole && answer.Status == 0:
		result.Broken = "The connection was broken off without an answer, as the scenario says."
	case !whole:
		result.Broken = "The connection was broken off in the middle of the answer, as the scenario says."
	}
	result.Request, result.Diagnosis = answer.Header().Get("Understudy-Request-Id"), answer.Header().Get("Understudy-Diagnosis")
	if session := (api.CredentialsSession{}); answer.Status == http.StatusCreated && json.Unmarshal(answer.Body.Bytes(), &session) == nil {
		result.Session = session.ID
	}
	for name, values := range answer.Header() {
		for _, value := range values {
			result.Headers = append(result.Headers, header{name, value})
		}
	}
	slices.SortFunc(result.Headers, func(a, b header) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
	return result
}

// serve has a handler answer, and reports whether the answer is whole.
func serve(handler http.Handler, answer http.ResponseWriter, request *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	handler.ServeHTTP(answer, request)
	return true
}

// readable returns a body for people.
func readable(body []byte) string {
	if value := jsontext.Value(bytes.Clone(body)); value.IsValid() && value.Indent(jsontext.WithIndent("  ")) == nil {
		return string(value)
	}
	return string(body)
}
