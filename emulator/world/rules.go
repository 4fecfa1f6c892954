package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Broken is the error of a call that a rule's fault prevents: it is not carried out, and has no answer.
type Broken struct{ Fault scenarios.Fault }

// Error names the fault.
func (b *Broken) Error() string { return "fault " + string(b.Fault) }

// Asked is what a call asks, as far as rules look at it.
type Asked struct {
	Operation scenarios.Operation
	Kind      scenarios.Kind // of the resource; "" for an operation that has none yet
	ID        string         // of the resource
	Reads     bool           // it will show a verification request unless a rule answers
}

// Judge decides a call by the world's faults, then by the rules of the resource's scenario, then by those of global
// scenarios, and counts it by all of them. Its error is the answer of the first that decides: an [*api.Error] or a
// [*Broken]. What else rules do is in [World.Delay] and [World.Damage], and explained by [World.Notes].
func (w *World) Judge(ctx context.Context, asked Asked) error {
	rulings, err := w.faults()
	if err != nil {
		return err
	}
	s, err := w.scenarioOf(ctx, asked.Kind, asked.ID)
	if err != nil {
		return err
	}
	if s != nil && len(s.Rules) > 0 {
		r := ruling{scenario: s, place: placeOf(asked.Kind, asked.ID)}
		if s.DependsOnState() {
			r.moving = new(asked)
		}
		rulings = append(rulings, r)
	}
	for _, global := range w.global {
		rulings = append(rulings, ruling{scenario: global, place: "all/" + global.Name})
	}
	c := scenarios.Call{Operation: asked.Operation}
	if asked.Kind == scenarios.VerificationRequestID && slices.ContainsFunc(rulings, func(r ruling) bool { return r.scenario.DependsOnState() }) {
		if c.State, err = w.state(ctx, asked.ID); err != nil {
			return err
		}
	}
	return w.decide(ctx, c, rulings...)
}

// scenarioOf returns the scenario of a resource, nil when it has none.
func (w *World) scenarioOf(ctx context.Context, kind scenarios.Kind, id string) (*scenarios.Scenario, error) {
	if s := w.catalogue.ByID(kind, id); s != nil || kind != scenarios.VerificationRequestID {
		return s, nil
	}
	stored, err := w.load(ctx, id)
	if err != nil || stored == nil {
		return nil, err
	}
	v, err := w.decoded(id, stored)
	return w.catalogue.ByName(v.Scenario), err
}

// state returns the state in which a call finds a verification request, "" when there is no such request.
func (w *World) state(ctx context.Context, id string) (api.State, error) {
	stored, err := w.load(ctx, id)
	if err != nil {
		return "", err
	}
	v, err := w.verification(id, stored)
	if unknown := (*api.Error)(nil); errors.As(err, &unknown) {
		return "", nil
	}
	return v.Progress.State, err
}

// ruling is a scenario whose rules a call meets, and the place where it counts calls.
type ruling struct {
	scenario *scenarios.Scenario
	place    string
	moving   *Asked // of a verification request whose state its rules mind; nil else
	scenarios.Decision
}

// placeOf names the place where calls on a resource are counted: as the resource itself is remembered.
func placeOf(kind scenarios.Kind, id string) string {
	switch kind {
	case scenarios.VerificationRequestID:
		return verificationName(id)
	case scenarios.TenantPropertyID:
		return tenantName(id)
	default:
		return qualificationName(id)
	}
}

// decide has every ruling count the call; the first that answers is what becomes of it. One that minds the state of its
// verification request comes last to count, when it is known whether the call goes on to that.
func (w *World) decide(ctx context.Context, c scenarios.Call, rulings ...ruling) error {
	c.Seed, c.Now = w.fixtures.Seed, w.now
	var moving *ruling
	for i := range rulings {
		r := &rulings[i]
		if r.moving != nil {
			moving = r
		} else if err := w.judge(ctx, c, r); err != nil {
			return err
		}
	}
	if moving != nil {
		answered := slices.ContainsFunc(rulings, func(r ruling) bool { return r.answers() })
		if err := w.judgeInState(ctx, c, moving, moving.moving.Reads && !answered); err != nil {
			return err
		}
	}
	for i := range rulings {
		if r := &rulings[i]; r.Delay > 0 {
			w.delay += r.Delay
			w.notes = append(w.notes, fmt.Sprintf("scenario %s holds the answer back for %s, by its %s", r.scenario.Name, r.Delay.Round(time.Microsecond), placesOf(r.Delaying...)))
		}
	}
	for i := range rulings {
		if r := &rulings[i]; r.Rule != nil {
			w.scenario, w.rule = r.scenario.Name, r.Rule
			return w.outcome(r)
		}
	}
	return nil
}

