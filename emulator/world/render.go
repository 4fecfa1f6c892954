package world

import (
	"crypto/sha256"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Rendered documents are cached while they are few and small: at most 16 MiB. Drawing and rendering one takes several times
// as long as all else that a read does.
const (
	renderedDocuments = 256
	renderedSize      = 64 << 10 // bytes; a document with 26 paystubs has 11 KiB
)

// view is all that the bytes of a document depend on. Its readers set the first four.
type view struct {
	kind      scenarios.Kind
	id        string
	scenario  *scenarios.Scenario // that the resource looks like, or follows as it is now
	step      int                 // of its timeline by now
	analytics bool

	seed    uint64
	created int64             // when the world began, in Unix nanoseconds, of a resource that nothing is stored of
	stored  [sha256.Size]byte // the hash of what is stored, else zero
	day     api.Date          // on which analytics are computed; 0 without
}

// render returns the bytes of a view of what is stored, which draw draws unless they are cached.
func (w *World) render(v view, stored []byte, draw func() any) ([]byte, error) {
	v.seed = w.fixtures.Seed
	if stored == nil {
		v.created = w.record.Created.UnixNano()
	} else {
		v.stored = sha256.Sum256(stored)
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
