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
	header http.Header
	status int
}

func (a *Answer) Header() http.Header { return a.header }

func (a *Answer) WriteHeader(status int) { a.status = status }

// Get returns a page of an emulator, by its path below /_understudy/. Its control plane may have a token.
func Get(ctx context.Context, e *emulator.Emulator, path, token string) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, emulator.ControlPrefix+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set(emulator.ControlTokenHeader, token)
	answer := &Answer{header: make(http.Header), status: http.StatusOK}
	e.ServeHTTP(answer, request)
	if answer.status != http.StatusOK {
		return nil, fmt.Errorf("%s is answered %d", path, answer.status)
	}
	return answer, nil
}
