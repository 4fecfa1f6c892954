package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// maxFaults is how many faults a world has at once: every call goes through all of them.
const maxFaults = 100

// faultPrefix begins the ids of faults.
const faultPrefix = "fault-"

// faultID returns the id of a world's fault, by its number among all that it was given.
func faultID(number int) string { return faultPrefix + strconv.Itoa(number) }

// faultNumber returns a fault's number, 0 for what is the id of none.
func faultNumber(id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, faultPrefix))
	if err != nil || number < 1 || faultID(number) != id {
		return 0
	}
	return number
}

// ValidFaultID reports whether a fault can have an id.
func ValidFaultID(id string) bool { return faultNumber(id) > 0 }

// storedFault is a rule that was put on a world at run time, as its record has it.
type storedFault struct {
	ID      string          `json:"id"`
	Rule    json.RawMessage `json:"rule"` // in the language of scenario files, as JSON
	Expires *time.Time      `json:"expires,omitempty"`
}

// Fault is a rule that was put on a world at run time. It is judged for every call, before all others.
type Fault struct {
	ID      string
	Rule    *scenarios.Rule
	Source  json.RawMessage // of the rule, in JSON
	Expires *time.Time      // by the world's clock; nil: never
	Applied int             // to how many calls, where the rule says times
}

// Behind reports whether the fault was put on later than one with another id, which may be gone; than "", always.
func (f Fault) Behind(other string) bool { return faultNumber(f.ID) > faultNumber(other) }

// scenario is the scenario that consists of the rule.
func (f storedFault) scenario() (*scenarios.Scenario, error) {
	rule, problems := scenarios.ParseRule(f.ID, f.Rule)
	if problems.Errors() > 0 {
		return nil, fmt.Errorf("read %s: %w", f.ID, problems)
	}
	return &scenarios.Scenario{Name: f.ID, Rules: []scenarios.Rule{*rule}}, nil
}

func (f storedFault) over(now time.Time) bool { return f.Expires != nil && !now.Before(*f.Expires) }

// faults returns the rulings of the faults that are on.
func (w *World) faults() (rulings []ruling, err error) {
	for _, f := range w.record.Faults {
		if f.over(w.now) {
			continue
		}
		s, err := f.scenario()
		if err != nil {
			return nil, err
		}
		rulings = append(rulings, ruling{scenario: s, place: "fault/" + f.ID})
	}
	return rulings, nil
}

// Faults returns the faults that are on, in the order in which they were put on.
func (w *World) Faults(ctx context.Context) (all []Fault, err error) {
	for _, f := range w.record.Faults {
		if f.over(w.now) {
			continue
		}
		fault, err := w.fault(ctx, f)
		if err != nil {
			return nil, err
		}
		all = append(all, fault)
	}
	return all, nil
}

func (w *World) fault(ctx context.Context, f storedFault) (Fault, error) {
	s, err := f.scenario()
	if err != nil {
		return Fault{}, err
	}
	stored, err := w.get(ctx, tallyName("fault/"+f.ID))
	if err != nil {
		return Fault{}, err
	}
	tally, err := decodeCounters(stored)
	return Fault{ID: f.ID, Rule: &s.Rules[0], Source: f.Rule, Expires: f.Expires, Applied: tally.Applied["0"]}, err
}

// AddFault puts a rule, in the language of scenario files as YAML or JSON, on every call from now on; a span of the world's time ends it,
// 0 does not. Its error for a rule that is not right is an [*api.Error].
func (w *World) AddFault(ctx context.Context, rule []byte, lasts time.Duration) (Fault, error) {
	source, err := scenarios.RuleJSON("rule", rule)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return Fault{}, api.Because(http.StatusBadRequest, "The rule is not right: "+problems[0].At.String()+": "+problems[0].What)
	}
	if err != nil {
		return Fault{}, err
	}
	used, err := w.usedUp(ctx)
	if err != nil {
		return Fault{}, err
	}
	var added storedFault
	err = w.changeRecord(ctx, func(r record) (record, error) {
		now := r.now(w.worlds.config.Clock)
		r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f storedFault) bool { return f.over(now) })
		if r.Faults = giveWay(r.Faults, used); len(r.Faults) >= maxFaults {
			return r, api.Because(http.StatusConflict, fmt.Sprintf("A world has %d faults at most: take some away first", maxFaults))
		}
		r.FaultsMade++
		added = storedFault{ID: faultID(r.FaultsMade), Rule: source}
		if lasts > 0 {
			added.Expires = new(now.Add(lasts))
			if year := added.Expires.UTC().Year(); year > lastYear {
				return r, api.Because(http.StatusBadRequest, fmt.Sprintf(
					"The fault would end in the year %d, and the clock goes to the year %d only: let it last for less", year, lastYear))
			}
		}
		r.Faults = append(r.Faults, added)
		return r, nil
	})
	if err != nil {
		return Fault{}, err
	}
	return w.fault(ctx, added)
}

// usedUp returns the ids of the faults that have applied as often as they may, where a world has as many as it may have.
func (w *World) usedUp(ctx context.Context) (ids []string, err error) {
	if len(w.record.Faults) < maxFaults {
		return nil, nil
	}
	all, err := w.Faults(ctx)
	for _, f := range all {
		if f.Rule.Times > 0 && f.Applied >= f.Rule.Times {
			ids = append(ids, f.ID)
		}
	}
	return ids, err
}

// giveWay takes the earliest of those away that are used up, where there is no room for one more.
func giveWay(faults []storedFault, used []string) []storedFault {
	return slices.DeleteFunc(faults, func(f storedFault) bool {
		if len(faults) < maxFaults || !slices.Contains(used, f.ID) {
			return false
		}
		used = nil
		return true
	})
}

// RemoveFault takes a fault away. Its error for an id that no fault has is an [*api.Error].
func (w *World) RemoveFault(ctx context.Context, id string) error {
	return w.changeRecord(ctx, func(r record) (record, error) {
		before := len(r.Faults)
		r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f storedFault) bool { return f.ID == id })
		if len(r.Faults) == before {
			return r, api.Because(http.StatusNotFound, "There is no fault "+api.Quote(id))
		}
		return r, nil
	})
}

// RemoveFaults takes all faults away.
func (w *World) RemoveFaults(ctx context.Context) error {
	return w.changeRecord(ctx, func(r record) (record, error) {
		r.Faults = nil
		return r, nil
	})
}
