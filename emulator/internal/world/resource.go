package world

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Resource is what an id leads to: what the world has stored of it, and the scenario whose magic value it is.
type Resource struct {
	kind    scenarios.Kind
	id      string
	name    string              // under which the world stores it
	stored  []byte              // nil when there is nothing
	magic   *scenarios.Scenario // nil when the id is no magic value
	request *verification       // stored, as it stands now; nil when there is none
}

// prefixes begin the names under which a world stores its resources.
var prefixes = map[scenarios.Kind]string{
	scenarios.VerificationRequestID: "vr/", scenarios.TenantPropertyID: "tp/", scenarios.QualificationCheckID: "qc/",
}

// Find looks an id up. It returns no error when nothing has the id: the operation on the resource does.
func (w *World) Find(kind scenarios.Kind, id string) (r Resource, err error) {
	r = Resource{kind: kind, id: id, name: prefixes[kind] + id, magic: w.catalogue.ByID(kind, id)}
	if r.stored, err = w.tx.Get(w.prefix + r.name); err != nil || r.stored == nil || kind != scenarios.VerificationRequestID {
		return r, err
	}
	v := &verification{id: id, stored: true}
	if err := decodeStored(id, r.stored, v); err != nil {
		return r, err
	}
	// A magic request whose scenario has changed since begins anew: it would be half of the one file, half of the other.
	if r.magic != nil && (v.Scenario != r.magic.Name || v.Revision != r.magic.Revision) {
		r.stored = nil
		return r, nil
	}
	if timeline := v.timeline(w); !timeline.Ended(v.Cursor) {
		v.moveTo(timeline, timeline.Advance(v.Cursor, w.now))
	}
	r.request = v
	return r, nil
}

// unknown explains an id that nothing has.
func (r Resource) unknown(w *World) string {
	what := fmt.Sprintf("no %s is %s", r.kind, api.Quote(r.id))
	if nearest, ok := w.catalogue.Nearest(r.kind, r.id); ok {
		what += ": did you mean " + nearest + "?"
	}
	return what
}

// list returns up to limit of the resources of a kind that the world has stored, in the order of their ids, from the first
// behind after.
func list[S, T any](w *World, kind scenarios.Kind, after string, limit int, show func(id string, stored S) T) (all []T, err error) {
	err = w.scan(prefixes[kind], after, func(id string, text []byte) (more bool, err error) {
		var stored S
		if err := decodeStored(id, text, &stored); err != nil {
			return false, err
		}
		all = append(all, show(id, stored))
		return len(all) < limit, nil
	})
	return all, err
}

// newID returns the id of a new resource: the one that is wanted, else the first new one that nothing of the kind has.
func (w *World) newID(kind scenarios.Kind, wanted *string) (string, error) {
	if wanted == nil {
		return w.freeID(kind, "created", func(n int) string {
			return w.fixtures.ID(strings.Replace(prefixes[kind], "/", "_", 1), "created "+strconv.Itoa(n), w.now)
		})
	}
	if !scenarios.ValidID(*wanted) {
		return "", api.Because(http.StatusBadRequest, "An id has 1 to 128 of A-Z a-z 0-9 . _ ~ - and is neither . nor .., which no client can ask for: "+
			"choose another, or leave id out")
	}
	r, err := w.Find(kind, *wanted)
	if err == nil && (r.stored != nil || r.magic != nil) {
		err = api.Because(http.StatusConflict, "The id "+*wanted+" is taken: choose another")
	}
	return *wanted, err
}

// freeID returns the first id of a counter's numbers, from 1, that no resource has.
func (w *World) freeID(kind scenarios.Kind, counter string, of func(number int) string) (string, error) {
	var number int
	if err := w.load(counter, &number); err != nil {
		return "", err
	}
	for {
		number++
		id := of(number)
		stored, err := w.tx.Get(w.prefix + prefixes[kind] + id)
		if err != nil {
			return "", err
		}
		if stored == nil {
			_, err := w.save(counter, number)
			return id, err
		}
	}
}

// Forget deletes what the world has stored of a resource, and what was counted of it: a magic one is as new then, another
// one is gone.
func (w *World) Forget(kind scenarios.Kind, id string) error {
	forgotten := false
	for _, name := range []string{prefixes[kind] + id, counterPrefix + prefixes[kind] + id} {
		stored, err := w.tx.Get(w.prefix + name)
		if err == nil && stored != nil {
			forgotten = true
			err = w.tx.Delete(w.prefix + name)
		}
		if err != nil {
			return err
		}
	}
	if !forgotten {
		return api.Because(http.StatusNotFound, fmt.Sprintf("Nothing is remembered of a %s %s", kind, api.Quote(id)))
	}
	return nil
}

// Rendered documents are cached while they are few and small: at most 16 MiB. Drawing and rendering one takes several times
// as long as all else that a read does.
const (
	renderedDocuments = 256
	renderedSize      = 64 << 10 // bytes; a document with 26 paystubs has 11 KiB
)

// view is all that the bytes of a document depend on. Its readers set the first three.
type view struct {
	scenario  *scenarios.Scenario // that the resource looks like, or follows as it is now
	step      int                 // of its timeline by now
	analytics bool

	kind    scenarios.Kind
	id      string
	seed    uint64
	created int64             // when the world began, in Unix nanoseconds, of a resource that nothing is stored of
	stored  [sha256.Size]byte // the hash of what is stored, else zero
	day     api.Date          // on which analytics are computed; 0 without
}

