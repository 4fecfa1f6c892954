package control

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

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

// exchange is a request to the control plane on its way to an answer. All that is read of the request is read before its
// world is opened, since what runs in a world's transaction may run twice.
type exchange struct {
	plane
	request *http.Request
	query   url.Values
	body    []byte       // as it was sent
	id, key string       // of the world that the request names: one of the two
	world   *world.World // as it was last opened; nil before
}

// handle makes a handler of an endpoint.
func (p plane) handle(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, cmp.Or(e.limit, maxBody))
		value, err := (&exchange{plane: p, request: r}).serve(e)
		if stream, ok := value.(http.Handler); ok && err == nil {
			stream.ServeHTTP(w, r)
			return
		}
		p.answer(w, r, value, err)
	}
}

func (x *exchange) serve(e endpoint) (value any, err error) {
	if x.query, err = parseQuery(x.request.URL.RawQuery, e.parameters()); err != nil {
		return nil, err
	}
	if e.serve != nil {
		return e.serve(x)
	}
	if x.id = x.query.Get("world"); x.id == "" {
		if x.key, err = x.authenticate(); err != nil {
			return nil, err
		}
	}
	if x.body, err = x.read(); err != nil {
		return nil, err
	}
	if e.atWorld != nil {
		return e.atWorld(x)
	}
	err = x.do(func(*world.World) (err error) {
		value, err = e.inWorld(x)
		return err
	})
	return value, err
}

// do opens the world that the request names, and acts in it.
func (x *exchange) do(act func(*world.World) error) error {
	open := func() (*world.World, error) {
		if x.id != "" {
			return x.Worlds.OpenID(x.context(), x.id)
		}
		return x.Worlds.Open(x.context(), x.key)
	}
	return world.Do(x.context(), open, x.request.Method != http.MethodGet, func(opened *world.World) error {
		x.world = opened
		return act(opened)
	})
}

// open opens the world for what is asked of it outside of its transactions.
func (x *exchange) open() error { return x.do(func(*world.World) error { return nil }) }

func (x *exchange) authenticate() (string, error) {
	key, err := x.Authenticate(x.request.Header["Authorization"])
	if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Diagnosis != "" {
		failure.Message += ": " + failure.Diagnosis
	}
	return key, err
}

func (x *exchange) context() context.Context { return x.request.Context() }

// param returns a part of the path.
func (x *exchange) param(name string) string {
	return httprouter.ParamsFromContext(x.context()).ByName(name)
}

// created is the answer of a call that made something.
type created struct{ value any }

// statused is an answer that has a status of its own.
type statused interface{ status() int }

// answer sends a value: nil is no content. An error that is not meant for the caller is a 500 of which only the log tells
// the cause.
func (p plane) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	status := http.StatusOK
	switch v := value.(type) {
	case created:
		status, value = http.StatusCreated, v.value
	case statused:
		status = v.status()
	}
	if err == nil && value == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	body := []byte(nil)
	if err == nil {
		body, err = api.Render(value)
	}
	if err == nil {
		api.Write(w, status, body)
		return
	}
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		p.Fail(r, err)
		failure = api.NewError(http.StatusInternalServerError, "")
	}
	api.WriteError(w, failure)
}

// read reads the body of a call that may have one.
func (x *exchange) read() ([]byte, error) {
	if method := x.request.Method; method == http.MethodGet || method == http.MethodHead || method == http.MethodDelete {
		return nil, nil
	}
	text, err := io.ReadAll(x.request.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", tooLarge.Limit))
	}
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The body cannot be read")
	}
	return text, nil
}

// document returns the body, which must not be empty.
func (x *exchange) document() ([]byte, error) {
	if len(bytes.TrimSpace(x.body)) == 0 {
		return nil, api.Because(http.StatusBadRequest, "The body is missing: send a JSON object")
	}
	return x.body, nil
}

// decode decodes the body into a structure. Unknown keys are errors.
func (x *exchange) decode(into any) error {
	text, err := x.document()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into, json.RejectUnknownMembers(true)); err != nil {
		return api.Because(http.StatusBadRequest, "The body cannot be read: "+api.ExplainJSON(err))
	}
	return nil
}

// parameters lists what the query of an endpoint may have.
func (e endpoint) parameters() []string {
	if e.serve != nil || e.file != nil {
		return e.query
	}
	return append([]string{"world"}, e.query...)
}

// parseQuery refuses a parameter that the call does not have, and one that is repeated: otherwise it would be ignored.
func parseQuery(raw string, known []string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The query cannot be read: write it as name=value, with & between two")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		nearest, ok := api.Nearest(name, known)
		message := "There is no query parameter " + api.Quote(name)
		switch {
		case slices.Contains(known, name) && len(query[name]) == 1:
			continue
		case slices.Contains(known, name):
			message = "The query parameter " + name + " is there more than once: say it once"
		case ok:
			message += ": did you mean " + nearest + "?"
		case len(known) == 0:
			message += ": this call has none"
		default:
			message += ": this call has " + strings.Join(known, ", ")
		}
		return nil, api.Because(http.StatusBadRequest, message)
	}
	return query, nil
}
