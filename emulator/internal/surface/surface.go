// Package surface serves the five operations of the emulated API over HTTP (spec 4). A request is decoded, checked and run
// in one transaction of its world, and answered in one place.
package surface

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Config configures a [Surface].
type Config struct {
	Worlds    *world.Worlds
	Journal   *journal.Journal
	Unmatched *journal.Journal // of the requests that are refused before they reach a world, under the zero Ref
	Keys      Keys
	Limits    *limits.Limits // of bodies
	Strict    []string       // kinds of notes that are rejected with 400: see [api.ParseStrict]
	Log       *slog.Logger
	Stopping  context.Context // done when the server shuts down; delays end then

	// Observe counts an answer: its operation ("" for none), status (0 for none) and duration.
	Observe func(operation string, status int, took time.Duration)

	// Failed counts an error of the emulator itself.
	Failed func()
}

// Surface is the emulated API, an [http.Handler]. It is safe for concurrent use.
type Surface struct {
	http.Handler
	Config
	logged    *lru.Cache[finding, struct{}] // findings that were logged
	unmatched unmatchedLog
	noted     struct {
		sync.Mutex
		answers map[string]int // with a note of a kind that was only diagnosed
	}
}

// New returns a surface.
func New(config Config) *Surface {
	s := &Surface{Config: config}
	s.noted.answers = make(map[string]int)
	s.logged, _ = lru.New[finding, struct{}](loggedFindings)          // it fails only for a size below 1
	s.unmatched.seen, _ = lru.New[string, repetition](loggedFindings) // likewise
	s.Handler = s.routes(s.handle, s.Refuse)
	return s
}

// route is a method and a path.
type route struct{ method, path string }

// operation is one row of the emulated API.
type operation struct {
	route
	name    string // in the OpenAPI document, the journal and the log
	version string // spec 9
	success int
	answer  reflect.Type // of a success
	on      scenarios.Operation
	kind    scenarios.Kind // of the id in the path
	writes  bool           // whether it always changes its world
	query   bool           // whether it has query parameters
	decode  func(*http.Request) input
}

// operations returns the five operations (spec 4).
func operations() []*operation {
	return []*operation{
		{ // spec 4.1
			route: route{http.MethodPut, "/verification-requests/:id/cancel"},
			name:  "cancelVerificationRequest", version: "2022-08-01", success: http.StatusOK, answer: reflect.TypeFor[api.CanceledVerification](),
			on: scenarios.OnCancel, kind: scenarios.VerificationRequestID, writes: true, decode: cancelVerificationRequest,
		},
		{ // spec 4.2
			route: route{http.MethodGet, "/verification-requests/:id"},
			name:  "getVerificationRequest", version: "2019-10-15", success: http.StatusOK, answer: reflect.TypeFor[api.VerificationRequest](),
			on: scenarios.OnGet, kind: scenarios.VerificationRequestID, query: true, decode: getVerificationRequest,
		},
		{ // spec 4.3
			route: route{http.MethodPut, "/tenant-properties/:id"},
			name:  "updateTenantProperty", version: "2023-10-30", success: http.StatusOK, answer: reflect.TypeFor[api.TenantProperty](),
			on: scenarios.OnUpdate, kind: scenarios.TenantPropertyID, writes: true, decode: updateTenantProperty,
		},
		{ // spec 4.4
			route: route{http.MethodPost, "/credentials/session"},
			name:  "createCredentialsSession", version: "2022-08-01", success: http.StatusCreated, answer: reflect.TypeFor[api.CredentialsSession](),
			on: scenarios.OnCreate, writes: true, decode: createCredentialsSession,
		},
		{ // spec 4.5
			route: route{http.MethodGet, "/qualification-checks/:id"},
			name:  "getQualificationCheck", version: "2023-10-30", success: http.StatusOK, answer: reflect.TypeFor[api.QualificationCheck](),
			on: scenarios.OnGet, kind: scenarios.QualificationCheckID, decode: getQualificationCheck,
		},
	}
}

// Operations returns the five operations for the journal.
func Operations() (all []journal.Operation) {
	for _, op := range operations() {
		all = append(all, journal.Operation{Name: op.name, Method: op.method, Path: op.path})
	}
	return all
}

// routes returns the handler of all paths. refuse answers requests to none of the five operations. On the path of one of
// them Allow has only methods that are served, and a method that is not shown is 501 all the same.
func (s *Surface) routes(handle func(*operation) httprouter.Handle, refuse func(http.ResponseWriter, *http.Request, *api.Error)) http.Handler {
	pathUnknown := func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, api.NewError(http.StatusNotFound, "no operation has this path"+pathAdvice(r.URL.Path)))
	}
	methodNotAllowed := func(w http.ResponseWriter, r *http.Request) {
		allowed := api.Allowed(w.Header())
		refusal := api.NewError(http.StatusMethodNotAllowed, "this path allows "+strings.Join(allowed, " and ")+" only"+api.DidYouMean(r.Method, allowed, ""))
		refusal.SetHeader("Allow", strings.Join(allowed, ", "))
		refuse(w, r, refusal)
	}
	others := newRouter(http.HandlerFunc(pathUnknown), methodNotAllowed)
	for _, family := range unshownOperations() {
		for _, request := range family.requests {
			method, path, _ := strings.Cut(request, " ")
			add(others, route{method, path}, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
				refuse(w, r, api.NewError(http.StatusNotImplemented, "the specification does not describe this operation: "+family.instead))
			})
		}
	}
	router := newRouter(others, func(w http.ResponseWriter, r *http.Request) {
		if notImplemented, params, _ := others.Lookup(r.Method, r.URL.Path); notImplemented != nil {
			w.Header().Del("Allow")
			notImplemented(w, r, params)
			return
		}
		methodNotAllowed(w, r)
	})
	for _, op := range operations() {
		add(router, op.route, handle(op))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "*" {
			pathUnknown(w, r)
			return
		}
		if r.URL.RawPath != "" || strings.Contains(r.URL.Path, "%") { // an escaped slash is part of an id
			sent, url := *r, *r.URL
			url.Path, url.RawPath = r.URL.EscapedPath(), ""
			sent.URL = &url
			r = &sent
		}
		router.ServeHTTP(w, r)
	})
}

// newRouter returns a router whose redirects and answers to OPTIONS are off, because the service has neither.
func newRouter(notFound http.Handler, methodNotAllowed http.HandlerFunc) *httprouter.Router {
	return &httprouter.Router{HandleMethodNotAllowed: true, NotFound: notFound, MethodNotAllowed: methodNotAllowed}
}

// add adds a route. A trailing slash is served as the same path, because real clients send it.
func add(router *httprouter.Router, route route, serve httprouter.Handle) {
	router.Handle(route.method, route.path, serve)
	router.Handle(route.method, route.path+"/", serve)
}

// Refuse answers a request to no operation with an error.
func (s *Surface) Refuse(w http.ResponseWriter, r *http.Request, refusal *api.Error) {
	s.newExchange(w, r, new(operation)).respond(outcome{err: refusal})
}

// Recover wraps a handler: it answers a panic with 500 and logs it with its stack.
func (s *Surface) Recover(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer s.newExchange(w, r, new(operation)).recoverPanic()
		handler.ServeHTTP(w, r)
	})
}
