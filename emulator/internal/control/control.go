// Package control is the control plane: what an emulator tells about itself and lets its users arrange, under
// /_understudy/. Its errors have the envelope of the emulated surface; their messages say the cause themselves.
package control

import (
	"context"
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
	Worlds    *world.Worlds
	Journal   *journal.Journal
	Version   string
	Authority []byte          // the certificate (PEM) of an authority that was made at start; nil when there is none
	Guard     Guard           // of what tells a world or changes something
	Stopping  context.Context // ends when the server is to stop

	// Authenticate returns the API key of a request's Authorization lines; its error is an [*api.Error].
	Authenticate func(lines []string) (key string, err error)

	// Resolve returns the answer to a request in a world, and stores nothing.
	Resolve func(*http.Request, *world.World) (surface.Resolution, error)

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
	if err := f.Check(); err != nil {
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
	operations := c.Worlds.Config().Operations
	if name == "" || slices.Contains(operations, name) {
		return nil
	}
	hint := api.DidYouMean(name, operations, ": it is one of "+strings.Join(operations, ", "))
	return api.Because(http.StatusBadRequest, "There is no operation "+api.Quote(name)+hint)
}

// plane answers as its configuration says.
type plane struct{ Config }

// call serves a request and returns what to answer with: a value, nil for no content, a stream, or an error.
type call func(*exchange) (any, error)

// endpoint is one row of the control plane: a file, or a call about no world or about one.
type endpoint struct {
	method, path string // below Prefix
	public       bool   // for everybody: it shows no world and changes nothing
	file         http.HandlerFunc
	serve        call     // about no world
	inWorld      call     // about the world that the request names
	query        []string // its parameters, beside world
	limit        int64    // of the body, in bytes; 0: maxBody
}

// The methods of calls.
const (
	get, post, put = http.MethodGet, http.MethodPost, http.MethodPut
	patch, del     = http.MethodPatch, http.MethodDelete
)

// endpoints lists the control plane. The calls of a family stand in the family's file.
func (p plane) endpoints() []endpoint {
	return slices.Concat(
		[]endpoint{
			{method: get, path: "openapi.json", public: true, file: p.openAPIJSON},
			{method: get, path: "openapi.yaml", public: true, file: p.openAPIYAML},
			{method: get, path: "ca.pem", public: true, file: p.certificateAuthority},
			{method: get, path: "metrics", file: func(w http.ResponseWriter, r *http.Request) { p.Metrics.ServeHTTP(w, r) }},
			{method: get, path: "v1/health", public: true, serve: health},
			{method: get, path: "v1/ready", public: true, serve: ready},
			{method: get, path: "v1/info", serve: info},
		},
		worldCalls(), clockCalls(), scenarioCalls(), faultCalls(), journalCalls(),
		verificationRequests().calls("v1/verification-requests", "state", "scenario"),
		tenantProperties().calls("v1/tenant-properties"),
		qualificationChecks().calls("v1/qualification-checks"),
		credentialsSessions().calls("v1/credentials-sessions"),
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
