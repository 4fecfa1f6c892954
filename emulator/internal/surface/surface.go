// Package surface serves the five operations of the emulated API over HTTP (spec 4), and the extensions. A request is decoded, checked and run
// in one transaction of its world, and answered in one place.
package surface

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// Config configures a [Surface].
type Config struct {
	Worlds    *world.Worlds
	Journal   *journal.Journal
	Unmatched *journal.Journal // of the requests that are refused before they reach a world, under the zero Ref
	Keys      Keys
	Limits    *limits.Limits // of bodies
	Extended  bool           // serve the extensions, and each operation in every version
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

// operation is how an operation is carried out.
type operation struct {
	api.Operation
	answer reflect.Type // of a success
	writes bool         // whether it always changes its world
	query  bool         // whether it has query parameters
	decode func(*http.Request) input
	omits  *regexp.Regexp // the first group of each match in a body is left out of the journal; nil: nothing
}

// implementations has every operation by its name.
var implementations = map[string]operation{
	"cancelVerificationRequest": {answer: reflect.TypeFor[api.CanceledVerification](), writes: true, decode: cancelVerificationRequest},
	"getVerificationRequest":    {answer: reflect.TypeFor[api.VerificationRequest](), query: true, decode: getVerificationRequest},
	"updateTenantProperty":      {answer: reflect.TypeFor[api.TenantProperty](), writes: true, decode: updateTenantProperty},
	"createCredentialsSession":  {answer: reflect.TypeFor[api.CredentialsSession](), writes: true, decode: createCredentialsSession},
	"getQualificationCheck":     {answer: reflect.TypeFor[api.QualificationCheck](), decode: getQualificationCheck},

	"createVerification": {answer: reflect.TypeFor[api.VerificationRequest](), writes: true, query: true, decode: createVerification, omits: contents},
	"listVerifications":  {answer: reflect.TypeFor[page[api.VerificationRequest]](), query: true, decode: listVerifications},
	"getReport":          {answer: reflect.TypeFor[api.Report](), decode: getReport},
	"reverify":           {answer: reflect.TypeFor[api.VerificationRequest](), writes: true, decode: reverify},
	"listCompanies":      {answer: reflect.TypeFor[page[company]](), query: true, decode: listCompanies},
}

// Operations returns the operations that are served, with or without the extensions.
func Operations(extended bool) []api.Operation {
	return slices.DeleteFunc(api.Operations(), func(o api.Operation) bool { return o.Extension && !extended })
}

// operations returns the operations that are served.
func operations(extended bool) (all []*operation) {
	for _, row := range Operations(extended) {
		op := implementations[row.Name]
		op.Operation = row
		all = append(all, &op)
	}
	return all
}

// routes returns the handler of all paths. refuse answers requests to none of the operations. On the path of one of
// them Allow has only methods that are served, and a method that is not shown is 501 all the same.
func (s *Surface) routes(handle func(*operation) httprouter.Handle, refuse func(http.ResponseWriter, *http.Request, *api.Error)) http.Handler {
	pathUnknown := func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, api.NewError(http.StatusNotFound, "no operation has this path"+pathAdvice(r.URL.Path, s.Extended)))
	}
	methodNotAllowed := func(w http.ResponseWriter, r *http.Request) {
		allowed := api.Allowed(w.Header())
		diagnosis := "this path allows " + strings.Join(allowed, " and ") + " only" + api.DidYouMean(r.Method, allowed, "")
		if origin := r.Header.Get("Origin"); r.Method == http.MethodOptions && origin != "" {
			diagnosis = "a browser asks whether a page of " + api.Quote(origin) + " may call the API, which is for servers: call it from yours, or start with --cors-origin and this origin"
		}
		refusal := api.NewError(http.StatusMethodNotAllowed, diagnosis)
		refusal.SetHeader("Allow", strings.Join(allowed, ", "))
		refuse(w, r, refusal)
	}
	others := newRouter(http.HandlerFunc(pathUnknown), methodNotAllowed)
	for _, family := range UnshownOperations() {
		for _, request := range family.Requests {
			method, path, _ := strings.Cut(request, " ")
			instead := family.Instead
			if isOperation := func(o api.Operation) bool { return o.Method == method && o.Path == path }; slices.ContainsFunc(api.Operations(), isOperation) {
				instead += ", or start with --extended"
			}
			add(others, route{method, path}, func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
				refuse(w, r, api.NewError(http.StatusNotImplemented, "the specification does not describe this operation: "+instead))
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
	for _, op := range operations(s.Extended) {
		add(router, route{op.Method, op.Path}, handle(op))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "*" || strings.Contains(r.URL.EscapedPath(), "//") { // the router takes an empty segment as an id
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
