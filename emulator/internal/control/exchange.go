package control

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// maxBody is the largest body that the control plane takes, in bytes.
const maxBody = 1 << 20

// exchange is a request to the control plane while it is served.
type exchange struct {
	plane
	request *http.Request
	query   url.Values
	writer  http.ResponseWriter
	body    []byte       // as it was sent; nil for a snapshot
	release func()       // gives back the memory of the body
	world   *world.World // that the request names; nil for a call about no world
}

// handle returns the handler of an endpoint.
func (p plane) handle(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limited := p.Limits.Body(r.Context(), http.MaxBytesReader(w, r.Body, maxBody))
		defer limited.Release()
		memory := p.Limits.Answer(r.RemoteAddr)
		defer memory.Release()
		sent := r.WithContext(memory.In(r.Context()))
		if sent.Body = limited; e.snapshot {
			sent.Body = http.MaxBytesReader(w, r.Body, limits.MaxSnapshot)
		}
		x := &exchange{plane: p, request: sent, writer: w, release: limited.Release}
		defer x.sent()
		value, err := x.serve(e)
		if stream, ok := value.(http.Handler); ok && err == nil {
			memory.Release()
			stream.ServeHTTP(w, r)
			return
		}
		p.answer(w, r, value, err)
	}
}

func (x *exchange) serve(e endpoint) (_ any, err error) {
	if x.query, err = parseQuery(x.request.URL.RawQuery, e.parameters()); err != nil {
		return nil, err
	}
	if e.serve == nil {
		if x.world, err = x.named(); err != nil {
			return nil, err
		}
	}
	if !e.snapshot {
		if x.body, err = x.read(); err != nil {
			return nil, err
		}
	}
	call := e.inWorld
	if e.serve != nil {
		call = e.serve
	}
	value, err := call(x)
	return value, x.lostLineEnds(err)
}

// lostLineEnds explains an error that is due to curl -d, which removes the line ends of a file: keys follow each other in one
// line, or all is the comment of the first.
func (x *exchange) lostLineEnds(err error) error {
	failure, text := (*api.Error)(nil), string(x.body)
	keys, _, _ := strings.Cut(text, "{")
	if !errors.As(err, &failure) || strings.Contains(text, "\n") || !strings.HasPrefix(x.request.UserAgent(), "curl/") ||
		strings.Count(keys, ": ") < 2 && !strings.HasPrefix(text, "#") {
		return err
	}
	explained := *failure
	explained.Message = "The body has no line ends, because curl -d removes them: send a file with --data-binary. " + failure.Message
	return &explained
}

// named returns the world that the request names: by its key, or by ?world=ID.
func (x *exchange) named() (*world.World, error) {
	if id := x.query.Get("world"); id != "" {
		return world.Hold(x.Worlds.ByID(id)), nil
	}
	key, err := x.Authenticate(x.request.Header["Authorization"])
	if failure := (*api.Error)(nil); errors.As(err, &failure) && failure.Diagnosis != "" {
		failure.Message, failure.Diagnosis = failure.Message+": "+failure.Diagnosis, ""
	}
	return world.Hold(x.Worlds.ByKey(key)), err
}

// sent sends the webhooks that the call has caused, once its answer has left.
func (x *exchange) sent() {
	if x.world != nil {
		world.Release(x.world, http.NewResponseController(x.writer).Flush)
	}
}

// owner returns whose budget the call uses.
func (x *exchange) owner() limits.Owner { return world.OwnerOf(x.world, x.request.RemoteAddr) }

func (x *exchange) context() context.Context { return x.request.Context() }

// param returns the parameter of the path.
func (x *exchange) param() string { return httprouter.ParamsFromContext(x.context())[0].Value }

// withStatus is a value with a status other than 200.
type withStatus struct {
	status int
	value  any
}

// answer sends a value, rendered JSON, or no content for nil. An internal error is a 500 whose cause is only logged.
func (p plane) answer(w http.ResponseWriter, r *http.Request, value any, err error) {
	status := http.StatusOK
	if v, ok := value.(withStatus); ok {
		status, value = v.status, v.value
	}
	if err == nil && value == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if err == nil {
		body, rendered := value.([]byte)
		if !rendered {
			body, err = api.Render(value)
		}
		if err == nil {
			api.Write(w, status, body)
			return
		}
	}
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) || failure.Status == http.StatusInsufficientStorage {
		p.Fail(r, err)
	}
	if failure == nil {
		failure = api.NewError(http.StatusInternalServerError, surface.NoSpace(err))
	}
	api.WriteError(w, limits.Explained(failure))
}

