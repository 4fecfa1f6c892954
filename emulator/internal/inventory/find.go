package inventory

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Resource is the result of a look-up by id: the stored state, and the scenario whose magic value the id is.
type Resource struct {
	kind    scenarios.Kind
	id      string
	name    string              // of the stored state
	stored  []byte              // nil: nothing is stored
	magic   *scenarios.Scenario // nil: the id is no magic value
	request *resource.Request   // stored, moved on to the present; nil: none
}

// Find looks up an id. An unknown id is an error of the operation on the resource, not of Find.
func (tx *Tx) Find(kind scenarios.Kind, id string) (r Resource, err error) {
	r = Resource{kind: kind, id: id, name: resource.Prefixes[kind] + id, magic: tx.Catalogue.ByID(kind, id)}
	if r.stored, err = tx.Values.Get(r.name); err != nil || kind != scenarios.VerificationRequestID {
		return r, err
	}
	saved := r.stored != nil
	if !saved && r.magic == nil {
		r.stored, err = tx.requestOfCheck(id)
	}
	if err != nil || r.stored == nil {
		return r, err
	}
	v, err := resource.DecodeRequest(id, r.stored, saved)
	if err != nil {
		return r, err
	}
	// A magic request begins anew when its scenario has changed, so that it never mixes two versions of a file.
	if r.magic != nil && (v.Scenario != r.magic.Name || v.Revision != r.magic.Revision) {
		r.stored = nil
		return r, nil
	}
	if v.Advance(tx.Scene) {
		tx.Moved = tx.Moved || tx.Turned(v.Cursor.Entered)
	}
	r.request = v
	return r, nil
}

// unknown explains an unknown id.
func (r Resource) unknown(tx *Tx) string {
	what := fmt.Sprintf("no %s is %s", r.kind, api.Quote(r.id))
	if nearest, ok := tx.Catalogue.Nearest(r.kind, r.id); ok {
		what += ": did you mean " + nearest + "?"
	}
	if refused := tx.Refused(); refused != "" {
		what += "; " + refused
	}
	return what
}

// newID returns the wanted id of a new resource, or a generated one for nil.
func (tx *Tx) newID(kind scenarios.Kind, wanted *string) (string, error) {
	if wanted == nil {
		var id string
		err := tx.Values.CountUp("created", func(n int) []string {
			id = tx.Fixtures.ID(strings.Replace(resource.Prefixes[kind], "/", "_", 1), "created "+strconv.Itoa(n), tx.Now)
			return []string{resource.Prefixes[kind] + id}
		})
		return id, err
	}
	if !scenarios.ValidID(*wanted) {
		return "", invalid("An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: " +
			"choose another, or leave id out")
	}
	r, err := tx.Find(kind, *wanted)
	if err == nil && (r.stored != nil || r.magic != nil) {
		err = conflict("The id " + *wanted + " is taken: choose another")
	}
	return *wanted, err
}
