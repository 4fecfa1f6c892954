package world

import (
	"crypto/sha256"
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

// prefixes begin the names of stored resources.
var prefixes = map[scenarios.Kind]string{
	scenarios.VerificationRequestID: "vr/", scenarios.TenantPropertyID: "tp/", scenarios.QualificationCheckID: "qc/",
}

// Find looks up an id. An unknown id is an error of the operation on the resource, not of Find.
func (tx *Tx) Find(kind scenarios.Kind, id string) (r Resource, err error) {
	r = Resource{kind: kind, id: id, name: prefixes[kind] + id, magic: tx.Catalogue.ByID(kind, id)}
	if r.stored, err = tx.values.Get(r.name); err != nil || kind != scenarios.VerificationRequestID {
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
	if v.Advance(tx.Scene) && tx.turned(v.Cursor.Entered) {
		err = tx.setRecord(tx.record)
	}
	r.request = v
	return r, err
}

// unknown explains an unknown id.
func (r Resource) unknown(tx *Tx) string {
	what := fmt.Sprintf("no %s is %s", r.kind, api.Quote(r.id))
	if nearest, ok := tx.Catalogue.Nearest(r.kind, r.id); ok {
		what += ": did you mean " + nearest + "?"
	}
	if refused := tx.worlds.Refused(); refused != "" {
		what += "; " + refused
	}
	return what
}

// newID returns the wanted id of a new resource, or a generated one for nil.
func (tx *Tx) newID(kind scenarios.Kind, wanted *string) (string, error) {
	if wanted == nil {
		var id string
		err := tx.values.CountUp("created", func(n int) []string {
			id = tx.Fixtures.ID(strings.Replace(prefixes[kind], "/", "_", 1), "created "+strconv.Itoa(n), tx.Now)
			return []string{prefixes[kind] + id}
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

// The cache of rendered documents takes at most 16 MiB. Drawing and rendering one takes several times as long as the
// rest of a read.
const (
	renderedDocuments = 256
	renderedSize      = 64 << 10 // bytes; a document with 26 paystubs has 11 KiB
)

// view is the cache key of a rendered document. The reader of a resource sets the first three fields.
type view struct {
	scenario  *scenarios.Scenario // of the resource, in its present version
	step      int                 // of its timeline
	analytics bool

	kind    scenarios.Kind
	id      string
	seed    uint64
	grease  bool              // whether its ids are greased
	created int64             // the world's creation in Unix nanoseconds
	stored  [sha256.Size]byte // hash of the stored state; zero without
	day     api.Date          // of the analytics; 0 without
}

// render returns the rendered document of a resource, from the cache or from draw.
func (tx *Tx) render(r Resource, v view, draw func() any) ([]byte, error) {
	v.kind, v.id, v.seed, v.grease, v.created = r.kind, r.id, tx.Fixtures.Seed, tx.Fixtures.Grease, tx.record.Created.UnixNano()
	if r.stored != nil {
		v.stored = sha256.Sum256(r.stored)
	}
	if v.analytics {
		v.day = api.DateOf(tx.Now)
	}
	if body, ok := tx.worlds.rendered.Get(v); ok {
		return body, nil
	}
	body, err := api.Render(draw())
	if err == nil && len(body) <= renderedSize {
		tx.worlds.rendered.Add(v, body)
	}
	return body, err
}
