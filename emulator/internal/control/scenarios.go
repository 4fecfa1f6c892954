package control

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func scenarioCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/scenarios", inWorld: listScenarios(), query: paged},
		{method: post, path: "v1/scenarios/resolve", inWorld: takes(resolve)},
		{method: get, path: "v1/scenarios/:name", inWorld: showScenario},
		{method: put, path: "v1/scenarios/:name", inWorld: putScenario},
		{method: del, path: "v1/scenarios/:name", inWorld: removes((*world.World).DeleteScenario)},
	}
}

// scenarioSummary is a scenario as a list shows it.
type scenarioSummary struct {
	Name  string       `json:"name"`
	Title string       `json:"title"`
	Magic []magicValue `json:"magic"`
	File  string       `json:"file"`
	Own   bool         `json:"own"` // a world scenario
}

type magicValue struct {
	Kind  scenarios.Kind `json:"kind"`
	Value string         `json:"value"`
}

// scenarioView is a whole scenario.
type scenarioView struct {
	scenarioSummary
	Timeline []string `json:"timeline"` // in words
	Rules    []string `json:"rules"`    // in words
	Source   string   `json:"source"`   // YAML
}

func summarizeScenario(s *scenarios.Scenario, own bool) scenarioSummary {
	shown := scenarioSummary{s.Name, s.Title, []magicValue{}, s.At.File, own}
	for _, m := range s.MagicValues() {
		shown.Magic = append(shown.Magic, magicValue(m))
	}
	return shown
}

// listScenarios lists the scenarios of the world, its own after those of all worlds.
func listScenarios() call {
	name := func(s scenarioSummary) string { return s.Name }
	return lists(scenarios.ValidName, name, same, func(x *exchange, after string, _ int) (found []scenarioSummary, err error) {
		all, own, err := x.world.Catalogue(x.context())
		if err != nil {
			return nil, err
		}
		for _, s := range all.All() {
			found = append(found, summarizeScenario(s, slices.Contains(own, s)))
		}
		return following(found, after, name), nil
	})
}

func showScenario(x *exchange) (any, error) {
	all, own, err := x.world.Catalogue(x.context())
	if err != nil {
		return nil, err
	}
	s, err := resource.ScenarioNamed(all, x.param())
	if err != nil {
		return nil, err
	}
	shown := scenarioView{summarizeScenario(s, slices.Contains(own, s)), []string{}, []string{}, s.Source()}
	for i, step := range s.Timeline() {
		words := string(step.State)
		if i > 0 {
			words += " " + step.After.String()
		}
		shown.Timeline = append(shown.Timeline, words)
	}
	for _, rule := range s.Rules {
		shown.Rules = append(shown.Rules, rule.String())
	}
	return shown, nil
}

// putScenario stores a scenario of the world, YAML or JSON, and shows it.
func putScenario(x *exchange) (any, error) {
	added, warnings, err := x.world.PutScenario(x.context(), x.param(), string(x.body))
	if err != nil {
		return nil, err
	}
	shown := struct {
		Items    []scenarioSummary `json:"items"`
		Warnings []string          `json:"warnings"`
	}{[]scenarioSummary{}, []string{}}
	for _, s := range added {
		shown.Items = append(shown.Items, summarizeScenario(s, true))
	}
	for _, w := range warnings {
		shown.Warnings = append(shown.Warnings, w.String())
	}
	return shown, nil
}

// resolutionView is a resolution on the wire.
type resolutionView struct {
	Operation *string            `json:"operation"`
	Status    *int               `json:"status"`
	Headers   map[string]string  `json:"headers"`
	Body      jsontext.Value     `json:"body"`
	Scenario  *string            `json:"scenario"`
	Rule      *string            `json:"rule"`
	Delay     scenarios.Duration `json:"delay"`
	Fault     *scenarios.Fault   `json:"fault"`
	Diagnosis []string           `json:"diagnosis"`
}

// resolve shows the answer that a request would get now, and changes nothing.
func resolve(x *exchange, described request) (any, error) {
	r, err := described.sent(x.context())
	if err != nil {
		return nil, err
	}
	x.release() // the request that is resolved has a copy
	resolution, err := x.Resolve(r, x.world)
	if err != nil {
		return nil, err
	}
	v := resolutionView{
		orNull(resolution.Operation), orNull(resolution.Status), map[string]string{}, resolution.Body, orNull(resolution.Scenario), orNull(resolution.Rule),
		scenarios.Duration(resolution.Delay), orNull(resolution.Fault), append([]string{}, resolution.Diagnosis...),
	}
	for name, values := range resolution.Header {
		if values != nil && !strings.HasPrefix(name, "Understudy-") && v.Status != nil { // what those have stands beside the headers
			v.Headers[name] = strings.Join(values, ", ")
		}
	}
	if v.Body != nil && !v.Body.IsValid() {
		v.Body, err = jsontext.AppendQuote(nil, resolution.Body)
	}
	return v, err
}

// orNull returns nil for a zero value.
func orNull[T comparable](value T) *T {
	if value == *new(T) {
		return nil
	}
	return &value
}

// request is a request that a body describes.
type request struct {
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    jsontext.Value    `json:"body"` // a JSON string is sent as its text, any other value as JSON
}

// sent returns the request as a client sends it.
func (in request) sent(ctx context.Context) (*http.Request, error) {
	body := string(in.Body)
	if in.Body.Kind() == '"' {
		text, err := jsontext.AppendUnquote(nil, in.Body)
		if err != nil {
			return nil, api.Because(http.StatusBadRequest, "The body to be sent cannot be read")
		}
		body = string(text)
	}
	r, err := http.NewRequestWithContext(ctx, in.Method, in.Path, strings.NewReader(body))
	if err != nil || in.Method == "" || !strings.HasPrefix(in.Path, "/") {
		return nil, api.Because(http.StatusBadRequest, `Send the request to resolve: {"method":"GET","path":"/verification-requests/vr_completed"}`)
	}
	if err := setHeaders(r.Header, in.Headers); err != nil {
		return nil, err
	}
	if in.Body != nil && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r, nil
}

// inHeaderName are the characters of a header's name.
const inHeaderName = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+.^_`|~-"

// setHeaders sets header lines, and refuses invalid ones.
func setHeaders(header http.Header, lines map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		switch {
		case name == "" || strings.Trim(name, inHeaderName) != "":
			return api.Because(http.StatusBadRequest, api.Quote(name)+" is not the name of a header: write one such as Accept")
		case strings.ContainsFunc(lines[name], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			return api.Because(http.StatusBadRequest, "The header "+name+" may have no control characters: it is one line")
		case header.Values(name) != nil:
			return api.Because(http.StatusBadRequest, "The header "+http.CanonicalHeaderKey(name)+" is there more than once: send it once")
		}
		header.Set(name, lines[name])
	}
	return nil
}