// read reads the body of a call that may have one.
func (x *exchange) read() ([]byte, error) {
	if method := x.request.Method; method == http.MethodGet || method == http.MethodHead || method == http.MethodDelete {
		return nil, nil
	}
	text, err := io.ReadAll(x.request.Body)
	return text, unread(err)
}

// unread explains why a body could not be read, or kept in a file; nil for no error. Its error is an [*api.Error].
func unread(err error) error {
	refusal, tooLarge := (*api.Error)(nil), (*http.MaxBytesError)(nil)
	switch {
	case err == nil || errors.As(err, new(*fs.PathError)):
		return limits.NoRoom(err)
	case errors.As(err, &tooLarge):
		return api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes", tooLarge.Limit))
	case errors.As(err, &refusal): // of the limits
		return refusal
	}
	return api.Because(http.StatusBadRequest, "The body cannot be read")
}

// document returns the body, which must not be empty.
func (x *exchange) document() (string, error) {
	if len(bytes.TrimSpace(x.body)) == 0 {
		return "", api.Because(http.StatusBadRequest, "The body is missing: send a JSON object")
	}
	return string(x.body), nil
}

// notNull refuses null for a member, except one that takes any JSON.
var notNull = json.WithUnmarshalers(json.UnmarshalFromFunc(func(in *jsontext.Decoder, into any) error {
	switch into.(type) {
	case *jsontext.Value, *any:
		return errors.ErrUnsupported
	}
	if in.PeekKind() == 'n' {
		return errors.New("may not be null: give it a value, or omit it")
	}
	return errors.ErrUnsupported
}))

// json returns the body in JSON, and for a body in YAML where in it a value stands.
func (x *exchange) json() (text []byte, at func(pointer []string) scenarios.Position, err error) {
	if _, err := x.document(); err != nil {
		return nil, nil, err
	}
	if mediaType, _, _ := mime.ParseMediaType(x.request.Header.Get("Content-Type")); mediaType != "application/yaml" {
		return x.body, nil, nil
	}
	text, at, err = scenarios.JSON("body", x.body)
	return text, at, resource.Invalid("body", err)
}

// decode decodes the body, JSON or YAML, into a structure. Unknown keys are errors, and so is null.
func (x *exchange) decode(into any) error {
	text, at, err := x.json()
	if err != nil {
		return err
	}
	err = json.Unmarshal(text, into, json.RejectUnknownMembers(true), notNull)
	switch {
	case err == nil:
		return nil
	case string(bytes.TrimSpace(text)) == "null":
		return api.Because(http.StatusBadRequest, "The body is null: give it a value")
	case at == nil:
		return api.Because(http.StatusBadRequest, "The body cannot be read: "+api.ExplainJSON(err))
	}
	var pointer []string
	problem := err
	for semantic := (*json.SemanticError)(nil); errors.As(err, &semantic); err = semantic.Err {
		pointer = slices.AppendSeq(pointer, semantic.JSONPointer.Tokens())
	}
	return resource.Invalid("body", scenarios.Problems{{At: at(pointer), What: api.ExplainJSON(problem)}})
}

// parameters lists the query parameters of an endpoint.
func (e endpoint) parameters() []string {
	if e.serve != nil || e.file != nil {
		return e.query
	}
	return append([]string{"world"}, e.query...)
}

// parseQuery refuses unknown and repeated parameters, which would otherwise be ignored.
func parseQuery(raw string, parameters []string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The query cannot be read: write it as name=value, with & between two")
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !slices.Contains(parameters, name) {
			hint := api.DidYouMean(name, parameters, ": this call has "+cmp.Or(strings.Join(parameters, ", "), "none"))
			return nil, api.Because(http.StatusBadRequest, "There is no query parameter "+api.Quote(name)+hint)
		}
		if len(query[name]) > 1 {
			return nil, api.Because(http.StatusBadRequest, "The query parameter "+name+" is there more than once: send it once")
		}
	}
	return query, nil
}
