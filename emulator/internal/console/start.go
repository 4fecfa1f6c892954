package console

import "net/http"

// start is the data of pages/part_start.html: how to point a client at the emulator.
type start struct {
	BaseURL string // as the browser reaches it
	Unknown bool   // BaseURL is a placeholder
	Key     string
	Code    snippet
}

func (x *exchange) starting() start {
	s := start{BaseURL: x.baseURL(), Unknown: x.API != nil && x.API.Addr == "", Key: x.Key("console")}
	s.Code = x.snippetFor("code", http.MethodGet, "/verification-requests/vr_completed", "")
	s.Code.Key = s.Key
	return s
}
