package world

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// renderedDocuments is how many rendered documents are kept. A document is some 12 KB.
const renderedDocuments = 512

// view is all that the bytes of a document depend on.
type view struct {
	seed      uint64
	id        string
	scenario  *scenarios.Scenario // of a resource that is not remembered …
	born      time.Time           // … and was there when the world began
	stored    string              // the record of one that is
	analytics bool
	day       api.Date // on which analytics are judged; 0 without
}

// render returns the bytes of a view, drawn by draw unless they are still there from an earlier time.
func (ws *Worlds) render(v view, draw func() any) ([]byte, error) {
	if body, ok := ws.rendered.Get(v); ok {
		return body, nil
	}
	body, err := api.Render(draw())
	if err != nil {
		return nil, err
	}
	ws.rendered.Add(v, body)
	return body, nil
}
