package command

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator"
)

// Answer takes the answer of a handler that serves no network.
type Answer struct {
	bytes.Buffer
	Status int
	header http.Header
}

func (a *Answer) Header() http.Header { return a.header }

func (a *Answer) WriteHeader(status int) { a.Status = status }

// Serve returns what a handler answers to a request.
func Serve(h http.Handler, r *http.Request) *Answer {
	a := &Answer{Status: http.StatusOK, header: make(http.Header)}
	h.ServeHTTP(a, r)
	return a
}

// Get returns a page of an emulator, by its path below /_understudy/. Its control plane may have a token.
func Get(ctx context.Context, e *emulator.Emulator, path, token string) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, emulator.ControlPrefix+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set(emulator.ControlTokenHeader, token)
	answer := Serve(e, request)
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("%s is answered %d", path, answer.Status)
	}
	return answer, nil
}
