// Package control serves the control plane under /_understudy/: HTTP calls that show the state of an emulator and
// change its worlds. Its errors have the envelope of the emulated API, and messages that name the cause.
package control

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/docs"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/events"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// Prefix begins every path of the control plane.
const Prefix = "/_understudy/"

// Config configures a control plane, and the console beside it.
type Config struct {
	Worlds    *world.Worlds
	Journal   *journal.Journal
	Unmatched *journal.Journal // of requests that reached no world, under the zero Ref
	Limits    *limits.Limits
	Version   string
	KeyPrefix string          // of API keys
	Extended  bool            // the extensions are served
	Authority []byte          // certificate (PEM) of the authority that was made at start; nil: none
	Guard     Guard           // of all calls except the public ones
	Stopping  context.Context // ends when the server shuts down

	// Authenticate returns the API key of a request's Authorization lines; its error is an [*api.Error].
	Authenticate func(lines []string) (key string, err error)

	// Resolve returns the answer to a request in a world, and stores nothing.
	Resolve func(*http.Request, *world.World) (surface.Resolution, error)

	Metrics http.Handler // serves the metrics of the emulator
	Docs    http.Handler // serves the pages below docs/
	Console http.Handler // serves all other paths below [Prefix]; nil: 404

	Fail    func(*http.Request, error) // receives an internal error, which is answered 500
	Refused func(*http.Request, error) // receives a refused call, and the reason
}

// Filter reads a journal filter from the parameters of a query. ?from= and ?to= are instants by the machine's clock, or spans before now.
func Filter(value func(name string) string, now time.Time) (f query.Filter, err error) {
	f = query.Filter{
		Kind: journal.Kind(value("kind")), Operation: value("operation"), Path: value("path"), Text: value("q"), Status: query.Status(value("status")),
	}
	if f.From, err = wallInstant("from", value("from"), now); err == nil {
		f.To, err = wallInstant("to", value("to"), now)
	}
	return f, err
}

func wallInstant(name, text string, now time.Time) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	if span, err := time.ParseDuration(text); err == nil && span >= 0 {
		return now.Add(-span), nil
	}
	if at, err = time.Parse(time.RFC3339, text); err != nil {
		err = api.Because(http.StatusBadRequest, name+" "+api.Quote(text)+" is neither an instant such as 2025-01-15T09:00:00Z nor a span before now such as 5m or 1h")
	}
	return at, err
}

// Streams returns the streams of the server.
func (c Config) Streams() events.Streams {
	return events.Streams{Limits: c.Limits, Stopping: c.Stopping, Clock: c.Worlds.Config().Clock}
}

// plane is a control plane.
type plane struct{ Config }

// call serves a request. It returns a value, nil for no content, a stream (an http.Handler), or an error.
type call func(*exchange) (any, error)

// endpoint is one row of the control plane: a file, or a call about no world or about one.
type endpoint struct {
	method, path string // below Prefix
	public       bool   // without a token: it shows no world and changes nothing
	file         http.HandlerFunc
	serve        call     // about no world
	inWorld      call     // about the world that the request names
	query        []string // its parameters, beside world
	snapshot     bool     // the body is a snapshot, which is not held in memory
}

// The methods of calls.
const (
	get, post, put = http.MethodGet, http.MethodPost, http.MethodPut
	patch, del     = http.MethodPatch, http.MethodDelete
)

// endpoints lists the control plane. The calls of a family stand in the family's file.
func (p plane) endpoints() []endpoint {
	alone, whole := api.Parts{Extensions: p.Extended}, api.Parts{Extensions: p.Extended, Control: true}
	return slices.Concat(
		[]endpoint{
			{method: get, path: "openapi.json", public: true, file: fileJSON(sync.OnceValues(whole.JSON))},
			{method: get, path: "openapi.yaml", public: true, file: fileOf("application/yaml", sync.OnceValue(whole.YAML))},
			{method: get, path: "openapi-surface.json", public: true, file: fileJSON(sync.OnceValues(alone.JSON))},
			{method: get, path: "openapi-surface.yaml", public: true, file: fileOf("application/yaml", sync.OnceValue(alone.YAML))},
			{method: get, path: "llms.txt", public: true, file: fileOf("text/plain; charset=utf-8", skill)},
			{method: get, path: "ca.pem", public: true, file: p.certificateAuthority},
			{method: get, path: "metrics", file: func(w http.ResponseWriter, r *http.Request) { p.Metrics.ServeHTTP(w, r) }},
			{method: get, path: "v1/health", public: true, serve: health},
			{method: get, path: "v1/ready", public: true, serve: ready},
			{method: get, path: "v1/info", serve: info},
		},
		worldCalls(), settingsCalls(), clockCalls(), scenarioCalls(), faultCalls(), webhookCalls(), journalCalls(),
		verificationRequests().calls("v1/verification-requests", "state", "scenario"),
		tenantProperties().calls("v1/tenant-properties"),
		qualificationChecks().calls("v1/qualification-checks"),
		credentialsSessions().calls("v1/credentials-sessions"),
		[]endpoint{{method: post, path: "v1/credentials-sessions/:id/finish", inWorld: takes(finishSession)}},
	)
}

// Call is a call of the control plane.
type Call struct {
	Method, Path string   // such as /_understudy/v1/journal/:id
	Query        []string // its parameters
}

// Calls lists the calls.
func Calls() (all []Call) {
	for _, e := range (plane{}).endpoints() {
		all = append(all, Call{e.method, Prefix + e.path, e.parameters()})
	}
	return all
}

