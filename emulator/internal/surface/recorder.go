package surface

import (
	"bytes"
	"net/http"
)

// Recorder records the answer of a handler.
type Recorder struct {
	Status int // 0 if there was no answer
	Body   bytes.Buffer
	header http.Header
}

// Header returns the header of the answer.
func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = make(http.Header)
	}
	return r.header
}

// WriteHeader records the status.
func (r *Recorder) WriteHeader(status int) { r.Status = status }

// Write records a part of the body.
func (r *Recorder) Write(part []byte) (int, error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	return r.Body.Write(part)
}
