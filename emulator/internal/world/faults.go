package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Faults returns the faults that are on, in the order in which they were added: neither expired nor used up.
func (w *World) Faults(ctx context.Context) ([]rules.Fault, error) {
	return read(ctx, w, func(tx *Tx) ([]rules.Fault, error) { return tx.Rules.Active() })
}

// Causes returns where the rules of recorded answers are: the catalogue, and the faults with those that are over.
func (tx *Tx) Causes() (*scenarios.Catalogue, []rules.Fault, error) {
	faults, err := tx.Rules.All()
	return tx.Catalogue, faults, err
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
func (w *World) AddFault(ctx context.Context, rule string, options ...FaultOption) (rules.Fault, error) {
	var o faultOptions
	for _, option := range options {
		option(&o)
	}
	if o.resource != "" && !scenarios.ValidID(o.resource) {
		return rules.Fault{}, invalid("Invalid resource id: an id has 1 to 128 of A-Z a-z 0-9 . _ ~ -")
	}
	if o.lasts != nil && *o.lasts <= 0 {
		return rules.Fault{}, invalid("A fault lasts for a span of time such as 10m, not " + o.lasts.String())
	}
	rule, err := rules.WithPreset(rule)
	if err != nil {
		return rules.Fault{}, err
	}
	source, err := scenarios.RuleJSON("rule", []byte(rule))
	if err != nil {
		return rules.Fault{}, resource.Invalid("rule", err)
	}
	return update(ctx, w, func(tx *Tx) (rules.Fault, error) {
		others, err := tx.roomForFault()
		if err != nil {
			return rules.Fault{}, err
		}
		r := tx.record
		r.FaultsMade++
		added := rules.StoredFault{ID: rules.FaultID(r.FaultsMade), Rule: source, Resource: o.resource}
		if o.lasts != nil {
			added.Expires = new(tx.Now.Add(*o.lasts))
			if year := added.Expires.UTC().Year(); year > clock.LastYear {
				return rules.Fault{}, invalid(fmt.Sprintf(
					"The fault would end in the year %d, and the clock goes to the year %d only: let it last for less", year, clock.LastYear))
			}
		}
		r.Faults = append(others, added)
		if err := tx.setRecord(r); err != nil {
			return rules.Fault{}, err
		}
		return tx.Rules.Fault(added)
	})
}

// roomForFault returns the stored faults that are on, of which there is one less than a world may have.
func (tx *Tx) roomForFault() ([]rules.StoredFault, error) {
	on, err := tx.Rules.Active()
	if err != nil {
		return nil, err
	}
	if len(on) >= rules.MaxFaults {
		return nil, conflict(fmt.Sprintf("A world has %d faults at most: delete some first", rules.MaxFaults))
	}
	return slices.DeleteFunc(slices.Clone(tx.record.Faults), func(f rules.StoredFault) bool {
		return !slices.ContainsFunc(on, func(o rules.Fault) bool { return o.ID == f.ID })
	}), nil
}

// RemoveFault removes a fault.
func (w *World) RemoveFault(ctx context.Context, id string) error {
	return w.Update(ctx, func(tx *Tx) error {
		r := tx.record
		r.Faults = slices.DeleteFunc(slices.Clone(r.Faults), func(f rules.StoredFault) bool { return f.ID == id })
		if len(r.Faults) == len(tx.record.Faults) {
			return notFound("There is no fault " + api.Quote(id) + ": the list of faults has the ids")
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

// Admit counts a request against the world's rate limit. Above the limit it returns a 429.
func (tx *Tx) Admit() error { return tx.Rules.Admit(tx.worlds.config.Limit) }
