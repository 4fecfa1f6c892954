package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// The largest bodies that the control plane takes, in bytes.
const (
	maxBody     = 1 << 20
	maxSnapshot = 256 << 20
)

// exchange is a request to the control plane on its way to an answer.
type exchange struct {
	plane
	request *http.Request
	world   *world.World // that the call is about; nil when it is about none
}

// handle makes a handler of a function that returns what to answer with: a value, nil for no content, or an error.
func (p plane) handle(serve func(*exchange) (any, error), limit int64) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		value, err := serve(&exchange{plane: p, request: r})
		if stream, ok := value.(*stream); ok && err == nil {
			stream.serve(w, r)
			return
		}
		if err != nil {
			p.refuse(w, r, err)
			return
		}
		p.answer(w, r, value)
	}
}

// statused is an answer that has a status of its own.
type statused interface{ status() int }

// created is the answer of a call that made something.
type created struct{ value any }

// answer sends a value: nil is no content.
func (p plane) answer(w http.ResponseWriter, r *http.Request, value any) {
	status := http.StatusOK
	switch v := value.(type) {
	case created:
		status, value = http.StatusCreated, v.value
	case statused:
		status = v.status()
	}
	if value == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := api.Render(value)
	if err != nil {
		p.refuse(w, r, err)
		return
	}
	api.Write(w, status, body)
}

// refuse answers with an error; one that is not meant for the caller as a 500 of which only the log tells the cause.
func (p plane) refuse(w http.ResponseWriter, r *http.Request, err error) {
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		p.Fail(r, err)
		failure = api.NewError(http.StatusInternalServerError, "")
	}
	api.WriteError(w, failure)
}

// inWorld has a call be served in the world that the request names: by its key, or by ?world=ID.
func inWorld(serve func(*exchange) (any, error)) func(*exchange) (any, error) {
	return func(x *exchange) (any, error) {
		for {
			if err := x.open(); err != nil {
				return nil, err
			}
			value, err := serve(x)
			overtaken, failure := x.world.Overtaken(x.context())
			if failure != nil {
				return nil, failure
			}
			if !overtaken || x.request.Method != http.MethodGet { // what changes something was done before the reset
				return value, err
			}
		}
	}
}

// open opens the world that the request names.
func (x *exchange) open() (err error) {
	if id := x.request.URL.Query().Get("world"); id != "" {
		x.world, err = x.Worlds.OpenID(x.context(), id)
	} else {
		x.world, err = x.openByKey()
	}
	return err
}

func (x *exchange) openByKey() (*world.World, error) {
	key, err := x.Authenticate(x.request.Header["Authorization"])
	if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Diagnosis != "" {
		failure.Message += ": " + failure.Diagnosis
	}
	if err != nil {
		return nil, err
	}
	return x.Worlds.Open(x.context(), key)
}

func (x *exchange) context() context.Context { return x.request.Context() }

// param returns a part of the path.
func (x *exchange) param(name string) string {
	return httprouter.ParamsFromContext(x.context()).ByName(name)
}

// decode reads the body into a structure. Unknown keys are errors.
func (x *exchange) decode(into any) error {
	err := json.UnmarshalRead(x.request.Body, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", tooLarge.Limit))
	}
	return api.Because(http.StatusBadRequest, "The body cannot be read: "+api.ExplainJSON(err))
}

// How many things a list has.
const (
	defaultLimit = 100
	maxLimit     = 1000
)

// limit returns how many things the query asks for.
func (x *exchange) limit() (int, error) {
	text := x.request.URL.Query().Get("limit")
	if text == "" {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit < 1 || limit > maxLimit {
		return 0, api.Because(http.StatusBadRequest, fmt.Sprintf("limit must be a number from 1 to %d", maxLimit))
	}
	return limit, nil
}

// list is a page of a list, and what asks for the next: nil when this is the last.
type list[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

// page makes a list of one thing more than it may have, where there is more.
func page[T any](items []T, limit int, id func(T) string) list[T] {
	if items == nil {
		items = []T{}
	}
	if len(items) <= limit {
		return list[T]{Items: items}
	}
	return list[T]{Items: items[:limit], Next: new(id(items[limit-1]))}
}
