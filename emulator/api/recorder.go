package api

import (
	"bytes"
	"net/http"
)

// Recorder is a response that keeps what a handler answers.
type Recorder struct {
	Status int // 0: nothing was answered
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

// WriteHeader keeps the status.
func (r *Recorder) WriteHeader(status int) { r.Status = status }

// Write keeps a part of the body.
func (r *Recorder) Write(part []byte) (int, error) {
	if r.Status == 0 {
		r.Status = http.StatusOK
	}
	return r.Body.Write(part)
}
