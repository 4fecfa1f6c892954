package scenarios

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/behavior"
	"github.com/understudy-sandbox/understudy/scenarios/internal/decode"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// validateRule finds a rule that no call can match, that has no effect, or that has two answers.
func (v *validator) validateRule(at decode.Path, rule Rule) {
	v.validateCondition(at, rule)
	if rule.On == behavior.OnWebhook || rule.Deliver != nil {
		v.validateDeliver(at, rule)
		return
	}
	switch {
	case !v.Valid(at.To("respond"), at.To("fault"), at.To("limit"), at.To("delay"), at.To("calls"), at.To("every"), at.To("times")):
		// a problem may explain what is missing
	case rule.Respond != nil && rule.Fault != NoFault:
		v.Reject(at, "a rule has one answer: write respond or fault, and the other in a rule of its own, such as - {on: %s, fault: %s}", cmp.Or(rule.On, behavior.OnAny), rule.Fault)
	case rule.Limit != (Limit{}) && rule.Fault != NoFault:
		v.Reject(at, "a limit answers 429 or the error of respond: leave fault out")
	case rule.Limit != (Limit{}) && (behavior.CountsCalls(&rule) || rule.Times > 0):
		v.Reject(at, "a limit goes with on, state, between and respond only: leave the other conditions out, such as - {on: %s, limit: 10/s}", cmp.Or(rule.On, behavior.OnAny))
	case !behavior.Answers(&rule) && rule.Delay == nil:
		v.Reject(at, "a rule needs an effect, such as respond: {status: 500}, delay: {fixed: 1s} or fault: connection-reset")
	}
	if rule.Respond != nil {
		v.validateResponse(at, rule)
	}
}

// validateDeliver finds what a rule on webhooks cannot have, and a delivery of what is none.
func (v *validator) validateDeliver(at decode.Path, rule Rule) {
	if rule.On != behavior.OnWebhook {
		if v.Valid(at.To("on")) {
			v.RejectKey(at.To("deliver"), "deliver is for webhooks: write on: webhook, or fault for a call")
		}
		return
	}
	effect := rule.Deliver != nil || !v.Valid(at.To("deliver"))
	for key, written := range map[string]bool{
		"respond": rule.Respond != nil, "fault": rule.Fault != NoFault, "delay": rule.Delay != nil, "limit": rule.Limit != (Limit{}),
	} {
		if written {
			v.RejectKey(at.To(key), "%s is for calls, and a webhook is none: write deliver, such as deliver: lost", key)
		}
		effect = effect || written || !v.Valid(at.To(key))
	}
	if !effect {
		v.Reject(at, "a rule on webhooks needs an effect, such as deliver: twice or deliver: {late: 2h}")
	}
}

// validateCondition finds conditions that no call can meet.
func (v *validator) validateCondition(at decode.Path, rule Rule) {
	on, magic := at.To("on"), decode.Path{"magic"}
	if v.Valid(on) && rule.On == "" {
		v.Reject(at, "a rule needs an operation (any, get, cancel, update, create, list, report or reverify), such as on: get, or on: webhook")
	} else if rule.On == behavior.OnWebhook {
		if v.Valid(magic) && !v.s.Magic.verifies() && !v.s.Magic.global() {
			v.Reject(on, "webhooks are about verification requests, which this scenario has not: give it magic: {verification_request: vr_late}")
		}
	} else if v.Valid(on, magic) && len(v.operations(rule.On)) == 0 {
		verbs := verbsOf(v.operations(behavior.OnAny))
		v.Reject(on, "the magic values of this scenario have no operation %s, only %s: write on: %s", rule.On, strings.Join(verbs, ", "), verbs[0])
	}
	if len(rule.State) > 0 && !v.s.Magic.verifies() && !v.s.Magic.global() && v.Valid(magic) {
		v.RejectKey(at.To("state"), "state is the state of a verification request, which this scenario has not: leave it out")
	} else if _, resource, limited := strings.Cut(string(rule.On), " "); len(rule.State) > 0 && limited && resource != VerificationRequestID.key() {
		v.RejectKey(at.To("state"), "state is the state of a verification request, which on: %s is not about: leave it out", rule.On)
	}
	if b := rule.Between; b != nil && v.Valid(at.To("between")) && (len(b) != 2 || b[0] >= b[1]) {
		v.Reject(at.To("between"), "between takes two spans of time since the world began, the shorter first: write between: [2h, 3h]")
	}
	if rule.Every < 0 {
		v.Reject(at.To("every"), "every may not be negative: write every: 5 for the fifth call, the tenth and so on")
	}
	if rule.Times < 0 {
		v.Reject(at.To("times"), "times may not be negative: write times: 3 for a rule that applies to three calls")
	}
}

