package resource

import (
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Creation is what a text creates: what is stored of it flows out of Draft, which gets an empty scenario where the text names none.
type Creation[S, T any] struct {
	Origin origin
	Draft  func(at Scene, s *scenarios.Scenario, id string) (S, error)
	Check  Check[S, T]
}

// origin is the id of a new resource, and the scenario that it is made of.
type origin struct {
	ID       *string `yaml:"id"`       // nil: a new one
	Scenario *string `yaml:"scenario"` // nil: none
}

// Change is a change of what is stored of a resource.
type Change[S, T any] struct {
	Do    func(at Scene, value *S) error
	Check Check[S, T]
}

// Check returns an error for a resource as it is shown; nil refuses none.
type Check[S, T any] func(at Scene, value *S, shown T) error

// setting is a change of a resource's fields: {"set":{"name":"Quay"}}.
type setting[T any] struct {
	Set fixtures.Overlay[T] `yaml:"set"`
}

// Validate refuses a change without fields.
func (c setting[T]) Validate() []fixtures.Violation {
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