// answers reports whether the resource is not asked any more.
func (r ruling) answers() bool {
	return r.Rule != nil && (r.Rule.Fault == scenarios.NoFault || r.Rule.Fault.Prevents())
}

// judgeInState has the ruling of a verification request decide and count a call, and the request be read when it is the
// one to answer: all in one atomic step, since what the next call finds depends on the read, and the count on what it
// finds.
func (w *World) judgeInState(ctx context.Context, c scenarios.Call, r *ruling, reads bool) error {
	id := r.moving.ID
	stored, err := w.load(ctx, id)
	if err != nil {
		return err
	}
	v, err := w.verification(id, stored)
	if err != nil {
		return err
	}
	judge := func() (counted bool) {
		var after scenarios.Counters
		c.State = v.Progress.State
		r.Decision, after, counted = r.scenario.Evaluate(c, v.Tally)
		v.Tally = after
		return counted
	}
	before := v
	counted := judge()
	if !counted && !(reads && !r.answers() && before.counts(w, stored)) {
		return nil
	}
	return w.changeVerification(ctx, w.update, id, &v, func() error {
		judge()
		if w.read = reads && !r.answers(); w.read {
			v.read(w)
		}
		return nil
	})
}

// judge has one ruling decide and count the call, in one atomic step where the count matters.
func (w *World) judge(ctx context.Context, c scenarios.Call, r *ruling) error {
	if len(r.scenario.Rules) == 0 {
		return nil
	}
	name := tallyName(r.place)
	stored, err := w.get(ctx, name)
	if err != nil {
		return err
	}
	tally, err := decodeCounters(stored)
	if err != nil {
		return err
	}
	var counted bool
	if r.Decision, _, counted = r.scenario.Evaluate(c, tally); !counted {
		return nil
	}
	return w.update(ctx, name, func(old []byte) ([]byte, error) {
		tally, err := decodeCounters(old)
		if err != nil {
			return nil, err
		}
		var after scenarios.Counters
		if r.Decision, after, counted = r.scenario.Evaluate(c, tally); !counted {
			return old, nil
		}
		return json.Marshal(after)
	})
}

// tallyName is the name under which a world remembers what was counted in a place.
func tallyName(place string) string { return "calls/" + place }

func decodeCounters(stored []byte) (tally scenarios.Counters, err error) {
	if stored == nil {
		return tally, nil
	}
	if err := json.Unmarshal(stored, &tally); err != nil {
		return tally, fmt.Errorf("read what was counted: %w", err)
	}
	return tally, nil
}

// outcome returns the answer of the rule that decided, nil when the answer is the resource's and only its way is not.
func (w *World) outcome(r *ruling) error {
	if fault := r.Rule.Fault; fault != scenarios.NoFault {
		w.notes = append(w.notes, r.explain("has the fault "+string(fault)))
		if fault.Prevents() {
			return &Broken{fault}
		}
		w.damage = fault
		return nil
	}
	status := http.StatusTooManyRequests
	if r.Rule.Respond != nil {
		status = r.Rule.Respond.Status
	}
	answer := api.NewError(status, r.explain("answers so"))
	if r.Wait > 0 {
		answer.Diagnosis += ": above " + r.Rule.Limit.String() + " on the world's clock" + w.ifFrozen()
		answer.SetHeader("Retry-After", seconds(r.Wait))
	}
	if r.Rule.Respond != nil {
		if r.Rule.Respond.Message != "" {
			answer.Message = r.Rule.Respond.Message
		}
		for name, value := range r.Rule.Respond.Headers {
			answer.SetHeader(name, value)
		}
	}
	return answer
}

// explain says that the ruling's scenario does something, and by which rule.
func (r *ruling) explain(does string) string {
	said := fmt.Sprintf("scenario %s %s, by its %s", r.scenario.Name, does, placesOf(r.Rule))
	if r.Call > 0 {
		said += fmt.Sprintf(", at call %d", r.Call)
	}
	return said
}

// placesOf says where rules stand.
func placesOf(rules ...*scenarios.Rule) string {
	var places []string
	for _, r := range rules {
		places = append(places, r.At.String())
	}
	if len(places) == 1 {
		return "rule at " + places[0]
	}
	return "rules at " + strings.Join(places, " and ")
}
