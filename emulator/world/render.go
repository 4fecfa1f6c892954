package world

import (
	"crypto/sha256"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Rendered documents are kept while they are few and small: at most 16 MiB.
const (
	renderedDocuments = 256
	renderedSize      = 64 << 10 // bytes; one with 26 paystubs has 11 KiB
)

// view is all that the bytes of a document depend on.
type view struct {
	kind      scenarios.Kind
	id        string
	seed      uint64
	scenario  *scenarios.Scenario // that the resource looks like, or follows as it is now
	created   int64               // when the world began, in Unix nanoseconds, of a resource that was there then
	record    [sha256.Size]byte   // the hash of what is remembered, zero when nothing is ...
	step      int                 // ... and where that stands by now
	analytics bool
	day       api.Date // on which analytics are judged; 0 without
}

// render returns the bytes of a view, drawn by draw unless they are still there from an earlier time.
func (ws *Worlds) render(v view, draw func() any) ([]byte, error) {
	if body, ok := ws.rendered.Get(v); ok {
		return body, nil
	}
	body, err := api.Render(draw())
	if err == nil && len(body) <= renderedSize {
		ws.rendered.Add(v, body)
	}
	return body, err
}
