package world

import (
	"cmp"
	"context"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// kindOf is how worlds read, show, create, change and delete the resources of a kind: S is what they store of one, T what they show.
type kindOf[S, T any] struct {
	kind scenarios.Kind
	read func(*Tx, Resource) (S, error)                       // what is stored, else the scenario's
	save func(tx *Tx, name string, value *S) error            // stores it
	show func(tx *Tx, id string, value *S) (shown T, _ error) // computes it
}

// saved stores the value of a resource that has no webhooks.
func saved[S any](tx *Tx, name string, value *S) error {
	_, err := tx.values.Save(name, value)
	return err
}

func (k kindOf[S, T]) name(id string) string { return prefixes[k.kind] + id }

// find returns the value of a resource.
func (k kindOf[S, T]) find(tx *Tx, id string) (value S, err error) {
	r, err := tx.Find(k.kind, id)
	if err != nil {
		return value, err
	}
	return k.read(tx, r)
}

func (k kindOf[S, T]) get(ctx context.Context, w *World, id string) (T, error) {
	return read(ctx, w, func(tx *Tx) (shown T, err error) {
		value, err := k.find(tx, id)
		if err != nil {
			return shown, err
		}
		return k.show(tx, id, &value)
	})
}

// list returns up to limit of the resources that the world has stored, in the order of their ids, from the first after an id.
func (k kindOf[S, T]) list(ctx context.Context, w *World, after string, limit int) ([]T, error) {
	return read(ctx, w, func(tx *Tx) (all []T, err error) {
		err = tx.values.Scan(prefixes[k.kind], after, func(id string, text []byte) (more bool, err error) {
			var value S
			if err := stored.Decode(id, text, &value); err != nil {
				return false, err
			}
			shown, err := k.show(tx, id, &value)
			all = append(all, shown)
			return len(all) < limit, cmp.Or(err, tx.store.want(limits.Decoded(text)))
		})
		return all, err
	})
}

// origin is the id of a new resource, and the scenario that it is made of.
type origin struct {
	ID       *string `yaml:"id"`       // nil: a new one
	Scenario *string `yaml:"scenario"` // nil: none
}

// check returns an error for a resource as it is shown; nil refuses none.
type check[S, T any] func(tx *Tx, value *S, shown T) error

// create creates a resource of an origin. draft returns what is stored of it; without a scenario it gets an empty one.
func (k kindOf[S, T]) create(ctx context.Context, w *World, from origin, draft func(tx *Tx, s *scenarios.Scenario, id string) (S, error), of check[S, T]) (T, error) {
	return update(ctx, w, func(tx *Tx) (shown T, err error) {
		s, err := tx.scenarioFor(k.kind, from.Scenario)
		if err != nil {
			return shown, err
		}
		id, err := tx.newID(k.kind, from.ID)
		if err != nil {
			return shown, err
		}
		value, err := draft(tx, s, id)
		if err != nil {
			return shown, err
		}
		return k.put(tx, id, &value, of)
	})
}

// change changes the value of a resource.
func (k kindOf[S, T]) change(ctx context.Context, w *World, id string, how func(*Tx, *S) error, of check[S, T]) (T, error) {
	return update(ctx, w, func(tx *Tx) (shown T, err error) {
		value, err := k.find(tx, id)
		if err == nil {
			err = how(tx, &value)
		}
		if err != nil {
			return shown, err
		}
		return k.put(tx, id, &value, of)
	})
}

// put stores the value of a resource, and shows it. On an error of the check nothing is changed: the transaction ends.
func (k kindOf[S, T]) put(tx *Tx, id string, value *S, of check[S, T]) (shown T, err error) {
	if err = k.save(tx, k.name(id), value); err == nil {
		shown, err = k.show(tx, id, value)
	}
	if err == nil && of != nil {
		err = of(tx, value, shown)
	}
	return shown, err
}

// scenarioFor returns the scenario with a name for a resource of a kind, an empty one for nil.
func (tx *Tx) scenarioFor(kind scenarios.Kind, name *string) (*scenarios.Scenario, error) {
	if name == nil {
		return &scenarios.Scenario{}, nil
	}
	if *name == "" {
		return nil, invalid("scenario must not be empty: name one of GET scenarios, or leave it out")
	}
	s, err := ScenarioNamed(tx.catalogue, *name)
	if err != nil {
		return nil, err
	}
	if why := tx.catalogue.OtherKind(s, kind); why != "" {
		return nil, invalid(why)
	}
	return s, nil
}

// change is a change of a resource's fields: {"set":{"name":"Quay"}}.
type change[T any] struct {
	Set fixtures.Overlay[T] `yaml:"set"`
}

// Validate refuses a change without fields.
func (c change[T]) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(!c.Set.Empty(), "", `needs what is to change, such as {"set":{...}}`)
	return found
}

// missing refuses fields of elements that the lists of a document do not have.
func missing[T any](set fixtures.Overlay[T], document T) error {
	if err := set.Missing(document); err != nil {
		return invalid("The body is invalid: " + err.Error())
	}
	return nil
}

// delete deletes the stored state of a resource and the counters of its rules. A magic resource starts over; any
// other no longer exists.
func (k kindOf[S, T]) delete(ctx context.Context, w *World, id string) error {
	return w.Update(ctx, func(tx *Tx) error {
		deleted := false
		for _, name := range []string{k.name(id), rules.CounterPrefix + k.name(id)} {
			stored, err := tx.values.Get(name)
			if err == nil && stored != nil {
				deleted = true
				for _, entry := range append(indexOf(name, stored), storedValue{name: name}) {
					err = cmp.Or(err, tx.values.Delete(entry.name))
				}
			}
			if err != nil {
				return err
			}
		}
		if !deleted {
			return notFound(fmt.Sprintf("No %s %s is stored in this world", k.kind, api.Quote(id)))
		}
		return nil
	})
}
