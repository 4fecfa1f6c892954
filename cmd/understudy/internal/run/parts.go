package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/document"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// part is what the service plays in one run of the command.
type part struct {
	name  string
	on    string // the operation whose calls it changes; "": it changes the world
	every bool   // all calls of the operation, else the first alone
	harm  int    // of a client that cannot act with it: the least number is the worst

	prepare func(ctx context.Context, w *emulator.World) error // before the command begins
	// created is called when the command has created a session, before the answer leaves; nil: nothing is to be done.
	created func(ctx context.Context, w *emulator.World, session emulator.Verification) error
}

// act is one way in which the service answers a call.
type act struct {
	name   string
	rule   map[string]any // in the language of scenario files, without on and calls
	harm   int
	status int // of the document; 0 for what no document allows
}

// acts returns the ways in which the service may answer a call of an operation: the statuses of the document, the faults of the
// connection, the outages of the catalogue, and an answer that comes too late.
func acts(op api.Operation, patience time.Duration) (all []act, err error) {
	for _, fault := range scenarios.NoFault.Values() {
		all = append(all, act{name: string(fault), rule: map[string]any{"fault": fault}, harm: 0})
	}
	all = append(all, act{name: "slow", rule: map[string]any{"delay": map[string]any{"fixed": patience.String()}}, harm: 1})
	outages, err := outages()
	for _, status := range op.Errors {
		respond := map[string]any{"status": status}
		if status == http.StatusTooManyRequests {
			respond["headers"] = map[string]string{"Retry-After": "1"}
		}
		outages = append(outages, act{name: fmt.Sprint(status), rule: map[string]any{"respond": respond}, harm: 2, status: status})
	}
	return append(all, outages...), err
}

// outages returns the answers of the catalogue that are not in the document: those whose magic value begins with one of these.
func outages() (all []act, err error) {
	catalogue, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	for _, s := range catalogue.All() {
		id := s.Magic.VerificationRequest
		if !slices.ContainsFunc([]string{"vr_outage_", "vr_limited_", "vr_wrong_"}, func(kind string) bool { return strings.HasPrefix(id, kind) }) {
			continue
		}
		var of struct{ Rules []map[string]any }
		if err := sourceOf(s, &of); err != nil {
			return nil, err
		}
		for _, rule := range of.Rules {
			delete(rule, "on")
			all = append(all, act{name: s.Name, rule: rule, harm: 1})
		}
	}
	return all, nil
}

// sourceOf decodes the text of a scenario.
func sourceOf(s *scenarios.Scenario, into any) error {
	text, _, err := scenarios.JSON(s.Name, []byte(s.Source()))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// ruleName returns the operation as rules name it.
func ruleName(op api.Operation) string {
	return op.Verb + " " + strings.ReplaceAll(op.Resource, " ", "_")
}

// nameOf returns the operation as parts name it: by its verb, with its resource where another of the specification has the verb.
func nameOf(op api.Operation) string {
	same := func(other api.Operation) bool {
		return other.Verb == op.Verb && other.Name != op.Name && !other.Extension
	}
	if slices.ContainsFunc(api.Operations(), same) {
		return ruleName(op)
	}
	return op.Verb
}

// group is parts of which a later one is played only when the first one has not shown the same.
type group []part

// plan returns the parts that the service may play to a command, as its baseline calls it, the most harmful first. It also returns
// how many are left out, because the baseline meets them.
func (t *trial) plan(baseline attempt) (groups []group, met int, err error) {
	for _, op := range api.Operations() {
		calls := baseline.callsOf(op.Name)
		if len(calls) == 0 {
			continue
		}
		all, err := acts(op, t.patience)
		if err != nil {
			return nil, 0, err
		}
		for _, a := range all {
			if a.status != 0 && slices.ContainsFunc(calls, func(e *emulator.JournalEntry) bool { return e.Status == a.status }) {
				met++
				continue
			}
			if op.Method == http.MethodGet {
				a.harm += 3
			}
			groups = append(groups, played(op, a))
		}
	}
	worlds, known := t.worlds(baseline)
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(a[0].harm, b[0].harm) })
	return append(groups, worlds...), met + known, nil
}

// played returns the parts in which an operation answers so.
func played(op api.Operation, a act) group {
	fault := func(name, calls string, every bool) part {
		rule := maps.Clone(a.rule)
		rule["on"] = ruleName(op)
		if calls != "" {
			rule["calls"] = calls
		}
		return part{name: nameOf(op) + ": " + name, on: op.Name, every: every, harm: a.harm, prepare: func(ctx context.Context, w *emulator.World) error {
			text, err := json.Marshal(rule)
			if err == nil {
				_, err = w.AddFault(ctx, string(text))
			}
			return err
		}}
	}
	if a.rule["times"] != nil || a.rule["calls"] != nil {
		return group{fault(a.name, "", false)}
	}
	return group{fault(a.name+", first call", "1", false), fault(a.name+", all calls", "", true)}
}

