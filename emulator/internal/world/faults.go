package world

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// maxFaults bounds the faults of a world: every request evaluates all of them.
const maxFaults = 100

// faultPrefix begins the ids of faults.
const faultPrefix = "fault-"

// faultID returns the id of the n-th fault that was ever added to a world.
func faultID(number int) string { return faultPrefix + strconv.Itoa(number) }

// faultNumber returns the number in a fault's id, 0 for an invalid one.
func faultNumber(id string) int {
	number, err := strconv.Atoi(strings.TrimPrefix(id, faultPrefix))
	if err != nil || number < 1 || faultID(number) != id {
		return 0
	}
	return number
}

// ValidFaultID reports whether a fault can have an id.
func ValidFaultID(id string) bool { return faultNumber(id) > 0 }

// storedFault is a fault in a world's record.
type storedFault struct {
	ID       string          `json:"id"`
	Rule     json.RawMessage `json:"rule"`               // in the language of scenario files, as JSON
	Resource string          `json:"resource,omitempty"` // the id that requests must be for; "": any
	Expires  *time.Time      `json:"expires,omitempty"`
}

// Fault is a rule that was added to a world. It is evaluated for every request, or for those of one resource, before all
// other rules.
type Fault struct {
	ID       string
	Rule     *scenarios.Rule
	Resource string          // the id that requests must be for; "": any
	Source   json.RawMessage // of the rule, in JSON
	Expires  *time.Time      // by the world's clock; nil: never
	Applied  int             // the requests that it applied to, where the rule has times
}

// usedUp reports whether the fault has reached the limit of its times.
func (f Fault) usedUp() bool { return f.Rule.Times > 0 && f.Applied >= f.Rule.Times }

// After reports whether the fault was added after the one with an id, which may be gone; "" is before all.
func (f Fault) After(other string) bool { return faultNumber(f.ID) > faultNumber(other) }

// scenario returns a scenario with the rule.
func (f storedFault) scenario() (*scenarios.Scenario, error) {
	rule, problems := scenarios.ParseRule(f.ID, f.Rule)
	if problems.Errors() > 0 {
		return nil, fmt.Errorf("read %s: %w", f.ID, problems)
	}
	return &scenarios.Scenario{Name: f.ID, Rules: []scenarios.Rule{*rule}}, nil
}

func (f storedFault) counters() string { return counterPrefix + "fault/" + f.ID }

func (f storedFault) expired(now time.Time) bool { return f.Expires != nil && !now.Before(*f.Expires) }

// concerns reports whether the fault can apply to requests for a resource at an instant.
func (f storedFault) concerns(id string, now time.Time) bool {
	return !f.expired(now) && (f.Resource == "" || f.Resource == id)
}

// Faults returns the faults that are on, in the order in which they were added: neither expired nor used up.
func (w *World) Faults(ctx context.Context) ([]Fault, error) {
	return read(ctx, w, (*Tx).faults)
}

func (tx *Tx) faults() (all []Fault, err error) {
	for _, f := range tx.record.Faults {
		if f.expired(tx.now) {
			continue
		}
		fault, err := tx.fault(f)
		if err != nil {
			return nil, err
		}
		if !fault.usedUp() {
			all = append(all, fault)
		}
	}
	return all, nil
}

func (tx *Tx) fault(f storedFault) (Fault, error) {
	s, err := f.scenario()
	if err != nil {
		return Fault{}, err
	}
	var counters scenarios.Counters
	err = tx.values.Load(f.counters(), &counters)
	return Fault{ID: f.ID, Rule: &s.Rules[0], Resource: f.Resource, Source: f.Rule, Expires: f.Expires, Applied: counters.Applied["0"]}, err
}

// FaultOption sets one thing about a fault.
type FaultOption func(*faultOptions)

type faultOptions struct {
	lasts    *time.Duration
	resource string
}

// Lasting ends a fault after a span of the world's time. Default: it lasts until it is removed or its times are up.
func Lasting(span time.Duration) FaultOption { return func(o *faultOptions) { o.lasts = &span } }

// OnlyFor limits a fault to requests for the resource with an id. Default, and "": all requests.
func OnlyFor(id string) FaultOption { return func(o *faultOptions) { o.resource = id } }

// AddFault evaluates a rule for every request from now on, before all others. The rule is written as in scenario files,
// in YAML or JSON:
//
//	{on: get, respond: {status: 500}, times: 2}
//	{on: cancel, fault: connection-reset}
//	{on: any, delay: {fixed: 250ms}}
//
// The name of a preset, such as outage-502, stands for its rule.
func (w *World) AddFault(ctx context.Context, rule string, options ...FaultOption) (Fault, error) {
	var o faultOptions
	for _, option := range options {
		option(&o)
	}
	if o.resource != "" && !scenarios.ValidID(o.resource) {
		return Fault{}, invalid("The fault is for no valid id: an id has 1 to 128 of A-Z a-z 0-9 . _ ~ -")
	}
	if o.lasts != nil && *o.lasts <= 0 {
		return Fault{}, invalid("A fault lasts for a span of time such as 10m, not " + o.lasts.String())
	}
	rule, err := withPreset(rule)
	if err != nil {
		return Fault{}, err
	}
	source, err := scenarios.RuleJSON("rule", []byte(rule))
	if err != nil {
		return Fault{}, Invalid("rule", err)
	}
	return update(ctx, w, func(tx *Tx) (Fault, error) {
		others, err := tx.roomForFault()
		if err != nil {
			return Fault{}, err
		}
		r := tx.record
		r.FaultsMade++
		added := storedFault{ID: faultID(r.FaultsMade), Rule: source, Resource: o.resource}
		if o.lasts != nil {
			added.Expires = new(tx.now.Add(*o.lasts))
			if year := added.Expires.UTC().Year(); year > clock.LastYear {
				return Fault{}, invalid(fmt.Sprintf(
					"The fault would end in the year %d, and the clock goes to the year %d only: let it last for less", year, clock.LastYear))
			}
		}
		r.Faults = append(others, added)
		if err := tx.setRecord(r); err != nil {
			return Fault{}, err
		}
		return tx.fault(added)
	})
}

// roomForFault returns the stored faults that are on, of which there is one less than a world may have.
func (tx *Tx) roomForFault() ([]storedFault, error) {
	on, err := tx.faults()
	if err != nil {
		return nil, err
	}
	if len(on) >= maxFaults {
		return nil, conflict(fmt.Sprintf("A world has %d faults at most: remove some first", maxFaults))
	}
	return slices.DeleteFunc(slices.Clone(tx.record.Faults), func(f storedFault) bool {
		return !slices.ContainsFunc(on, func(o Fault) bool { return o.ID == f.ID })
	}), nil
}

// RemoveFault removes a fault.
func (w *World) RemoveFault(ctx context.Context, id string) error {
	return w.Update(ctx, func(tx *Tx) error {
		r := tx.record
		r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f storedFault) bool { return f.ID == id })
		if len(r.Faults) == len(tx.record.Faults) {
			return notFound("There is no fault " + api.Quote(id))
		}
		return tx.setRecord(r)
	})
}

// RemoveFaults removes all faults.
func (w *World) RemoveFaults(ctx context.Context) error {
	return w.Update(ctx, func(tx *Tx) error {
		r := tx.record
		r.Faults = nil
		return tx.setRecord(r)
	})
}
