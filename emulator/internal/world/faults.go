package world

import (
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

// maxFaults is how many faults a world has at once: every request goes through all of them.
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

// Fault is a rule that was put on a world at run time. It is evaluated for every request, before all others.
type Fault struct {
	ID      string
	Rule    *scenarios.Rule
	Source  json.RawMessage // of the rule, in JSON
	Expires *time.Time      // by the world's clock; nil: never
	Applied int             // to how many requests, where the rule says times
}

// usedUp reports whether the fault has applied as often as it may.
func (f Fault) usedUp() bool { return f.Rule.Times > 0 && f.Applied >= f.Rule.Times }

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

func (f storedFault) counters() string { return counterPrefix + "fault/" + f.ID }

func (f storedFault) over(now time.Time) bool { return f.Expires != nil && !now.Before(*f.Expires) }

// Faults returns the faults that are on, in the order in which they were put on.
func (w *World) Faults() (all []Fault, err error) {
	for _, f := range w.record.Faults {
		if f.over(w.now) {
			continue
		}
		fault, err := w.fault(f)
		if err != nil {
			return nil, err
		}
		all = append(all, fault)
	}
	return all, nil
}

func (w *World) fault(f storedFault) (Fault, error) {
	s, err := f.scenario()
	if err != nil {
		return Fault{}, err
	}
	var counters scenarios.Counters
	err = w.load(f.counters(), &counters)
	return Fault{ID: f.ID, Rule: &s.Rules[0], Source: f.Rule, Expires: f.Expires, Applied: counters.Applied["0"]}, err
}

// AddFault puts a rule, in the language of scenario files as YAML or JSON, on every request from now on; a span of the
// world's time ends it, 0 does not.
func (w *World) AddFault(rule []byte, lasts time.Duration) (Fault, error) {
	source, err := scenarios.RuleJSON("rule", rule)
	if problems := (scenarios.Problems)(nil); errors.As(err, &problems) {
		return Fault{}, api.Because(http.StatusBadRequest, "The rule is not right: "+problems[0].At.String()+": "+problems[0].What)
	}
	if err != nil {
		return Fault{}, err
	}
	r := w.record
	r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f storedFault) bool { return f.over(w.now) })
	if len(r.Faults) >= maxFaults { // the earliest that is used up gives way
		faults, err := w.Faults()
		if err != nil {
			return Fault{}, err
		}
		i := slices.IndexFunc(faults, Fault.usedUp)
		if i < 0 {
			return Fault{}, api.Because(http.StatusConflict, fmt.Sprintf("A world has %d faults at most: take some away first", maxFaults))
		}
		r.Faults = slices.Delete(r.Faults, i, i+1)
	}
	r.FaultsMade++
	added := storedFault{ID: faultID(r.FaultsMade), Rule: source}
	if lasts > 0 {
		added.Expires = new(w.now.Add(lasts))
		if year := added.Expires.UTC().Year(); year > lastYear {
			return Fault{}, api.Because(http.StatusBadRequest, fmt.Sprintf(
				"The fault would end in the year %d, and the clock goes to the year %d only: let it last for less", year, lastYear))
		}
	}
	r.Faults = append(r.Faults, added)
	if err := w.setRecord(r); err != nil {
		return Fault{}, err
	}
	return w.fault(added)
}

// RemoveFault takes a fault away.
func (w *World) RemoveFault(id string) error {
	r := w.record
	r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f storedFault) bool { return f.ID == id })
	if len(r.Faults) == len(w.record.Faults) {
		return api.Because(http.StatusNotFound, "There is no fault "+api.Quote(id))
	}
	return w.setRecord(r)
}

// RemoveFaults takes all faults away.
func (w *World) RemoveFaults() error {
	r := w.record
	r.Faults = nil
	return w.setRecord(r)
}
