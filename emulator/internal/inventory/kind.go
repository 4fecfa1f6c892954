package inventory

import (
	"cmp"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Kind is how worlds read, show, create, change and delete the resources of a kind: S is what they store of one, T what they show.
type Kind[S, T any] struct {
	kind scenarios.Kind
	read func(*Tx, Resource) (S, error)                       // what is stored, else the scenario's
	save func(tx *Tx, name string, value *S) error            // stores it
	show func(tx *Tx, id string, value *S) (shown T, _ error) // computes it

	Creation func(text string) (resource.Creation[S, T], error)
	Change   func(text string) (resource.Change[S, T], error)
	source   func(at resource.Scene, value S) ([]byte, error)
}

// saved stores the value of a resource that has no webhooks.
func saved[S any](tx *Tx, name string, value *S) error {
	_, err := tx.Values.Save(name, value)
	return err
}

func (k Kind[S, T]) name(id string) string { return resource.Prefixes[k.kind] + id }

// find returns the value of a resource.
func (k Kind[S, T]) find(tx *Tx, id string) (value S, err error) {
	r, err := tx.Find(k.kind, id)
	if err != nil {
		return value, err
	}
	return k.read(tx, r)
}

// Get returns a resource as it is shown.
func (k Kind[S, T]) Get(tx *Tx, id string) (shown T, err error) {
	value, err := k.find(tx, id)
	if err != nil {
		return shown, err
	}
	return k.show(tx, id, &value)
}

// List returns up to limit of the resources that the world has stored, in the order of their ids, from the first after an id.
func (k Kind[S, T]) List(tx *Tx, after string, limit int) (all []T, err error) {
	err = tx.Values.Scan(resource.Prefixes[k.kind], after, func(id string, text []byte) (more bool, err error) {
		var value S
		if err := stored.Decode(id, text, &value); err != nil {
			return false, err
		}
		shown, err := k.show(tx, id, &value)
		all = append(all, shown)
		return len(all) < limit, cmp.Or(err, tx.Store.Want(limits.Decoded(text)))
	})
	return all, err
}

// Create creates a resource.
func (k Kind[S, T]) Create(tx *Tx, of resource.Creation[S, T]) (shown T, err error) {
	s, err := tx.scenarioFor(k.kind, of.Origin.Scenario)
	if err != nil {
		return shown, err
	}
	id, err := tx.newID(k.kind, of.Origin.ID)
	if err != nil {
		return shown, err
	}
	value, err := of.Draft(tx.Scene, s, id)
	if err != nil {
		return shown, err
	}
	return k.put(tx, id, &value, of.Check)
}

// Apply changes a resource.
func (k Kind[S, T]) Apply(tx *Tx, id string, change resource.Change[S, T]) (shown T, err error) {
	value, err := k.find(tx, id)
	if err == nil {
		err = change.Do(tx.Scene, &value)
	}
	if err != nil {
		return shown, err
	}
	return k.put(tx, id, &value, change.Check)
}

// put stores the value of a resource, and shows it. On an error of the check nothing is changed: the transaction ends.
func (k Kind[S, T]) put(tx *Tx, id string, value *S, check resource.Check[S, T]) (shown T, err error) {
	if err = k.save(tx, k.name(id), value); err == nil {
		shown, err = k.show(tx, id, value)
	}
	if err == nil && check != nil {
		err = check(tx.Scene, value, shown)
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
	s, err := resource.ScenarioNamed(tx.Catalogue, *name)
	if err != nil {
		return nil, err
	}
	if why := tx.Catalogue.OtherKind(s, kind); why != "" {
		return nil, invalid(why)
	}
	return s, nil
}

// Delete deletes the stored state of a resource and the counters of its rules. A magic resource starts over; any
// other no longer exists.
func (k Kind[S, T]) Delete(tx *Tx, id string) error {
	deleted := false
	for _, name := range []string{k.name(id), rules.CounterPrefix + k.name(id)} {
		value, err := tx.Values.Get(name)
		if err == nil && value != nil {
			deleted = true
			for _, entry := range append(resource.IndexOf(stored.Value{Name: name, Bytes: value}), stored.Value{Name: name}) {
				err = cmp.Or(err, tx.Values.Delete(entry.Name))
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
}

// Source returns what a resource is made of, as the JSON text from which a create makes one like it.
func (tx *Tx) Source(kind scenarios.Kind, id string) ([]byte, error) {
	switch kind {
	case scenarios.QualificationCheckID:
		return QualificationChecks.sourceOf(tx, id)
	case scenarios.TenantPropertyID:
		return TenantProperties.sourceOf(tx, id)
	}
	return VerificationRequests.sourceOf(tx, id)
}

func (k Kind[S, T]) sourceOf(tx *Tx, id string) ([]byte, error) {
	value, err := k.find(tx, id)
	if err != nil {
		return nil, err
	}
	return k.source(tx.Scene, value)
}
