package console

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// showFaults shows what was put on the world's calls, and a form for more.
func showFaults(x *exchange) (answer, error) {
	faults, err := x.world.Faults(x.context())
	if err != nil {
		return nil, err
	}
	return page{name: "faults", title: "Faults", data: struct {
		Faults     []faultRow
		Operations []scenarios.Operation
		States     []api.State
		Kinds      []scenarios.Fault
		Statuses   []int
	}{
		faultRows(faults), scenarios.OnAny.Values(), api.State("").Values(), scenarios.NoFault.Values(),
		[]int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503},
	}}, nil
}

// faultRow is a fault as a list shows it.
type faultRow struct {
	world.Fault
	Words string
	JSON  string
	Left  int // to how many calls it still applies, where its rule says times
}

func faultRows(faults []world.Fault) (all []faultRow) {
	for _, f := range faults {
		all = append(all, faultRow{f, f.Rule.String(), string(f.Source), f.Rule.Times - f.Applied})
	}
	return all
}

// addFault puts on the world's calls what the form says: a rule in the language of scenario files, or made of its fields.
func addFault(x *exchange) (answer, error) {
	rule, err := x.rule()
	if err != nil {
		return x.again(showFaults, err)
	}
	lasts := time.Duration(0)
	if text := x.value("expires_in"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 {
			return x.again(showFaults, api.Because(http.StatusBadRequest, "How long the fault lasts is a span of the world's time, such as 10m, or nothing"))
		}
	}
	if _, err := x.world.AddFault(x.context(), rule, lasts); err != nil {
		return x.again(showFaults, err)
	}
	return done(x.here("faults"), "fault"), nil
}

// rule returns the rule that the form says.
func (x *exchange) rule() ([]byte, error) {
	if text := x.value("rule"); text != "" {
		return []byte(text), nil
	}
	rule := map[string]any{"on": x.value("on")}
	put := func(into map[string]any, name, field string) {
		if text := x.value(field); text != "" {
			into[name] = number(text)
		}
	}
	for _, name := range []string{"every", "times", "probability"} {
		put(rule, name, name)
	}
	for _, name := range []string{"calls", "limit", "fault"} {
		if text := x.value(name); text != "" {
			rule[name] = text
		}
	}
	if states := slices.DeleteFunc(slices.Clone(x.request.Form["state"]), func(s string) bool { return s == "" }); len(states) > 0 {
		rule["state"] = states
	}
	if text := x.value("delay"); text != "" {
		rule["delay"] = delay(text)
	}
	respond := make(map[string]any)
	put(respond, "status", "status")
	if text := x.value("message"); text != "" {
		respond["message"] = text
	}
	if text := x.value("retry_after"); text != "" {
		respond["headers"] = map[string]string{"Retry-After": text}
	}
	if len(respond) > 0 {
		rule["respond"] = respond
	}
	return json.Marshal(rule, json.Deterministic(true))
}

// number returns what a field says as a number, else as it is: what is wrong with that is for the language to say.
func number(text string) any {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n
	}
	return text
}

// delay reads a span, or two with a dash between: 500ms, 50ms-250ms.
func delay(text string) map[string]any {
	if least, greatest, ok := strings.Cut(text, "-"); ok {
		return map[string]any{"between": []string{strings.TrimSpace(least), strings.TrimSpace(greatest)}}
	}
	return map[string]any{"fixed": text}
}

// removeFault takes away the fault that the form names, or all.
func removeFault(x *exchange) (answer, error) {
	if id := x.value("id"); id != "" {
		if err := x.world.RemoveFault(x.context(), id); err != nil {
			return x.again(showFaults, err)
		}
		return done(x.here("faults"), "unfault"), nil
	}
	if err := x.world.RemoveFaults(x.context()); err != nil {
		return nil, err
	}
	return done(x.here("faults"), "unfaults"), nil
}