// render returns the bytes of a view of a resource, which draw draws unless they are cached.
func (w *World) render(r Resource, v view, draw func() any) ([]byte, error) {
	v.kind, v.id, v.seed = r.kind, r.id, w.fixtures.Seed
	if r.stored == nil {
		v.created = w.record.Created.UnixNano()
	} else {
		v.stored = sha256.Sum256(r.stored)
	}
	if v.analytics {
		v.day = api.DateOf(w.now)
	}
	if body, ok := w.worlds.rendered.Get(v); ok {
		return body, nil
	}
	body, err := api.Render(draw())
	if err == nil && len(body) <= renderedSize {
		w.worlds.rendered.Add(v, body)
	}
	return body, err
}

// UpdateTenantProperty replaces all of a tenant property but its id and status (spec 4.3), and returns the name of its
// scenario too.
func (w *World) UpdateTenantProperty(r Resource, in api.TenantProperty) (p api.TenantProperty, scenario string, err error) {
	if r.magic != nil {
		scenario = r.magic.Name
	}
	if p, err = w.tenantProperty(r); err != nil {
		return p, scenario, err
	}
	in.ID, in.Status = p.ID, p.Status
	_, err = w.save(r.name, in)
	return in, scenario, err
}

// tenantProperty returns a tenant property: as it is stored, else as its scenario has it.
func (w *World) tenantProperty(r Resource) (p api.TenantProperty, err error) {
	switch {
	case r.stored != nil:
		return p, decodeStored(r.id, r.stored, &p)
	case r.magic == nil:
		return p, api.NotFound("Tenant property", r.unknown(w))
	}
	return w.fixtures.TenantProperty(r.id, r.magic.TenantPropertyShape()), nil
}

// TenantProperty shows a tenant property.
func (w *World) TenantProperty(id string) (p api.TenantProperty, err error) {
	r, err := w.Find(scenarios.TenantPropertyID, id)
	if err != nil {
		return p, err
	}
	return w.tenantProperty(r)
}

// TenantProperties returns up to limit of the tenant properties that the world has stored, in the order of their ids,
// from the first behind after.
func (w *World) TenantProperties(after string, limit int) ([]api.TenantProperty, error) {
	return list(w, scenarios.TenantPropertyID, after, limit, func(_ string, p api.TenantProperty) api.TenantProperty { return p })
}

// ChangeTenantProperty lays the fields that a text sets over a tenant property.
func (w *World) ChangeTenantProperty(id string, text []byte) (p api.TenantProperty, err error) {
	var in change[api.TenantProperty]
	if err := decode(text, &in); err != nil {
		return p, err
	}
	if p, err = w.TenantProperty(id); err != nil {
		return p, err
	}
	if err := in.Set.Onto(&p); err != nil {
		return p, err
	}
	_, err = w.save(prefixes[scenarios.TenantPropertyID]+id, p)
	return p, err
}

// qualification is what a world stores of a qualification check: enough to draw it again.
type qualification struct {
	Created time.Time                   `json:"created"`
	Shape   fixtures.QualificationShape `json:"shape"`
}

// ReadQualification reads the result of a qualification check (spec 4.5). It returns the rendered document, and the name of
// its scenario.
func (w *World) ReadQualification(r Resource) (document []byte, scenario string, err error) {
	q, err := w.qualification(r)
	if err != nil {
		return nil, "", err
	}
	var seen view
	if r.stored == nil {
		seen.scenario, scenario = r.magic, r.magic.Name
	}
	document, err = w.render(r, seen, func() any { return w.draw(r.id, q) })
	return document, scenario, err
}

// qualification returns a check: as it is stored, else as its scenario has it from the world's beginning.
func (w *World) qualification(r Resource) (q qualification, err error) {
	switch {
	case r.stored != nil:
		return q, decodeStored(r.id, r.stored, &q)
	case r.magic == nil:
		return q, api.NotFound("Qualification check", r.unknown(w))
	}
	return qualification{Created: w.record.Created, Shape: r.magic.QualificationShape()}, nil
}

func (w *World) draw(id string, q qualification) api.QualificationCheck {
	return w.fixtures.QualificationCheck(id, id, q.Shape, q.Created)
}

// QualificationCheck shows a qualification check.
func (w *World) QualificationCheck(id string) (check api.QualificationCheck, err error) {
	q, err := w.findQualification(id)
	if err == nil {
		check = w.draw(id, q)
	}
	return check, err
}

func (w *World) findQualification(id string) (q qualification, err error) {
	r, err := w.Find(scenarios.QualificationCheckID, id)
	if err != nil {
		return q, err
	}
	return w.qualification(r)
}

// QualificationChecks returns up to limit of the qualification checks that the world has stored, in the order of their
// ids, from the first behind after.
func (w *World) QualificationChecks(after string, limit int) ([]api.QualificationCheck, error) {
	return list(w, scenarios.QualificationCheckID, after, limit, w.draw)
}

// ChangeQualification lays the fields that a text sets over what is computed of a qualification check.
func (w *World) ChangeQualification(id string, text []byte) (check api.QualificationCheck, err error) {
	var in change[api.QualificationCheck]
	if err := decode(text, &in); err != nil {
		return check, err
	}
	q, err := w.findQualification(id)
	if err != nil {
		return check, err
	}
	if q.Shape.Set, err = q.Shape.Set.With(in.Set); err != nil {
		return check, err
	}
	_, err = w.save(prefixes[scenarios.QualificationCheckID]+id, q)
	return w.draw(id, q), err
}
