package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// maxForm is the largest form that the console takes, in bytes; a snapshot is not part of it.
const maxForm = 1 << 20

// Exchange is a request to the console while it is served.
type Exchange struct {
	*console
	Request *http.Request
	Writer  http.ResponseWriter
	release func()        // gives back the memory of the body
	World   *world.World  // named by the path, or by ?world=
	Status  *world.Status // of the world that the page is about; nil when it is about none
	At      time.Time     // when the status was read, by the machine's clock
}

// Outside stands in a path in place of the id of a world, for the requests that reached none.
const Outside = "none"

// Answer is the answer to a request. After an error nothing is written.
type Answer interface {
	Respond(x *Exchange) error
}

// security are headers of every answer: pages load and run only the console's own files, and other pages cannot embed
// them. Forms send their origin to the console, which refuses other origins.
var security = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; " +
		"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
	"X-Content-Type-Options":     "nosniff",
	"Referrer-Policy":            "same-origin",
	"Cross-Origin-Opener-Policy": "same-origin",
	"Cache-Control":              "no-store",
}

// handle returns the handler of an endpoint. Nothing is written before the endpoint has returned its answer.
func (c *console) handle(e Endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, value := range security {
			w.Header().Set(name, value)
		}
		memory := c.Limits.Answer(r.RemoteAddr)
		defer memory.Release()
		sent := r.WithContext(memory.In(r.Context()))
		limited := c.Limits.Body(r.Context(), http.MaxBytesReader(w, r.Body, maxForm))
		defer limited.Release()
		if sent.Body = limited; e.File {
			sent.Body = http.MaxBytesReader(w, r.Body, limits.MaxSnapshot)
		}
		x := &Exchange{console: c, Request: sent, Writer: w, release: limited.Release}
		defer x.recoverPanic()
		answer, err := x.serve(e)
		if err == nil {
			err = answer.Respond(x)
		}
		if err != nil {
			x.refuse(err)
		}
	}
}

// serve checks access, reads the form and the status of the world, and calls the endpoint.
func (x *Exchange) serve(e Endpoint) (Answer, error) {
	if err := x.Guard.Check(x.Request); err != nil && (!e.Public || e.Method == http.MethodPost) {
		x.Refused(x.Request, err)
		return nil, err
	}
	if !e.Public && !x.admitted() {
		return loginPage(x, ""), nil
	}
	if !e.File { // a snapshot's form is read part by part
		if err := x.parseForm(); err != nil {
			return nil, err
		}
	}
	x.release()
	x.World = x.Worlds.ByID(cmp.Or(x.Param("world"), x.Request.URL.Query().Get("world")))
	if strings.Contains(e.Path, ":world") && !(e.Outside && x.Param("world") == Outside) {
		if err := x.Open(); err != nil {
			return nil, err
		}
	}
	answer, err := e.Serve(x)
	failure := (*api.Error)(nil)
	if errors.As(err, &failure) && failure.Status == http.StatusInsufficientStorage {
		x.Fail(x.Request, err)
	}
	if e.Form == nil || failure == nil {
		return answer, err
	}
	if answer, err = e.Form(x); err != nil {
		return nil, err
	}
	form := answer.(Page)
	form.Status, form.Alert = failure.Status, failure.Message
	return form, nil
}

// parseForm reads the posted form, without files.
func (x *Exchange) parseForm() error {
	err := x.Request.ParseForm()
	if errors.As(err, new(*api.Error)) { // of the limits
		return err
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The form is larger than %d bytes", tooLarge.Limit))
	}
	if err != nil {
		return api.Because(http.StatusBadRequest, "The form or the query cannot be read")
	}
	return nil
}

// refuse answers with an error page. An internal error is a 500 whose cause is only logged.
func (x *Exchange) refuse(err error) {
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		x.Fail(x.Request, err)
		failure = api.Because(http.StatusInternalServerError, "Internal error: "+cmp.Or(surface.NoSpace(err), "see the log of the emulator"))
	}
	failure = limits.Explained(failure)
	if err := ErrorPage(failure).Respond(x); err != nil {
		x.Fail(x.Request, err)
		x.send(failure.Status, "text/html; charset=utf-8", fmt.Appendf(nil, barePage, html.EscapeString(failure.Message), Prefix))
	}
}

// recoverPanic answers a panic with an error page, and passes on that of a broken connection. It must be deferred.
func (x *Exchange) recoverPanic() {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(cause)
	default:
		x.refuse(fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	}
}

