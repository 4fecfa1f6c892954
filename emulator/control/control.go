// Package control is the control plane: what an emulator tells about itself and lets its users arrange, under
// /_understudy/. Its errors have the envelope of the emulated surface; their messages say the cause themselves.
package control

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Prefix is where every path of the control plane begins.
const Prefix = "/_understudy/"

// Config is what a control plane tells of.
type Config struct {
	Worlds    *world.Worlds
	Version   string
	Authority []byte // the certificate (PEM) of an authority that was made at start; nil when there is none

	Token string   // that guarded calls need; "": none
	Hosts []string // by whose names it may be reached on a loopback address, beside localhost

	// Authenticate returns the API key of a request's Authorization lines; its error is an [*api.Error].
	Authenticate func(lines []string) (key string, err error)

	// Fail takes an error of the emulator's own, which is answered 500.
	Fail func(*http.Request, error)
}

// plane answers as its configuration says.
type plane struct{ Config }

// endpoint is one row of the control plane: a file, or a call on a world.
type endpoint struct {
	method, path string // below Prefix
	public       bool   // for everybody: it tells no world and changes nothing
	file         http.HandlerFunc
	serve        func(*exchange) (any, error)
}

// endpoints lists the control plane (contract 6).
func (p plane) endpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "openapi.json", public: true, file: p.openAPIJSON},
		{method: http.MethodGet, path: "openapi.yaml", public: true, file: p.openAPIYAML},
		{method: http.MethodGet, path: "ca.pem", public: true, file: p.certificateAuthority},
		{method: http.MethodGet, path: "v1/health", public: true, serve: health},
		{method: http.MethodGet, path: "v1/ready", public: true, serve: ready},
		{method: http.MethodGet, path: "v1/info", serve: info},

		{method: http.MethodGet, path: "v1/worlds", serve: listWorlds},
		{method: http.MethodDelete, path: "v1/worlds/:id", serve: deleteWorld},
		{method: http.MethodPost, path: "v1/reset", serve: inWorld(reset)},
		{method: http.MethodGet, path: "v1/clock", serve: inWorld(showClock)},
		{method: http.MethodPut, path: "v1/clock", serve: inWorld(setClock)},
		{method: http.MethodPost, path: "v1/clock/advance", serve: inWorld(advanceClock)},

		{method: http.MethodGet, path: "v1/verification-requests", serve: inWorld(listVerifications)},
		{method: http.MethodGet, path: "v1/verification-requests/:id", serve: inWorld(showVerification)},
		{method: http.MethodPatch, path: "v1/verification-requests/:id", serve: inWorld(changeVerification)},
		{method: http.MethodDelete, path: "v1/verification-requests/:id", serve: inWorld(deleteVerification)},

		{method: http.MethodGet, path: "v1/faults", serve: inWorld(listFaults)},
		{method: http.MethodPost, path: "v1/faults", serve: inWorld(addFault)},
		{method: http.MethodDelete, path: "v1/faults", serve: inWorld(removeFaults)},
		{method: http.MethodDelete, path: "v1/faults/:id", serve: inWorld(removeFault)},
	}
}

// New returns a control plane.
func New(config Config) http.Handler {
	p := plane{config}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               p.handle(nothingHere),
		MethodNotAllowed:       http.HandlerFunc(methodNotAllowed),
	}
	for _, e := range p.endpoints() {
		handler := e.file
		if handler == nil {
			handler = p.handle(e.serve)
		}
		if !e.public {
			handler = p.guarded(handler)
		}
		router.HandlerFunc(e.method, Prefix+e.path, handler)
		if e.method == http.MethodGet {
			router.HandlerFunc(http.MethodHead, Prefix+e.path, handler)
		}
	}
	return router
}

func nothingHere(x *exchange) (any, error) {
	return nil, api.Because(http.StatusNotFound, "The control plane has nothing here: see "+Prefix+"openapi.json")
}

// methodNotAllowed finds the router's list of methods in the header, where OPTIONS stands though nothing answers it.
func methodNotAllowed(w http.ResponseWriter, _ *http.Request) {
	allowed := strings.Split(w.Header().Get("Allow"), ", ")
	allowed = slices.DeleteFunc(allowed, func(method string) bool { return method == http.MethodOptions })
	slices.SortFunc(allowed, cmp.Compare)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	api.WriteError(w, api.NewError(http.StatusMethodNotAllowed, ""))
}
