package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

type scenarioView struct {
	scenarioRow
	File     string
	Timeline scenarios.Timeline // of its verification request; nil when it has none
	Rules    []scenarios.Rule
	Source   []span
	Trials   []trial // that can be made of it
	Tried    *tried  // what came of one; nil before
}

func showScenario(x *exchange) (answer, error) {
	view, err := x.scenario()
	return page{name: "scenario", title: view.Title, data: view}, err
}

func (x *exchange) scenario() (view scenarioView, err error) {
	catalogue, own, err := x.catalogue()
	if err != nil {
		return view, err
	}
	s, err := world.ScenarioNamed(catalogue, x.param("name"))
	if err != nil {
		return view, err
	}
	view = scenarioView{
		scenarioRow: rowOfScenario(s, slices.Contains(own, s)), File: s.At.File, Rules: s.Rules, Source: highlightYAML(s.Source()),
	}
	if s.Magic.VerificationRequest != "" || s.Magic.SSN != "" || s.VerificationRequest != nil {
		view.Timeline = s.Timeline()
	}
	if !view.Own {
		view.Trials = trialsOf(s)
	}
	return view, nil
}

const (
	scratchKey  = "console-scratch" // names the key of the world in which scenarios are tried
	trialsLimit = 15 * time.Second  // for an answer that a scenario holds back
)

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

// trialsOf returns what can be tried of a scenario: nothing of one that is for every call.
func trialsOf(s *scenarios.Scenario) (all []trial) {
	for _, m := range s.MagicValues() {
		switch request := "/verification-requests/" + m.Value; m.Kind {
		case scenarios.VerificationRequestID:
			all = append(all,
				trial{"read", "Read it", http.MethodGet, request, "2019-10-15", ""},
				trial{"cancel", "Cancel it", http.MethodPut, request + "/cancel", "2022-08-01", `{"cancellation_reason":"immediate"}`})
		case scenarios.QualificationCheckID:
			all = append(all, trial{"check", "Read it", http.MethodGet, "/qualification-checks/" + m.Value, "2023-10-30", ""})
		case scenarios.TenantPropertyID:
			all = append(all, trial{"update", "Update it", http.MethodPut, "/tenant-properties/" + m.Value, "2023-10-30", `{"name":"Quay House","city":"Oakland","state":"CA"}`})
		case scenarios.SSN:
			if scenarios.MagicSSN(m.Value) == scenarios.AnySSN {
				m.Value = "900-00-2468" // no scenario names it and no person has it
			}
			all = append(all, trial{"session", "Create a session", http.MethodPost, "/credentials/session", "2022-08-01", strings.Replace(sessionBody, "SSN", m.Value, 1)})
		}
	}
	return all
}

type tried struct {
	trial
	Status    int    // 0: no answer came whole
	Broken    string // what became of the connection, when that was broken
	Headers   http.Header
	Body      string
	Took      time.Duration
	Diagnosis string
	World     string // the scratch world's id
	Request   string // in its journal; "" when the answer does not say
	Session   string // that was created
}

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
	view.Tried = x.try(view.Trials[i])
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
	result := &tried{
		trial: t, Took: time.Since(began), Status: answer.Status, Headers: answer.Header(), Body: indented(answer.Body.Bytes()),
		Request: answer.Header().Get("Understudy-Request-Id"), Diagnosis: answer.Header().Get("Understudy-Diagnosis"),
		World: world.IDOf(x.Key(scratchKey)),
	}
	switch {
	case !whole && ctx.Err() != nil:
		result.Status, result.Broken = 0, "No answer came within "+trialsLimit.String()+": the scenario holds it back for longer."
	case !whole && answer.Status == 0:
		result.Broken = "The connection was broken off without an answer, as the scenario says."
	case !whole:
		result.Broken = "The connection was broken off in the middle of the answer, as the scenario says."
	}
	if session := (api.CredentialsSession{}); answer.Status == http.StatusCreated && json.Unmarshal(answer.Body.Bytes(), &session) == nil {
		result.Session = session.ID
	}
	return result
}

// serve reports whether the handler answered to the end.
func serve(handler http.Handler, answer http.ResponseWriter, request *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	handler.ServeHTTP(answer, request)
	return true
}

// span is a part of a text and what it is: key, text, number, word, comment or mark; "" when it is nothing special.
type span struct{ Class, Text string }

// highlightYAML cuts YAML into what a reader tells apart. Together the spans are the text.
func highlightYAML(text string) []span {
	var spans []span
	var whole strings.Builder
	for _, t := range lexer.Tokenize(text) {
		text := strings.TrimSpace(t.Origin)
		before, after, _ := strings.Cut(t.Origin, text)
		spans = append(spans, span{"", before}, span{yamlClass(t), text}, span{"", after})
		whole.WriteString(t.Origin)
	}
	if strings.TrimRight(whole.String(), "\n") != strings.TrimRight(text, "\n") {
		return []span{{"", text}} // rather plain than wrong
	}
	return spans
}

func yamlClass(t *token.Token) string {
	if t.Next != nil && t.Next.Type == token.MappingValueType {
		return "key"
	}
	switch t.Type {
	case token.CommentType:
		return "comment"
	case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.LiteralType, token.FoldedType:
		return "text"
	case token.IntegerType, token.FloatType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType:
		return "figure"
	case token.BoolType, token.NullType:
		return "word"
	}
	if t.CharacterType == token.CharacterTypeIndicator {
		return "mark"
	}
	return ""
}
