package recorded

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
)

// Start is the data of pages/part_start.html: how to point a client at the emulator.
type Start struct {
	BaseURL string // as the browser reaches it
	Unknown bool   // BaseURL is a placeholder
	Key     string
	Code    Snippet
}

// Starting returns how to point a client at this emulator.
func Starting(x *frame.Exchange) Start {
	s := Start{BaseURL: x.BaseURL(), Unknown: x.API != nil && x.API.Addr == "", Key: x.Key("console")}
	s.Code = SnippetFor(x, "code", http.MethodGet, "/verification-requests/vr_completed", "")
	s.Code.Key = s.Key
	return s
}
