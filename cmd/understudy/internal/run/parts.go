package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// part is what the service plays in one run of the command.
type part struct {
	name  string
	on    string // the operation whose calls it changes; "": it changes the world
	every bool   // all calls of the operation, else the first alone

	prepare func(ctx context.Context, w *emulator.World) error // before the command begins
	// created is called when the command has created a session, before the answer leaves; nil: nothing is to be done.
	created func(ctx context.Context, w *emulator.World, session emulator.Verification) error

	together bool // the first of a group: it plays all others of the group at the same time
}

// act is one way in which the service answers a call.
type act struct {
	name   string
	rule   map[string]any // in the language of scenario files, without on and calls
	status int            // of the document; 0 for what no document allows
}

// acts returns the ways in which the service may answer a call of an operation: the statuses of the document, the faults of the
// connection, the outages of the catalogue, and an answer that comes too late.
func acts(op api.Operation, patience time.Duration) (all []act, err error) {
	for _, fault := range scenarios.NoFault.Values() {
		all = append(all, act{name: string(fault), rule: map[string]any{"fault": fault}})
	}
	all = append(all, act{name: "slow", rule: map[string]any{"delay": map[string]any{"fixed": patience.String()}}})
	outages, err := outages()
	for _, status := range op.Errors {
		respond := map[string]any{"status": status}
		if status == http.StatusTooManyRequests {
			respond["headers"] = map[string]string{"Retry-After": "1"}
		}
		outages = append(outages, act{name: fmt.Sprint(status), rule: map[string]any{"respond": respond}, status: status})
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
			all = append(all, act{name: s.Name, rule: rule})
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

// plan returns the parts that the service may play to a command, as its baseline calls it. It also returns how many are left out,
// because the baseline meets them.
func (t *trial) plan(ctx context.Context, baseline attempt) (groups []group, met int, err error) {
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
			groups = append(groups, played(op, a))
		}
	}
	worlds, metWorlds, err := t.worlds(ctx, baseline)
	return append(groups, worlds...), met + metWorlds, err
}

// played returns the parts in which an operation answers so.
func played(op api.Operation, a act) group {
	fault := func(name, calls string, every bool) part {
		rule := maps.Clone(a.rule)
		rule["on"] = ruleName(op)
		if calls != "" {
			rule["calls"] = calls
		}
		return part{name: nameOf(op) + ": " + name, on: op.Name, every: every, prepare: func(ctx context.Context, w *emulator.World) error {
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