// barePage is the error page for an emulator that cannot show its pages.
const barePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Understudy</title></head>
<body><h1>Understudy</h1><p>%s.</p><p><a href="">Try again</a>, or <a href="%s">go to the first page</a>.</p></body></html>
`

// ErrorPage returns the page of a refusal.
func ErrorPage(failure *api.Error) Page {
	return Page{Name: "error", Title: http.StatusText(failure.Status), Status: failure.Status, Data: failure}
}

// Open reads the status of the world that the page is about.
func (x *Exchange) Open() error {
	at := x.Worlds.Config().Clock.Wall()
	status, err := x.World.Status(x.Context())
	if err == nil {
		x.Status, x.At = &status, at
	}
	return err
}

// Owner returns whose budget the page uses.
func (x *Exchange) Owner() limits.Owner { return world.OwnerOf(x.World, x.Request.RemoteAddr) }

// Context returns that of the request.
func (x *Exchange) Context() context.Context { return x.Request.Context() }

// Param returns a part of the path by its name in the endpoint's path; "" for none.
func (x *Exchange) Param(name string) string {
	return httprouter.ParamsFromContext(x.Context()).ByName(name)
}

// Value returns a field of the form, or of the query.
func (x *Exchange) Value(name string) string { return strings.TrimSpace(x.Request.Form.Get(name)) }

// SeeOther redirects the browser to a page after a form.
type SeeOther string

func (to SeeOther) Respond(x *Exchange) error {
	x.Writer.Header().Set("Location", firstPage(x.Request.URL)+strings.TrimPrefix(string(to), Prefix))
	x.Writer.WriteHeader(http.StatusSeeOther)
	return nil
}

// Link returns the path of a page, with its parts escaped. That of the requests ends in a slash: the list then has the depth of
// one of them, which takes its address when it opens beside the list, and relative links stay the same.
func Link(parts ...string) string {
	if len(parts) == 3 && parts[2] == "journal" {
		parts = append(parts, "")
	}
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return Prefix + strings.Join(escaped, "/")
}

// Here returns the path of a page below that of the exchange's world.
func (x *Exchange) Here(parts ...string) string {
	return Link(append([]string{"worlds", x.Param("world")}, parts...)...)
}

// ErrNoPage is the refusal of a path that has no page.
var ErrNoPage = api.Because(http.StatusNotFound, "There is no such page: go on from the first page")

func nothingHere(*Exchange) (Answer, error) { return nil, ErrNoPage }

func methodNotAllowed(x *Exchange) (Answer, error) {
	methods := strings.Join(api.Allowed(x.Writer.Header()), ", ")
	x.Writer.Header().Set("Allow", methods)
	return nil, api.Because(http.StatusMethodNotAllowed, "This page takes "+methods+" only")
}

// Confirm asks for confirmation of a deletion. Its form posts to the same path.
func Confirm(x *Exchange) (Answer, error) {
	what := path.Base(x.Request.URL.Path)
	return Page{Name: "confirm", Title: words.LabelOf(what), Data: what}, nil
}

// OutsideLink returns the page of a request that reached no world, or of all of them for no id.
func OutsideLink(id string) string { return Link("worlds", Outside, "journal", id) }

// Scripted reports whether a script of the page sent the request, and shows the answer in a part of the page.
func (x *Exchange) Scripted() bool { return x.Request.Header.Get("HX-Request") == "true" }

// Query returns the query of the page, of what it shows only.
func (x *Exchange) Query() url.Values {
	query := x.Request.URL.Query()
	for _, name := range []string{"content", "live"} {
		query.Del(name)
	}
	return query
}

// Address returns a page of the world with the query of this one.
func (x *Exchange) Address(path ...string) string {
	if query := x.Query(); len(query) > 0 {
		return x.Here(path...) + "?" + query.Encode()
	}
	return x.Here(path...)
}

// BaseURL returns the address of the emulated API as the browser can reach it, a placeholder when it is unknown.
func (x *Exchange) BaseURL() string {
	secure, address := x.Request.TLS != nil, x.Request.Host+x.outside()
	if x.API != nil {
		host, port, err := net.SplitHostPort(x.API.Addr)
		if err != nil {
			return "http://THE-API"
		}
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			if host, _, err = net.SplitHostPort(x.Request.Host); err != nil {
				host = strings.Trim(x.Request.Host, "[]")
			}
		}
		secure, address = x.API.TLS, net.JoinHostPort(host, port)
	}
	if secure {
		return "https://" + address
	}
	return "http://" + address
}

// API is the address of the emulated API on a listener of its own.
type API struct {
	Addr string // HOST:PORT; "": unknown
	TLS  bool
}
