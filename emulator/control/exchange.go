package control

import (
	"cmp"
	"context"
	"errors"
	"net/http"

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

// handle makes a handler of a call, which returns what to answer with: a value, nil for no content, or an error.
func (p plane) handle(e endpoint) http.HandlerFunc {
	serve := e.checked()
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, cmp.Or(e.limit, maxBody))
		value, err := serve(&exchange{plane: p, request: r})
		if stream, ok := value.(http.Handler); ok && err == nil {
			stream.ServeHTTP(w, r)
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

// inWorld has a call be served in the world that the request names.
func inWorld(serve func(*exchange) (any, error)) func(*exchange) (any, error) {
	return func(x *exchange) (value any, err error) {
		err = world.Do(x.context(), x.open, x.request.Method != http.MethodGet, func(opened *world.World) (err error) {
			x.world = opened
			value, err = serve(x)
			return err
		})
		return value, err
	}
}

// open opens the world that the request names.
func (x *exchange) open() (*world.World, error) {
	if id := x.request.URL.Query().Get("world"); id != "" {
		return x.Worlds.OpenID(x.context(), id)
	}
	return x.openByKey()
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