// worlds returns the parts that change the world in which the command runs: what may change without a version, the state of the
// verification requests that it reads, how webhooks arrive, how the person of a session ends it, and nulls. It also returns how many of them the baseline
// meets.
func (t *trial) worlds(baseline attempt) (groups []group, met int) {
	for _, grease := range scenarios.Grease("").Values() {
		if grease != "off" {
			groups = append(groups, group{{name: "grease: " + string(grease), prepare: setting(func(s *scenarios.Settings) { s.Grease = grease })}})
		}
	}
	requests, states, reads := baseline.requests()
	if len(requests) > 0 {
		for _, state := range api.State("").Values() {
			if slices.Contains(states, state) {
				met++
				continue
			}
			name := "state: " + string(state)
			groups = append(groups, group{eachRequest(name, requests, func(ctx context.Context, w *emulator.World, id string) error {
				_, err := w.Move(ctx, id, emulator.Move{State: state, Force: true})
				return err
			})})
		}
	}
	if reads {
		groups = append(groups, group{eachRequest("get verification_request: nulls", requests, nullRequest)})
	}
	if checks := baseline.resources("qualification check"); len(checks) > 0 {
		groups = append(groups, group{{name: "get qualification_check: nulls", prepare: func(ctx context.Context, w *emulator.World) error {
			return each(checks, func(id string) error { return nullCheck(ctx, w, id) })
		}}})
	}
	if baseline.told {
		for _, manner := range manners {
			groups = append(groups, group{{name: "webhook: " + manner, prepare: func(ctx context.Context, w *emulator.World) error {
				_, err := w.AddFault(ctx, "{on: webhook, deliver: "+manner+"}")
				return err
			}}})
		}
	}
	if baseline.sessions() {
		manual := setting(func(s *scenarios.Settings) { s.SessionFlow = scenarios.FlowManual })
		groups = append(groups, group{{name: "session: nobody uses the token", prepare: manual}})
		for _, outcome := range []string{"failure", "abandoned"} {
			groups = append(groups, group{{name: "session: " + outcome, prepare: manual, created: func(ctx context.Context, w *emulator.World, session emulator.Verification) error {
				_, err := w.FinishSession(ctx, session.SessionID, outcome)
				return err
			}}})
		}
	}
	return groups, met
}

// manners are what goes wrong with webhooks, in the language of scenario files.
var manners = []string{"twice", "lost", "late", "out-of-order", "wrong-token", "before-answer"}

// setting returns how to prepare a world with a setting of its own.
func setting(change func(*scenarios.Settings)) func(context.Context, *emulator.World) error {
	return func(ctx context.Context, w *emulator.World) error {
		_, err := w.ChangeSettings(ctx, change)
		return err
	}
}

// eachRequest returns a part that changes the verification requests with some ids, and those of the sessions that the command
// creates.
func eachRequest(name string, ids []string, change func(ctx context.Context, w *emulator.World, id string) error) part {
	return part{
		name: name,
		prepare: func(ctx context.Context, w *emulator.World) error {
			return each(ids, func(id string) error { return change(ctx, w, id) })
		},
		created: func(ctx context.Context, w *emulator.World, session emulator.Verification) error {
			return change(ctx, w, session.ID)
		},
	}
}

// each calls change for ids, and goes on after an error that the world gives for one: that resource cannot be so.
func each(ids []string, change func(id string) error) error {
	for _, id := range ids {
		if err := change(id); err != nil && !errors.As(err, new(*api.Error)) {
			return err
		}
	}
	return nil
}

// nullRequest makes null what may be null in a verification request and its reports: as the scenario all-null has it, without what
// depends on the state.
func nullRequest(ctx context.Context, w *emulator.World, id string) error {
	catalogue, err := scenarios.Load()
	if err != nil {
		return err
	}
	var of struct {
		Request struct{ Set map[string]any } `json:"verification_request"`
		Reports []map[string]any             `json:"reports"`
	}
	if err := sourceOf(catalogue.ByName("all-null"), &of); err != nil {
		return err
	}
	for _, key := range []string{"date_of_completion", "cancellation_reason", "cancellation_details"} {
		delete(of.Request.Set, key)
	}
	shown, err := w.VerificationRequest(ctx, id)
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{
		"set": of.Request.Set, "reports": slices.Repeat(of.Reports[:1], max(1, len(shown.Document.Reports))),
	})
	if err == nil {
		_, err = w.ChangeVerificationRequest(ctx, id, string(text))
	}
	return err
}

// nullCheck makes null each key of a qualification check that may be null by the document.
func nullCheck(ctx context.Context, w *emulator.World, id string) error {
	all, err := document.Operations()
	if err != nil {
		return err
	}
	check := all[slices.IndexFunc(all, func(op document.Operation) bool { return op.ID == "getQualificationCheck" })]
	fields := check.Responses[http.StatusOK].Body
	above := "-" // the path that was made null last
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(fields[path].Types, "null") || strings.Contains(path, "*") || strings.HasPrefix(path, above+".") {
			continue
		}
		var set any
		for _, key := range slices.Backward(strings.Split(path, ".")) {
			set = map[string]any{key: set}
		}
		text, err := json.Marshal(map[string]any{"set": set})
		if err == nil {
			_, err = w.ChangeQualificationCheck(ctx, id, string(text))
		}
		if err == nil {
			above = path
		} else if !errors.As(err, new(*api.Error)) { // of the world: this key follows from others
			return err
		}
	}
	return nil
}
