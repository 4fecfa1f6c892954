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
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

type scenarioView struct {
	scenarioRow
	File     string
	Timeline scenarios.Timeline // of its verification request; nil when it has none
	Rules    []scenarios.Rule
	Source   []yamlToken
	Samples  []sample // requests that it answers
	Answer   *sampleAnswer
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
		view.Samples = samplesOf(s)
	}
	return view, nil
}

const (
	scratchKey    = "console-scratch" // names the key of the world for sample requests
	sampleTimeout = 15 * time.Second  // of an answer that a scenario delays
)

// sample is a request that a scenario answers.
type sample struct {
	Name         string // in the form
	Button       string
	Method, Path string
	Version      string // of the API (spec 9)
	Body         string // "": none
}

// sessionBody is the shortest valid body.
const sessionBody = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",` +
	`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1985-04-12","social_security_number":"SSN"}}`

// samplesOf returns the sample requests of a scenario: none of a global one.
func samplesOf(s *scenarios.Scenario) (all []sample) {
	for _, m := range s.MagicValues() {
		switch request := "/verification-requests/" + m.Value; m.Kind {
		case scenarios.VerificationRequestID:
			all = append(all,
				sample{"read", "Read it", http.MethodGet, request, "2019-10-15", ""},
				sample{"cancel", "Cancel it", http.MethodPut, request + "/cancel", "2022-08-01", `{"cancellation_reason":"immediate"}`})
		case scenarios.QualificationCheckID:
			all = append(all, sample{"check", "Read it", http.MethodGet, "/qualification-checks/" + m.Value, "2023-10-30", ""})
		case scenarios.TenantPropertyID:
			all = append(all, sample{"update", "Update it", http.MethodPut, "/tenant-properties/" + m.Value, "2023-10-30", `{"name":"Quay House","city":"Oakland","state":"CA"}`})
		case scenarios.SSN:
			if scenarios.MagicSSN(m.Value) == scenarios.AnySSN {
				m.Value = "900-00-2468" // no scenario names it and no person has it
			}
			all = append(all, sample{"session", "Create a session", http.MethodPost, "/credentials/session", "2022-08-01", strings.Replace(sessionBody, "SSN", m.Value, 1)})
		}
	}
	return all
}

type sampleAnswer struct {
	sample
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
func sendSample(x *exchange) (answer, error) {
	view, err := x.scenario()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(view.Samples, func(s sample) bool { return s.Name == x.value("send") })
	if i < 0 {
		return nil, api.Because(http.StatusBadRequest, "This scenario has no such request: use a button of its page")
	}
	view.Answer = x.answerTo(view.Samples[i])
	return page{name: "scenario", title: view.Title, data: view}, nil
}

// answerTo sends a request as a client would, and returns the answer.
func (x *exchange) answerTo(s sample) *sampleAnswer {
	ctx, cancel := context.WithTimeout(x.context(), sampleTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, s.Method, s.Path, strings.NewReader(s.Body))
	if err != nil {
		return &sampleAnswer{sample: s, Broken: err.Error()}
	}
	r.RemoteAddr, r.Host = x.request.RemoteAddr, x.request.Host
	r.Header.Set("Authorization", "Bearer "+x.Key(scratchKey))
	r.Header.Set("Accept", "application/json; version="+s.Version)
	r.Header.Set("User-Agent", "understudy-console")
	if s.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	answer := new(surface.Recorder)
	whole := serve(x.Surface, answer, r)
	result := &sampleAnswer{
		sample: s, Took: time.Since(began), Status: answer.Status, Headers: answer.Header(), Body: indented(answer.Body.Bytes()),
		Request: answer.Header().Get("Understudy-Request-Id"), Diagnosis: answer.Header().Get("Understudy-Diagnosis"),
		World: world.IDOf(x.Key(scratchKey)),
	}
	switch {
	case !whole && ctx.Err() != nil:
		result.Status, result.Broken = 0, "No answer came within "+sampleTimeout.String()+": the scenario delays it for longer."
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

// serve calls a handler, and reports whether it answered to the end.
func serve(handler http.Handler, answer http.ResponseWriter, request *http.Request) (whole bool) {
	defer func() {
		if cause := recover(); cause != nil && cause != http.ErrAbortHandler {
			panic(cause)
		}
	}()
	handler.ServeHTTP(answer, request)
	return true
}

// yamlToken is a part of a YAML text with its CSS class: key, text, number, word, comment, sign or none.
type yamlToken struct{ Class, Text string }

// highlightYAML splits YAML into tokens, which together are the text.
func highlightYAML(text string) []yamlToken {
	var tokens []yamlToken
	var whole strings.Builder
	for _, t := range lexer.Tokenize(text) {
		text := strings.TrimSpace(t.Origin)
		before, after, _ := strings.Cut(t.Origin, text)
		tokens = append(tokens, yamlToken{"", before}, yamlToken{yamlClass(t), text}, yamlToken{"", after})
		whole.WriteString(t.Origin)
	}
	if strings.TrimRight(whole.String(), "\n") != strings.TrimRight(text, "\n") {
		return []yamlToken{{"", text}} // without colours
	}
	return tokens
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
		return "number"
	case token.BoolType, token.NullType:
		return "word"
	}
	if t.CharacterType == token.CharacterTypeIndicator {
		return "sign"
	}
	return ""
}
