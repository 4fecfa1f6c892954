package steer

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// faultsPage is the data of pages/faults.html.
type faultsPage struct {
	Toggles Toggles
	Faults  []rules.Fault
	Written bool // the form has values
}

// showFaults shows the faults that are on, and the toggles for all requests, or for those of ?id=.
func showFaults(x *frame.Exchange) (frame.Answer, error) {
	faults, err := x.World.Faults(x.Context())
	id, here := x.Value("id"), x.Here("faults")
	if id != "" {
		here += "?id=" + url.QueryEscape(id)
	}
	written := slices.ContainsFunc(faultFields(), func(f faultField) bool { return x.Value(f.name) != "" })
	return frame.Page{Name: "faults", Title: "Faults", Data: faultsPage{togglesOf(faults, x.Param("world"), id, here), faults, written}}, err
}

// addFault adds the rule of the form to the world: a text in the language of scenario files, or its fields.
func addFault(x *frame.Exchange) (frame.Answer, error) {
	rule, err := rule(x)
	if err != nil {
		return nil, err
	}
	options := []world.FaultOption{world.OnlyFor(x.Value("id"))}
	if text := x.Value("expires_in"); text != "" {
		lasts, err := world.ParseSpan(text)
		if err != nil {
			return nil, err
		}
		options = append(options, world.Lasting(lasts))
	}
	_, err = x.World.AddFault(x.Context(), string(rule), options...)
	return frame.Done(x.Here("faults"), "fault"), err
}

// removeFault removes the fault that the form names, or all.
func removeFault(x *frame.Exchange) (frame.Answer, error) {
	if id := x.Value("remove"); id != "" {
		return frame.Done(x.Here("faults"), "unfault"), x.World.RemoveFault(x.Context(), id)
	}
	return frame.Done(x.Here("faults"), "unfaults"), x.World.RemoveFaults(x.Context())
}

// faultField is a field of the fault form, and the member of a rule that it makes.
type faultField struct {
	name, label string
	member      string
	answer      bool                  // the member is one of the rule's answer, respond
	value       func(text string) any // of the member; nil: the text
}

// faultFields lists the fields that make a rule, those of its answer last.
func faultFields() []faultField {
	return []faultField{
		{"on", "Operation", "on", false, nil},
		{"calls", "Calls", "calls", false, nil},
		{"every", "Every nth", "every", false, number},
		{"probability", "Probability", "probability", false, number},
		{"between", "Between", "between", false, func(text string) any {
			return strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == ',' || r == ' ' })
		}},
		{"state", "While the request is", "state", false, func(text string) any { return []string{text} }},
		{"fault", "Connection fault", "fault", false, nil},
		{"limit", "Limit", "limit", false, nil},
		{"delay", "Delay", "delay", false, delay},
		{"times", "Times", "times", false, number},
		{"status", "Error status", "status", true, number},
		{"message", "Message", "message", true, nil},
		{"retry_after", "Retry-After", "headers", true, func(text string) any { return map[string]string{"Retry-After": text} }},
	}
}

// rule returns the rule of the form, in the language of scenario files: the text, or a rule made of the fields.
func rule(x *frame.Exchange) ([]byte, error) {
	if text := x.Value("rule"); text != "" {
		return []byte(text), checkAlone(x)
	}
	if err := checkAnswer(x); err != nil {
		return nil, err
	}
	text, err := scenarios.RuleJSON("rule", []byte(ruleText(x)))
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		field, fields := faultField{label: "What happens"}, faultFields()
		if i := problems[0].At.Line - 2; i >= 0 && i < len(fields) {
			field = fields[i]
		}
		return nil, api.Because(http.StatusBadRequest, field.problem(problems[0].Cause()))
	}
	if err != nil {
		return nil, err
	}
	return text, (*jsontext.Value)(&text).Compact()
}

// problem returns the cause of a problem of the language in the words of the form: with the label for the key.
func (f faultField) problem(cause string) string {
	for _, key := range []string{f.member, "fixed", "between"} {
		cause = strings.Replace(strings.TrimPrefix(cause, key+" "), " for "+key, "", 1)
	}
	return f.label + ": " + cause
}

// ruleText returns the rule of the fields, with the i-th field on line i+2.
func ruleText(x *frame.Exchange) string {
	text, separator, end := "{", "", "\n}"
	for _, f := range faultFields() {
		text += "\n"
		value := x.Value(f.name)
		if value == "" {
			continue
		}
		if f.answer && end == "\n}" {
			text, separator, end = text+separator+`"respond":{`, "", "}\n}"
		}
		text, separator = text+separator+f.written(value), ","
	}
	return text + end
}

// checkAlone refuses fields beside the text of a rule.
func checkAlone(x *frame.Exchange) error {
	for _, f := range faultFields() {
		if text := x.Value(f.name); text != "" && !(f.name == "on" && text == string(scenarios.OnAny.Values()[0])) {
			return api.Because(http.StatusBadRequest, f.label+": the rule below has this itself: leave one of the two empty")
		}
	}
	return nil
}

// checkAnswer refuses combinations of fields whose errors would otherwise name members that the form does not show.
func checkAnswer(x *frame.Exchange) error {
	status, fault, retry := x.Value("status") != "", x.Value("fault") != "", x.Value("retry_after")
	_, err := strconv.ParseUint(retry, 10, 30)
	switch {
	case !status && !fault && x.Value("limit") == "" && x.Value("delay") == "":
		return api.Because(http.StatusBadRequest, "What happens: choose an error status or a connection fault, or write a limit or a delay")
	case status && fault:
		return api.Because(http.StatusBadRequest, "Connection fault: it takes the place of the error status: choose one of the two")
	case !status && (x.Value("message") != "" || retry != ""):
		return api.Because(http.StatusBadRequest, "Error status: choose one for the message and Retry-After to go with")
	case retry != "" && err != nil:
		return api.Because(http.StatusBadRequest, "Retry-After: a whole number of seconds, such as 7")
	}
	return nil
}

// written returns the member of a rule for the text of a field.
func (f faultField) written(text string) string {
	value := any(text)
	if f.value != nil {
		value = f.value(text)
	}
	written, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // of texts, lists and objects of them, none fails
	}
	return `"` + f.member + `":` + string(written)
}

// number returns a text as a JSON number. Other texts stay, for the language to refuse.
func number(text string) any {
	if value := jsontext.Value(text); value.IsValid() && value.Kind() == '0' {
		return value
	}
	return text
}

// delay reads a span, or two with a dash between: 500ms, 50ms-250ms.
func delay(text string) any {
	if least, greatest, ok := strings.Cut(text, "-"); ok {
		return map[string]any{"between": []string{strings.TrimSpace(least), strings.TrimSpace(greatest)}}
	}
	return map[string]any{"fixed": text}
}

// ErrorStatuses are the statuses that the form of a fault offers.
func ErrorStatuses() []int { return []int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503} }

var steerFuncs = template.FuncMap{
	"left":             func(f rules.Fault) int { return f.Rule.Times - f.Applied },
	"operations":       scenarios.OnAny.Values,
	"connectionFaults": scenarios.NoFault.Values,
	"statuses":         ErrorStatuses,
}
