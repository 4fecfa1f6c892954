package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/coverage"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// worlds returns the parts that change the world in which the command runs: what may change without a version, the state of the
// verification requests that it reads, nulls and values in what it reads, how webhooks arrive, and how the person of a session ends
// it. It also returns how many of them the baseline meets.
func (t *trial) worlds(ctx context.Context, baseline attempt) (groups []group, met int, err error) {
	for _, grease := range scenarios.Grease("").Values() {
		if grease != "off" {
			groups = append(groups, group{{name: "grease: " + string(grease), prepare: setting(func(s *scenarios.Settings) { s.Grease = grease })}})
		}
	}
	if requests := baseline.resources("verification request"); len(requests) > 0 {
		for _, state := range api.State("").Values() {
			if baseline.read(state) {
				met++
				continue
			}
			groups = append(groups, group{changing("state: "+string(state), requests, func(ctx context.Context, w *emulator.World, id string) error {
				_, err := w.Move(ctx, id, emulator.Move{State: state, Force: true})
				return err
			})})
		}
	}
	for _, op := range api.Operations() {
		if op.Method != http.MethodGet || op.Extension || len(baseline.callsOf(op.Name)) == 0 {
			continue
		}
		values, metValues, err := t.values(ctx, op, baseline)
		if err != nil {
			return nil, 0, err
		}
		groups, met = append(append(groups, t.nulls(op, baseline)), values...), met+metValues
	}
	if baseline.events {
		for _, manner := range scenarios.Manners.Lost.Values() {
			groups = append(groups, group{{name: "webhook: " + string(manner), prepare: func(ctx context.Context, w *emulator.World) error {
				_, err := w.AddFault(ctx, "{on: webhook, deliver: "+string(manner)+"}")
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
	return groups, met, nil
}

// setting returns how to prepare a world with a setting of its own.
func setting(change func(*scenarios.Settings)) func(context.Context, *emulator.World) error {
	return func(ctx context.Context, w *emulator.World) error {
		_, err := w.ChangeSettings(ctx, change)
		return err
	}
}

// changing returns a part that changes the resources with some ids, and the verification requests of the sessions that the command
// creates. It goes on after an error that the world gives for one: that resource cannot be so.
func changing(name string, ids []string, change func(ctx context.Context, w *emulator.World, id string) error) part {
	one := func(ctx context.Context, w *emulator.World, id string) error {
		if err := change(ctx, w, id); err != nil && !errors.As(err, new(*api.Error)) {
			return err
		}
		return nil
	}
	return part{
		name: name,
		prepare: func(ctx context.Context, w *emulator.World) (err error) {
			for _, id := range ids {
				err = errors.Join(err, one(ctx, w, id))
			}
			return err
		},
		created: func(ctx context.Context, w *emulator.World, session emulator.Verification) error {
			return one(ctx, w, session.ID)
		},
	}
}

// ofState are the keys whose nulls depend on the state.
var ofState = []string{"date_of_completion", "cancellation_reason", "cancellation_details", "reports"}

// nulls returns the part in which what an operation reads is null wherever the document allows it.
func (t *trial) nulls(op api.Operation, baseline attempt) group {
	fields := t.coverage.Fields(op)
	return group{changing(nameOf(op)+": nulls", baseline.resources(op.Resource), func(ctx context.Context, w *emulator.World, id string) error {
		above := "-" // the path that was made null last
		for _, path := range slices.Sorted(maps.Keys(fields)) {
			if !slices.Contains(fields[path].Types, "null") || slices.Contains(ofState, path) || strings.HasPrefix(path, above+".") {
				continue
			}
			switch err := set(ctx, w, op, id, path, nil); {
			case err == nil:
				above = path
			case !errors.As(err, new(*api.Error)): // of the world: this key follows from others
				return err
			}
		}
		return nil
	})}
}

// value is a value of an enumeration at a path of a document.
type value struct{ path, word string }

// values returns the parts in which what an operation reads has the values of the document that the baseline has not met, in the fields
// that it has: of each field one together, and then one by one. It also returns how many values the baseline meets.
func (t *trial) values(ctx context.Context, op api.Operation, baseline attempt) (groups []group, met int, err error) {
	var wanted []value
	fields := t.coverage.Fields(op)
	for _, path := range slices.Sorted(maps.Keys(fields)) {
		words := slices.DeleteFunc(slices.Clone(fields[path].Words), func(word string) bool { return t.coverage.Met(path, word) })
		had := len(fields[path].Words) - len(words)
		if path == "state" || had == 0 { // states are parts of their own; the baseline does not have the field
			continue
		}
		met += had
		for _, word := range words {
			wanted = append(wanted, value{path, word})
		}
	}
	ids := baseline.resources(op.Resource)
	as := func(v value) func(context.Context, *emulator.World, string) error {
		return func(ctx context.Context, w *emulator.World, id string) error {
			return set(ctx, w, op, id, v.path, v.word)
		}
	}
	if err := baseline.world.ClearJournal(ctx); err != nil { // which would be restored each time
		return nil, 0, err
	}
	whole, err := baseline.world.Snapshot(ctx)
	for len(wanted) > 0 && err == nil {
		var together, left []value
		if _, err = baseline.world.Restore(ctx, whole); err != nil {
			break
		}
		for _, v := range wanted {
			if slices.ContainsFunc(together, func(other value) bool { return other.path == v.path }) {
				left = append(left, v)
				continue
			}
			refused := error(nil)
			for _, id := range ids {
				if refused = as(v)(ctx, baseline.world, id); refused == nil {
					break
				}
			}
			switch {
			case refused == nil:
				together = append(together, v)
			case !errors.As(refused, new(*api.Error)):
				return nil, 0, refused
			case len(together) > 0: // which it may contradict; alone it follows from other fields
				left = append(left, v)
			}
		}
		var all group
		for _, v := range together {
			all = append(all, changing(nameOf(op)+": "+coverage.ValueName(v.path, v.word), ids, as(v)))
		}
		if wanted = left; len(all) > 1 {
			all = slices.Concat(group{all.together(fmt.Sprintf("%s: values %d", nameOf(op), len(groups)+1))}, all)
		}
		if len(all) > 0 {
			groups = append(groups, all)
		}
	}
	return groups, met, err
}

// together returns the part that plays all parts of a group.
func (g group) together(name string) part {
	return part{
		name: name, together: true,
		prepare: func(ctx context.Context, w *emulator.World) (err error) {
			for _, single := range g {
				err = errors.Join(err, single.prepare(ctx, w))
			}
			return err
		},
		created: func(ctx context.Context, w *emulator.World, session emulator.Verification) (err error) {
			for _, single := range g {
				err = errors.Join(err, single.created(ctx, w, session))
			}
			return err
		},
	}
}

// set sets the value at a path of the document of an operation: in a resource that it reads, of a list in its first element, and in all reports.
func set(ctx context.Context, w *emulator.World, op api.Operation, id, path string, value any) error {
	path, ofReport := strings.CutPrefix(path, "reports.*.")
	for _, key := range slices.Backward(strings.Split(strings.ReplaceAll(path, "*", "0"), ".")) {
		value = map[string]any{key: value}
	}
	change := map[string]any{"set": value}
	if ofReport {
		shown, err := w.VerificationRequest(ctx, id)
		if err != nil {
			return err
		}
		change = map[string]any{"reports": slices.Repeat([]any{change}, max(1, len(shown.Document.Reports)))}
	}
	text, err := json.Marshal(change)
	switch {
	case err != nil:
	case op.Resource == "verification request":
		_, err = w.ChangeVerificationRequest(ctx, id, string(text))
	default:
		_, err = w.ChangeQualificationCheck(ctx, id, string(text))
	}
	return err
}
