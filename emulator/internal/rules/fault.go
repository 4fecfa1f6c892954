package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// MaxFaults bounds the faults of a world: every request evaluates all of them.
const MaxFaults = 100

// FaultPrefix begins the ids of faults.
const FaultPrefix = "fault-"

// FaultID returns the id of the n-th fault that was ever added to a world.
func FaultID(number int) string { return FaultPrefix + strconv.Itoa(number) }

// FaultNumber returns the number in a fault's id, 0 for an invalid one.
func FaultNumber(id string) int { return stored.Number(FaultPrefix, id) }

// StoredFault is a fault in a world's record.
type StoredFault struct {
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

// On reports whether a fault is on at an instant: it has neither expired nor reached the limit of its times.
func On(f Fault, now time.Time) bool {
	return (f.Expires == nil || now.Before(*f.Expires)) && (f.Rule.Times == 0 || f.Applied < f.Rule.Times)
}

// After reports whether the fault was added after the one with an id, which may be gone; "" is before all.
func (f Fault) After(other string) bool { return FaultNumber(f.ID) > FaultNumber(other) }

// scenario returns a scenario with the rule.
func (f StoredFault) scenario() (*scenarios.Scenario, error) {
	rule, problems := scenarios.ParseRule(f.ID, f.Rule)
	if problems.Errors() > 0 {
		return nil, fmt.Errorf("read %s: %w", f.ID, problems)
	}
	return &scenarios.Scenario{Name: f.ID, Rules: []scenarios.Rule{*rule}}, nil
}

// Parsed caches the parsed rules of faults, of which each request evaluates all that its world has.
type Parsed struct {
	found *lru.Cache[string, *scenarios.Scenario]
}

// NewParsed returns a cache for the short rules of some worlds.
func NewParsed() Parsed {
	found, _ := lru.New[string, *scenarios.Scenario](1000) // it fails on a size below 1 only
	return Parsed{found}
}

// of returns a scenario with the rule of a fault. It parses a long rule each time, so that the cache stays small.
func (p Parsed) of(f StoredFault) (*scenarios.Scenario, error) {
	key := f.ID + " " + string(f.Rule)
	if s, ok := p.found.Get(key); ok {
		return s, nil
	}
	s, err := f.scenario()
	if err == nil && len(f.Rule) <= 2<<10 {
		p.found.Add(key, s)
	}
	return s, err
}

func (f StoredFault) counters() string { return CounterPrefix + "fault/" + f.ID }

// Expired reports whether the fault has ended at an instant.
func (f StoredFault) Expired(now time.Time) bool { return f.Expires != nil && !now.Before(*f.Expires) }

// Check returns an error for a fault that no world has.
func (f StoredFault) Check() error {
	switch _, err := f.scenario(); {
	case err != nil:
		return fmt.Errorf("fault %s is invalid", api.Quote(f.ID))
	case f.Resource != "" && !scenarios.ValidID(f.Resource):
		return fmt.Errorf("the fault %s is for %s, which no resource can have as its id", f.ID, api.Quote(f.Resource))
	case f.Expires != nil && stored.OutOfTime(*f.Expires):
		return fmt.Errorf("the fault %s expires at no time that a clock shows", f.ID)
	}
	return nil
}

// Active returns the faults that are on, in the order in which they were added: neither expired nor used up.
func (r *Rules) Active() (all []Fault, err error) {
	all, err = r.All()
	return slices.DeleteFunc(all, func(f Fault) bool { return !On(f, r.Now) }), err
}

// All returns the faults with those that are over, until another one takes their place.
func (r *Rules) All() (all []Fault, err error) {
	for _, f := range r.Faults {
		fault, err := r.Fault(f)
		if err != nil {
			return nil, err
		}
		all = append(all, fault)
	}
	return all, nil
}

// Fault returns a fault, with its rule and how often it has applied.
func (r *Rules) Fault(f StoredFault) (Fault, error) {
	s, err := r.Parsed.of(f)
	if err != nil {
		return Fault{}, err
	}
	var counters scenarios.Counters
	err = r.Values.Load(f.counters(), &counters)
	return Fault{ID: f.ID, Rule: &s.Rules[0], Resource: f.Resource, Source: f.Rule, Expires: f.Expires, Applied: counters.Applied["0"]}, err
}

// ValidFaultID reports whether a fault can have an id.
func ValidFaultID(id string) bool { return FaultNumber(id) > 0 }