// operations lists the operations that the rule covers, of those that the scenario's magic values have; a global scenario has
// all.
func (v *validator) operations(on Operation) []api.Operation {
	return slices.DeleteFunc(api.Operations(), func(op api.Operation) bool {
		return !behavior.Covers(on, op) || !v.s.Magic.global() && !v.s.Magic.calledBy(op)
	})
}

// verbsOf returns the verbs of operations.
func verbsOf(operations []api.Operation) (named []string) {
	for _, verb := range behavior.Verbs {
		if slices.ContainsFunc(operations, func(op api.Operation) bool { return behavior.Covers(verb, op) }) {
			named = append(named, string(verb))
		}
	}
	return named
}

// reservedHeaders are set by the emulator alone.
var reservedHeaders = []string{"Connection", "Content-Length", "Content-Type", "Date", "Trailer", "Transfer-Encoding", "Upgrade"}

func (v *validator) validateResponse(at decode.Path, rule Rule) {
	respond, r := at.To("respond"), rule.Respond
	v.validateStatus(at, rule)
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		v.validateHeader(respond.To("headers", name), name, r.Headers[name])
	}
	for _, name := range slices.Sorted(maps.Keys(r.Dates)) {
		v.validateHeader(respond.To("dates", name), name, "")
	}
	if !validHeaderValue(r.ContentType) {
		v.Reject(respond.To("content_type"), "content_type may have up to 1000 printable ASCII characters, such as content_type: text/html")
	}
}

// validateHeader finds headers that no rule may set.
func (v *validator) validateHeader(at decode.Path, name, value string) {
	switch canonical := http.CanonicalHeaderKey(name); {
	case !consistsOf(name, alphanumeric+"!#$%&'*+.^_`|~-", 64):
		v.RejectKey(at, `%s is not the name of a header, such as headers: {Retry-After: "1"}`, source.Quote(name))
	case canonical == "Content-Type":
		v.RejectKey(at, "the header Content-Type has a key of its own: write content_type: text/html")
	case slices.Contains(reservedHeaders, canonical) || strings.HasPrefix(canonical, "Understudy-"):
		v.RejectKey(at, "the header %s is set by the emulator: leave it out", canonical)
	case !validHeaderValue(value):
		v.Reject(at, `the header %s may have up to 1000 printable ASCII characters, such as headers: {Retry-After: "1"}`, canonical)
	}
}

func validHeaderValue(text string) bool {
	return len(text) <= 1000 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// validateStatus rejects a status that does not go with the rest of the answer, and warns of one that the spec does not list.
func (v *validator) validateStatus(at decode.Path, rule Rule) {
	respond, r := at.To("respond"), rule.Respond
	path, body := respond.To("status"), respond.To("body")
	switch bodiless := r.Status == http.StatusNoContent || r.Status == http.StatusNotModified; {
	case !v.Valid(path, body):
	case r.Status == 0:
		dressed := r.Headers != nil || r.Dates != nil || r.ContentType != "" || r.Omit != nil
		if v.Valid(respond) && (!dressed || r.Message != "" || r.Body != nil) { // an unknown key may be what was meant
			v.Reject(respond, "respond needs a status from 200 to 599: write respond: {status: 500}")
		}
	case r.Status < 200 || r.Status > 599:
		v.Reject(path, "status %d is not a status from 200 to 599: write status: 500", r.Status)
	case r.Message != "" && (r.Body != nil || r.Status < 400):
		v.RejectKey(respond.To("message"), "message is that of an error from 400, which body replaces: leave it out")
	case r.Body == nil && r.Status < 400:
		v.Reject(path, "status %d needs a body, which may be none: write respond: {status: %d, body: none}, or leave status out for the answer of the call itself", r.Status, r.Status)
	case bodiless && r.Body.Text != "":
		v.Reject(body, "status %d never has a body: write body: none", r.Status)
	case v.Valid(at.To("on"), decode.Path{"magic"}):
		v.warnStatus(path, rule)
	}
}

// warnStatus warns of a status that the spec does not list for an operation of the rule.
func (v *validator) warnStatus(path decode.Path, rule Rule) {
	status := rule.Respond.Status
	unlisted := slices.DeleteFunc(v.operations(rule.On), func(op api.Operation) bool {
		return op.Extension || status == op.Success || slices.Contains(op.Errors, status)
	})
	if len(unlisted) == 0 {
		return
	}
	verbs := verbsOf(unlisted)
	last := len(verbs) - 1
	operations := strings.TrimPrefix(strings.Join(verbs[:last], ", ")+" and "+verbs[last], " and ")
	listed := slices.DeleteFunc(slices.Clone(unlisted[0].Errors), func(status int) bool {
		return slices.ContainsFunc(unlisted, func(op api.Operation) bool { return !slices.Contains(op.Errors, status) })
	})
	words := strings.Trim(strings.ReplaceAll(fmt.Sprint(listed), " ", ", "), "[]")
	v.Warn(path, "%d is not among the statuses that the spec lists for %s: %s", status, operations, words)
}
