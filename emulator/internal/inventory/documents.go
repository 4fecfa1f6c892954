package inventory

import (
	"crypto/sha256"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Documents caches rendered documents.
type Documents struct{ found *lru.Cache[view, []byte] }

// NewDocuments returns a cache for the documents of some resources.
func NewDocuments() Documents {
	found, _ := lru.New[view, []byte](renderedDocuments) // it fails on a size below 1 only
	return Documents{found}
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
	v.kind, v.id, v.seed, v.grease, v.created = r.kind, r.id, tx.Fixtures.Seed, tx.Fixtures.Grease, tx.Fixtures.Began.UnixNano()
	if r.stored != nil {
		v.stored = sha256.Sum256(r.stored)
	}
	if v.analytics {
		v.day = api.DateOf(tx.Now)
	}
	if body, ok := tx.Documents.found.Get(v); ok {
		return body, nil
	}
	body, err := api.Render(draw())
	if err == nil && len(body) <= renderedSize {
		tx.Documents.found.Add(v, body)
	}
	return body, err
}
