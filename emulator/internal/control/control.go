// Package control is the control plane: what an emulator tells about itself and lets its users arrange, under
// /_understudy/. Its errors have the envelope of the emulated surface; their messages say the cause themselves.
package control

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// Prefix is where every path of the control plane begins.
const Prefix = "/_understudy/"

// Config is what a control plane tells of, and the console beside it.
type Config struct {
	Worlds     *world.Worlds
	Journal    *journal.Journal
	Operations []string // of the emulated surface, as the journal names them
	Version    string
	Authority  []byte          // the certificate (PEM) of an authority that was made at start; nil when there is none
	Guard      Guard           // of what tells a world or changes something
	Stopping   context.Context // ends when the server is to stop

	// Authenticate returns the API key of a request's Authorization lines; its error is an [*api.Error].
	Authenticate func(lines []string) (key string, err error)

	// Resolve answers a request in a world of which nothing is kept.
	Resolve func(*http.Request, world.Ref) (surface.Resolution, error)

	Metrics   http.Handler // shows the metrics of the emulator
	Elsewhere http.Handler // serves what is below [Prefix] and not the control plane's; nil: nothing does

	Fail    func(*http.Request, error) // takes an error of the emulator's own, which is answered 500
	Refused func(*http.Request, error) // takes a call that Guard refuses, and why
}

// Filter reads what a query wants of a journal. Its error is an [*api.Error] that begins the name of what is wrong with the.
func (c Config) Filter(operation, status, path, the string) (f journal.Filter, err error) {
	if err := c.checkOperation(operation); err != nil {
		return f, err
	}
	f.Operation, f.Path = operation, path
	if err := f.Validate(); err != nil {
		return f, api.Because(http.StatusBadRequest, the+"path "+err.Error())
	}
	if status != "" {
		if f.Status, err = journal.ParseStatus(status); err != nil {
			return f, api.Because(http.StatusBadRequest, the+"status "+err.Error())
		}
	}
	return f, nil
}

func (c Config) checkOperation(name string) error {
	if name == "" || slices.Contains(c.Operations, name) {
		return nil
	}
	hint := api.DidYouMean(name, c.Operations, ": it is one of "+strings.Join(c.Operations, ", "))
	return api.Because(http.StatusBadRequest, "There is no operation "+api.Quote(name)+hint)
}

// NoEntry returns the 404 of a request that a journal does not have.
func (c Config) NoEntry(id string) error {
	return api.Because(http.StatusNotFound, fmt.Sprintf(
		"This world's journal has no request %s: it keeps the last %d that reached the world", api.Quote(id), c.Journal.Size()))
}

// plane answers as its configuration says.
type plane struct{ Config }

// call serves a request and returns what to answer with: a value, nil for no content, a stream, or an error.
type call func(*exchange) (any, error)

// endpoint is one row of the control plane: a file, or a call of one of three kinds.
type endpoint struct {
	method, path string // below Prefix
	public       bool   // for everybody: it tells no world and changes nothing
	file         http.HandlerFunc
	serve        call     // about no world
	inWorld      call     // in one transaction of the world that the request names; it may run twice
	atWorld      call     // about that world, outside of its transactions: what it needs of the world it reads by do
	query        []string // its parameters, but for world
	limit        int64    // of the body, in bytes; 0: maxBody
}

