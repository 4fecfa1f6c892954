package console

import (
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// showFaults shows the faults of the world, and a form for more.
func showFaults(x *exchange) (answer, error) {
	faults, err := x.world.Faults(x.context())
	if err != nil {
		return nil, err
	}
	return page{name: "faults", title: "Faults", data: struct {
		Faults     []world.Fault
		Operations []scenarios.Operation
		States     []api.State
		Kinds      []scenarios.Fault
		Statuses   []int
	}{
		faults, scenarios.OnAny.Values(), api.State("").Values(), scenarios.NoFault.Values(),
		[]int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503},
	}}, nil
}

// addFault puts on the world's calls what the form says: a rule in the language of scenario files, or made of its fields.
func addFault(x *exchange) (answer, error) {
	rule, err := x.rule()
	if err != nil {
		return x.again(inWorld(showFaults), err)
	}
	lasts := time.Duration(0)
	if text := x.value("expires_in"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 {
			return x.again(inWorld(showFaults), api.Because(http.StatusBadRequest, "Expires in: a span of the world's time, such as 10m, or nothing"))
		}
	}
	return x.act(func(w *world.World) error {
		_, err := w.AddFault(x.context(), rule, lasts)
		return err
	}, showFaults, done(x.here("faults"), "fault"))
}

// removeFault takes away the fault that the form names, or all.
func removeFault(x *exchange) (answer, error) {
	if id := x.value("id"); id != "" {
		return x.act(func(w *world.World) error { return w.RemoveFault(x.context(), id) }, showFaults, done(x.here("faults"), "unfault"))
	}
	return x.act(func(w *world.World) error { return w.RemoveFaults(x.context()) }, showFaults, done(x.here("faults"), "unfaults"))
}

// faultField is a field of the fault form, and the member of a rule that it makes.
type faultField struct {
	name, label string
	member      string
	answer      bool                  // the member is one of the rule's answer, respond
	value       func(text string) any // of the member; nil: the text
}

// faultFields lists the fields that make a rule, in the order of the form.
func faultFields() []faultField {
	return []faultField{
		{"on", "Operation", "on", false, nil},
		{"calls", "Calls", "calls", false, nil},
		{"every", "Every nth", "every", false, number},
		{"probability", "Probability", "probability", false, number},
		{"state", "While the request is", "state", false, func(text string) any { return []string{text} }},
		{"status", "Error status", "status", true, number},
		{"message", "Message", "message", true, nil},
		{"retry_after", "Retry-After", "headers", true, func(text string) any { return map[string]string{"Retry-After": text} }},
		{"fault", "Connection fault", "fault", false, nil},
		{"limit", "Limit", "limit", false, nil},
		{"delay", "Delay", "delay", false, delay},
		{"times", "Times", "times", false, number},
	}
}

// rule returns the rule that the form says, in the language of scenario files: as it is written, or made of the fields.
func (x *exchange) rule() ([]byte, error) {
	if text := x.value("rule"); text != "" {
		return []byte(text), x.checkAlone()
	}
	if err := x.checkAnswer(); err != nil {
		return nil, err
	}
	written, labels := x.ruleText()
	text, err := scenarios.RuleJSON("rule", []byte(written))
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		label := "What happens"
		if line := problems[0].At.Line - 1; line > 0 && line < len(labels) {
			label = labels[line]
		}
		return nil, api.Because(http.StatusBadRequest, label+": "+problems[0].What)
	}
	if err != nil {
		return nil, err
	}
	return text, (*jsontext.Value)(&text).Compact()
}

// checkAlone refuses fields beside a written rule.
func (x *exchange) checkAlone() error {
	for _, f := range faultFields() {
		if text := x.value(f.name); text != "" && !(f.name == "on" && text == string(scenarios.OnAny.Values()[0])) {
			return api.Because(http.StatusBadRequest, f.label+": the rule is written below, and says this itself: leave the field empty, or the rule")
		}
	}
	return nil
}

// seconds is a valid Retry-After of the form.
var seconds = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,9}$`) })

// checkAnswer refuses fields whose members the language would refuse under names that the form does not have.
func (x *exchange) checkAnswer() error {
	status, fault, retry := x.value("status") != "", x.value("fault") != "", x.value("retry_after")
	switch {
	case !status && !fault && x.value("limit") == "" && x.value("delay") == "":
		return api.Because(http.StatusBadRequest, "What happens: choose an error status or a connection fault, or write a limit or a delay")
	case status && fault:
		return api.Because(http.StatusBadRequest, "Connection fault: it takes the place of the error status: choose one of the two")
	case !status && (x.value("message") != "" || retry != ""):
		return api.Because(http.StatusBadRequest, "Error status: choose one for the message and Retry-After to go with")
	case retry != "" && !seconds().MatchString(retry):
		return api.Because(http.StatusBadRequest, "Retry-After: a whole number of seconds, such as 7")
	}
	return nil
}

// ruleText returns the rule of the fields with each member on a line of its own, and by these lines, from 0, the labels of
// the fields, to name the field in an error.
func (x *exchange) ruleText() (text string, labels []string) {
	var members, answer, answerLabels []string
	labels = []string{""}
	for _, f := range faultFields() {
		switch written := x.value(f.name); {
		case written == "":
		case f.answer:
			answer, answerLabels = append(answer, f.written(written)), append(answerLabels, f.label)
		default:
			members, labels = append(members, f.written(written)), append(labels, f.label)
		}
	}
	if answer != nil {
		members = append(members, "\"respond\":{\n"+strings.Join(answer, ",\n")+"}")
		labels = slices.Concat(labels, answerLabels[:1], answerLabels)
	}
	return "{\n" + strings.Join(members, ",\n") + "}", labels
}

// written writes the member that a field with a text makes.
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

// number returns what a field says as a number of JSON, else as it is: what is wrong with that is for the language to say.
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