// New returns a control plane.
func New(config Config) http.Handler {
	p := plane{config}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               http.HandlerFunc(p.notFound),
		MethodNotAllowed:       http.HandlerFunc(methodNotAllowed),
	}
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		router.HandlerFunc(method, "/", showEntrance)
		router.HandlerFunc(method, strings.TrimSuffix(Prefix, "/"), toConsole)
		router.HandlerFunc(method, Prefix+"docs", redirect("docs/"))
		router.Handler(method, Prefix+"docs/*name", p.Docs)
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

// showEntrance sends a browser to the console, and lists the addresses for any other client.
func showEntrance(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Accept")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		toConsole(w, r)
		return
	}
	api.Write(w, http.StatusOK, []byte(`{"console":"`+Prefix+`","openapi":"`+Prefix+`openapi.yaml","agents":"`+Prefix+`llms.txt","docs":"`+Prefix+`docs/"}`))
}

// skill returns how a coding agent works with the emulator.
func skill() []byte {
	text, _ := docs.Pages.ReadFile("skill.md") // it is built in
	return text
}

// redirect redirects to a relative address, because a proxy may serve this server below a prefix.
func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusTemporaryRedirect)
	}
}

// toConsole redirects to the console.
var toConsole = redirect(strings.TrimPrefix(Prefix, "/"))

// notFound serves the console, and 404 below v1 with the nearest path. The path of the emulated API is of a client with
// the console's address, or that of --control-addr, as its base URL.
func (p plane) notFound(w http.ResponseWriter, r *http.Request) {
	below, ok := strings.CutPrefix(r.URL.Path, Prefix)
	first, _, _ := strings.Cut(strings.TrimLeft(below, "/"), "/")
	if slices.Contains([]string{"verification-requests", "credentials", "tenant-properties", "qualification-checks"}, first) {
		advice := "its address is that of --addr"
		if ok {
			advice = "leave " + strings.TrimSuffix(Prefix, "/") + " out of the base URL"
		}
		p.answer(w, r, nil, api.Because(http.StatusNotFound, "The emulated API is not here: "+advice))
		return
	}
	if ok && first != "v1" && p.Console != nil {
		p.Console.ServeHTTP(w, r)
		return
	}
	var paths []string
	for _, c := range Calls() {
		paths = append(paths, c.Path)
	}
	advice := "see " + Prefix + "openapi.json"
	if nearest, ok := journal.NearestPath(r.URL.Path, paths); ok {
		advice = "did you mean " + api.Quote(nearest) + "?"
	}
	p.answer(w, r, nil, api.Because(http.StatusNotFound, "The control plane has nothing here: "+advice))
}

func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := api.Allowed(w.Header())
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	api.WriteError(w, api.Because(http.StatusMethodNotAllowed, "This call takes "+strings.Join(allowed, ", ")+" only"+api.DidYouMean(r.Method, allowed, "")))
}

// TokenHeader carries the control plane's token, beside Authorization, which names the world.
const TokenHeader = "Understudy-Control-Token"

// guarded refuses calls without the token, and calls that a foreign web page may have sent.
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

// checkToken refuses a call without the token, where there is one. A client that cannot send TokenHeader may send the
// token as bearer of Authorization, and name the world by ?world=ID.
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

// health answers while the process runs.
func health(*exchange) (any, error) { return map[string]string{"status": "ok"}, nil }

// ready answers 503, and logs the cause, while requests cannot be served. It shows how far the clock differs from that of
// another replica.
func ready(x *exchange) (any, error) {
	if err := x.Worlds.Ready(x.context()); err != nil {
		x.Fail(x.request, err)
		return nil, api.Because(http.StatusServiceUnavailable, "Not ready: "+err.Error())
	}
	shown := map[string]string{"status": "ready"}
	if skew := x.Worlds.Skew(); skew > time.Second {
		shown["clock_skew"] = skew.Round(time.Second).String()
	}
	if refused := x.Worlds.Refused(); refused != "" {
		shown["warning"] = refused
	}
	return shown, nil
}

// about is the configuration of an emulator.
type about struct {
	Version    string `json:"version"`
	KeyPrefix  string `json:"key_prefix"`
	Seed       uint64 `json:"seed"`
	Store      string `json:"store"`
	Clock      string `json:"clock"`
	Population string `json:"population"`
	RateLimit  string `json:"rate_limit"`
	Scenarios  int    `json:"scenarios"`
	Warning    string `json:"warning,omitempty"` // see world.Worlds.Refused
}

func info(x *exchange) (any, error) {
	c, population := x.Worlds.Config(), "plain"
	if c.Population != nil {
		population = c.Population.Name
	}
	return about{x.Version, x.KeyPrefix, c.Seed, c.Store.String(), c.Clock.String(), population, c.Limit.String(), len(c.Catalogue.Names()), x.Worlds.Refused()}, nil
}

func fileJSON(document func() ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		text, _ := document() // it is built in and valid
		api.Write(w, http.StatusOK, text)
	}
}

// fileOf serves a document of a media type.
func fileOf(mediaType string, document func() []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Write(document())
	}
}

// certificateAuthority serves the certificate of the authority that signed the server's.
func (p plane) certificateAuthority(w http.ResponseWriter, r *http.Request) {
	if p.Authority == nil {
		p.answer(w, r, nil, api.Because(http.StatusNotFound, "There is no certificate authority: serve with --tls-auto"))
		return
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Write(p.Authority)
}