// endpoints lists the control plane (contract 6).
func (p plane) endpoints() []endpoint {
	const get, post, put, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete
	paged := []string{"limit", "after"}
	filters := []string{"operation", "status", "path", "since"}
	return slices.Concat([]endpoint{
		{method: get, path: "openapi.json", public: true, file: p.openAPIJSON},
		{method: get, path: "openapi.yaml", public: true, file: p.openAPIYAML},
		{method: get, path: "ca.pem", public: true, file: p.certificateAuthority},
		{method: get, path: "metrics", file: func(w http.ResponseWriter, r *http.Request) { p.Metrics.ServeHTTP(w, r) }},
		{method: get, path: "v1/health", public: true, serve: health},
		{method: get, path: "v1/ready", public: true, serve: ready},
		{method: get, path: "v1/info", serve: info},

		{method: get, path: "v1/worlds", serve: listWorlds, query: paged},
		{method: del, path: "v1/worlds/:id", serve: deleteWorld},
		{method: post, path: "v1/reset", atWorld: reset},
		{method: get, path: "v1/snapshot", atWorld: takeSnapshot},
		{method: put, path: "v1/snapshot", atWorld: restoreSnapshot, limit: maxSnapshot},
		{method: get, path: "v1/clock", inWorld: showClock},
		{method: put, path: "v1/clock", inWorld: setClock},
		{method: post, path: "v1/clock/advance", inWorld: advanceClock},

		{method: get, path: "v1/scenarios", inWorld: listScenarios, query: paged},
		{method: post, path: "v1/scenarios/resolve", atWorld: resolve},
		{method: get, path: "v1/scenarios/:name", inWorld: showScenario},
		{method: put, path: "v1/scenarios/:name", inWorld: putScenarios},
		{method: del, path: "v1/scenarios/:name", inWorld: deleteScenarios},

		{method: get, path: "v1/faults", inWorld: listFaults, query: paged},
		{method: post, path: "v1/faults", inWorld: addFault},
		{method: del, path: "v1/faults", inWorld: removeFaults},
		{method: del, path: "v1/faults/:id", inWorld: removeFault},

		{method: get, path: "v1/journal", atWorld: listJournal, query: slices.Concat(paged, filters)},
		{method: del, path: "v1/journal", atWorld: clearJournal},
		{method: get, path: "v1/journal/:id", atWorld: showEntry, query: filters}, // also journal/stream, whose these are
		{method: post, path: "v1/journal/verify", atWorld: verifyJournal},
	},
		verificationRequests().endpoints("v1/verification-requests", "state", "scenario"),
		tenantProperties().endpoints("v1/tenant-properties"),
		qualificationChecks().endpoints("v1/qualification-checks"),
		credentialsSessions().endpoints("v1/credentials-sessions"),
	)
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
	p.answer(w, r, nil, api.Because(http.StatusNotFound, "The control plane has nothing here: see "+Prefix+"openapi.json"))
}

func methodNotAllowed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Allow", strings.Join(api.Allowed(w.Header()), ", "))
	api.WriteError(w, api.NewError(http.StatusMethodNotAllowed, ""))
}

// TokenHeader carries the control plane's token, beside Authorization, which names the world.
const TokenHeader = "Understudy-Control-Token"

// guarded refuses a call that a web page in somebody's browser may have sent, and one without the token.
func (p plane) guarded(serve http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, check := range []func(*http.Request) error{p.Guard.Check, p.checkToken} {
			if err := check(r); err != nil {
				p.Refused(r, err)
				p.answer(w, r, nil, err)
				return
			}
		}
		serve.ServeHTTP(w, r)
	}
}

// checkToken refuses a call without the token, where there is one. It may also come as the bearer of Authorization, for
// what sends no other header; a world is then named by ?world=ID.
func (p plane) checkToken(r *http.Request) error {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if p.Guard.Open() || p.Guard.IsToken(r.Header.Get(TokenHeader)) ||
		strings.EqualFold(scheme, "Bearer") && p.Guard.IsToken(strings.TrimLeft(bearer, " ")) {
		return nil
	}
	refusal := api.NewError(http.StatusUnauthorized, "")
	refusal.Message = "The control plane has a token (--control-token): send it as " + TokenHeader +
		", or as Authorization: Bearer where no API key goes there"
	return refusal
}

// health says that the process answers.
func health(*exchange) (any, error) { return map[string]string{"status": "ok"}, nil }

// ready says whether requests can be served: 503 while the store cannot be read, which is logged too.
func ready(x *exchange) (any, error) {
	if err := x.Worlds.Ready(x.context()); err != nil {
		x.Fail(x.request, err)
		return nil, api.Because(http.StatusServiceUnavailable, "The store cannot be used: "+err.Error())
	}
	return map[string]string{"status": "ready"}, nil
}

// about is what an emulator gives new worlds, and where it stores them.
type about struct {
	Version   string `json:"version"`
	Seed      uint64 `json:"seed"`
	Store     string `json:"store"`
	Clock     string `json:"clock"`
	RateLimit string `json:"rate_limit"`
	Scenarios int    `json:"scenarios"`
}

func info(x *exchange) (any, error) {
	c := x.Worlds.Config()
	return about{x.Version, c.Seed, c.Store.String(), c.Clock.String(), c.Limit.String(), c.Catalogue.Len()}, nil
}

func (p plane) openAPIJSON(w http.ResponseWriter, _ *http.Request) {
	document, _ := api.OpenAPIJSON() // it is built in, and right
	api.Write(w, http.StatusOK, document)
}

func (p plane) openAPIYAML(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(api.OpenAPIYAML())
}

// certificateAuthority hands out the certificate by which clients may trust the server's.
func (p plane) certificateAuthority(w http.ResponseWriter, r *http.Request) {
	if p.Authority == nil {
		p.answer(w, r, nil, api.Because(http.StatusNotFound, "There is no certificate authority: serve with --tls-auto"))
		return
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Write(p.Authority)
}
