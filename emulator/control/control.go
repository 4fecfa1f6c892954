// Package control is the control plane: what an emulator tells about itself and lets its users arrange, under
// /_understudy/. Its errors have the envelope of the emulated surface; their messages say the cause themselves.
package control

import (
	"context"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/guard"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Prefix is where every path of the control plane begins.
const Prefix = "/_understudy/"

// Config is what a control plane tells of.
type Config struct {
	Worlds    *world.Worlds
	Version   string
	Authority []byte // the certificate (PEM) of an authority that was made at start; nil when there is none

	Guard guard.Guard // of what tells a world or changes something

	Journal    *journal.Journal
	Operations []string        // of the emulated surface, as the journal names them
	Stopping   context.Context // ends when the server is to stop

	// Authenticate returns the API key of a request's Authorization lines; its error is an [*api.Error].
	Authenticate func(lines []string) (key string, err error)

	// Resolve answers a request in a world of which nothing is kept.
	Resolve func(r *http.Request, dry *world.World) (Resolution, error)

	// Metrics shows the figures of the emulator.
	Metrics http.Handler

	// Elsewhere serves what is below [Prefix] and not the control plane's; nil: nothing does.
	Elsewhere http.Handler

	// Fail takes an error of the emulator's own, which is answered 500.
	Fail func(*http.Request, error)

	// Refused takes a call that [Config.Guard] refuses, and why.
	Refused func(*http.Request, error)
}

// plane answers as its configuration says.
type plane struct{ Config }

// endpoint is one row of the control plane: a file, a call, or a call in a world.
type endpoint struct {
	method, path string // below Prefix
	public       bool   // for everybody: it tells no world and changes nothing
	file         http.HandlerFunc
	serve        func(*exchange) (any, error)
	inWorld      func(*exchange) (any, error) // in the world that the request names: by its key, or by ?world=ID
	query        []string                     // its parameters, but for world
	limit        int64                        // of the body, in bytes; 0: maxBody
}

// endpoints lists the control plane (contract 6).
func (p plane) endpoints() []endpoint {
	tenants, checks := tenantProperties(), qualificationChecks()
	paged := []string{"limit", "after"}
	journalQuery := []string{"operation", "status", "path", "since"}
	return []endpoint{
		{method: http.MethodGet, path: "openapi.json", public: true, file: p.openAPIJSON},
		{method: http.MethodGet, path: "openapi.yaml", public: true, file: p.openAPIYAML},
		{method: http.MethodGet, path: "ca.pem", public: true, file: p.certificateAuthority},
		{method: http.MethodGet, path: "metrics", file: p.showMetrics},
		{method: http.MethodGet, path: "v1/health", public: true, serve: health},
		{method: http.MethodGet, path: "v1/ready", public: true, serve: ready},
		{method: http.MethodGet, path: "v1/info", serve: info},

		{method: http.MethodGet, path: "v1/worlds", serve: listWorlds, query: paged},
		{method: http.MethodDelete, path: "v1/worlds/:id", serve: deleteWorld},
		{method: http.MethodPost, path: "v1/reset", inWorld: reset},
		{method: http.MethodGet, path: "v1/clock", inWorld: showClock},
		{method: http.MethodPut, path: "v1/clock", inWorld: setClock},
		{method: http.MethodPost, path: "v1/clock/advance", inWorld: advanceClock},

		{method: http.MethodGet, path: "v1/verification-requests", inWorld: listVerifications, query: append(paged, "state", "scenario")},
		{method: http.MethodPost, path: "v1/verification-requests", inWorld: createVerification},
		{method: http.MethodGet, path: "v1/verification-requests/:id", inWorld: showVerification},
		{method: http.MethodPatch, path: "v1/verification-requests/:id", inWorld: changeVerification},
		{method: http.MethodDelete, path: "v1/verification-requests/:id", inWorld: deleteVerification},

		{method: http.MethodGet, path: "v1/scenarios", inWorld: listScenarios, query: paged},
		{method: http.MethodGet, path: "v1/credentials-sessions", inWorld: listSessions, query: paged},
		{method: http.MethodGet, path: "v1/credentials-sessions/:id", inWorld: showSession},

		{method: http.MethodGet, path: "v1/tenant-properties", inWorld: tenants.list, query: paged},
		{method: http.MethodPost, path: "v1/tenant-properties", inWorld: tenants.create},
		{method: http.MethodGet, path: "v1/tenant-properties/:id", inWorld: tenants.show},
		{method: http.MethodPatch, path: "v1/tenant-properties/:id", inWorld: tenants.change},
		{method: http.MethodDelete, path: "v1/tenant-properties/:id", inWorld: tenants.remove},

		{method: http.MethodGet, path: "v1/qualification-checks", inWorld: checks.list, query: paged},
		{method: http.MethodPost, path: "v1/qualification-checks", inWorld: checks.create},
		{method: http.MethodGet, path: "v1/qualification-checks/:id", inWorld: checks.show},
		{method: http.MethodPatch, path: "v1/qualification-checks/:id", inWorld: checks.change},
		{method: http.MethodDelete, path: "v1/qualification-checks/:id", inWorld: checks.remove},

		{method: http.MethodPost, path: "v1/scenarios/resolve", inWorld: resolve},
		{method: http.MethodGet, path: "v1/scenarios/:name", inWorld: showScenario},
		{method: http.MethodPut, path: "v1/scenarios/:name", inWorld: putScenarios},
		{method: http.MethodDelete, path: "v1/scenarios/:name", inWorld: deleteScenarios},

		{method: http.MethodGet, path: "v1/snapshot", inWorld: takeSnapshot},
		{method: http.MethodPut, path: "v1/snapshot", inWorld: restoreSnapshot, limit: maxSnapshot},

		{method: http.MethodGet, path: "v1/faults", inWorld: listFaults, query: paged},
		{method: http.MethodPost, path: "v1/faults", inWorld: addFault},
		{method: http.MethodDelete, path: "v1/faults", inWorld: removeFaults},
		{method: http.MethodDelete, path: "v1/faults/:id", inWorld: removeFault},

		{method: http.MethodGet, path: "v1/journal", inWorld: listJournal, query: append(paged, journalQuery...)},
		{method: http.MethodDelete, path: "v1/journal", inWorld: clearJournal},
		{method: http.MethodGet, path: "v1/journal/:id", inWorld: showEntry, query: journalQuery}, // also journal/stream, whose these are
		{method: http.MethodPost, path: "v1/journal/verify", inWorld: verifyJournal},
	}
}

// New returns a control plane.
func New(config Config) http.Handler {
	p := plane{config}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               http.HandlerFunc(p.notFound),
		MethodNotAllowed:       http.HandlerFunc(methodNotAllowed),
	}
	for _, e := range p.endpoints() {
		handler := e.file
		if handler == nil {
			handler = p.handle(e)
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

// notFound has somebody else serve what is not the control plane's.
func (p plane) notFound(w http.ResponseWriter, r *http.Request) {
	below, ok := strings.CutPrefix(r.URL.Path, Prefix)
	first, _, _ := strings.Cut(below, "/")
	if ok && first != "v1" && p.Elsewhere != nil {
		p.Elsewhere.ServeHTTP(w, r)
		return
	}
	p.refuse(w, r, api.Because(http.StatusNotFound, "The control plane has nothing here: see "+Prefix+"openapi.json"))
}

func methodNotAllowed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", strings.Join(api.Allowed(w.Header()), ", "))
	api.WriteError(w, api.NewError(http.StatusMethodNotAllowed, ""))
}
