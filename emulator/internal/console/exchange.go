package console

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

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// maxForm is the largest form that the console takes, in bytes; a snapshot is not part of it.
const maxForm = 1 << 20

// exchange is a request to the console while it is served.
type exchange struct {
	*console
	request *http.Request
	writer  http.ResponseWriter
	release func()        // gives back the memory of the body
	world   *world.World  // named by the path, or by ?world=
	status  *world.Status // of the world that the page is about; nil when it is about none
}

// outside stands in a path in place of the id of a world, for the requests that reached none.
const outside = "none"

// answer is the answer to a request. After an error nothing is written.
type answer interface {
	write(x *exchange) error
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
func (c *console) handle(e endpoint) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for name, value := range security {
			w.Header().Set(name, value)
		}
		memory := c.Limits.Answer(r.RemoteAddr)
		defer memory.Release()
		sent := r.WithContext(memory.In(r.Context()))
		limited := c.Limits.Body(r.Context(), http.MaxBytesReader(w, r.Body, maxForm))
		defer limited.Release()
		if sent.Body = limited; e.file {
			sent.Body = http.MaxBytesReader(w, r.Body, limits.MaxSnapshot)
		}
		x := &exchange{console: c, request: sent, writer: w, release: limited.Release}
		defer x.recoverPanic()
		answer, err := x.serve(e)
		if err == nil {
			err = answer.write(x)
		}
		if err != nil {
			x.refuse(err)
		}
	}
}

// serve checks access, reads the form and the status of the world, and calls the endpoint.
func (x *exchange) serve(e endpoint) (answer, error) {
	if err := x.Guard.Check(x.request); err != nil && (!e.public || e.method == http.MethodPost) {
		x.Refused(x.request, err)
		return nil, err
	}
	if !e.public && !x.admitted() {
		return loginPage(x, ""), nil
	}
	if !e.file { // a snapshot's form is read part by part
		if err := x.parseForm(); err != nil {
			return nil, err
		}
	}
	x.release()
	x.world = x.Worlds.ByID(cmp.Or(x.param("world"), x.request.URL.Query().Get("world")))
	if strings.Contains(e.path, ":world") && !(e.outside && x.param("world") == outside) {
		if err := x.open(); err != nil {
			return nil, err
		}
	}
	answer, err := e.serve(x)
	failure := (*api.Error)(nil)
	if errors.As(err, &failure) && failure.Status == http.StatusInsufficientStorage {
		x.Fail(x.request, err)
	}
	if e.form == nil || failure == nil {
		return answer, err
	}
	if answer, err = e.form(x); err != nil {
		return nil, err
	}
	form := answer.(page)
	form.status, form.alert = failure.Status, failure.Message
	return form, nil
}

// parseForm reads the posted form, without files.
func (x *exchange) parseForm() error {
	err := x.request.ParseForm()
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
func (x *exchange) refuse(err error) {
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) {
		x.Fail(x.request, err)
		failure = api.Because(http.StatusInternalServerError, "Internal error: "+cmp.Or(surface.NoSpace(err), "see the log of the emulator"))
	}
	failure = limits.Explained(failure)
	if err := errorPage(failure).write(x); err != nil {
		x.Fail(x.request, err)
		x.send(failure.Status, "text/html; charset=utf-8", fmt.Appendf(nil, barePage, html.EscapeString(failure.Message), prefix))
	}
}

// recoverPanic answers a panic with an error page, and passes on that of a broken connection. It must be deferred.
func (x *exchange) recoverPanic() {
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

func errorPage(failure *api.Error) page {
	return page{name: "error", title: http.StatusText(failure.Status), status: failure.Status, data: failure}
}

// open reads the status of the world that the page is about.
func (x *exchange) open() error {
	status, err := x.world.Status(x.context())
	if err == nil {
		x.status = &status
	}
	return err
}

// owner returns whose budget the page uses.
func (x *exchange) owner() limits.Owner { return world.OwnerOf(x.world, x.request.RemoteAddr) }

func (x *exchange) context() context.Context { return x.request.Context() }

func (x *exchange) param(name string) string {
	return httprouter.ParamsFromContext(x.context()).ByName(name)
}

// value returns a field of the form, or of the query.
func (x *exchange) value(name string) string { return strings.TrimSpace(x.request.Form.Get(name)) }

// seeOther redirects the browser to a page after a form.
type seeOther string

func (to seeOther) write(x *exchange) error {
	x.writer.Header().Set("Location", firstPage(x.request.URL)+strings.TrimPrefix(string(to), prefix))
	x.writer.WriteHeader(http.StatusSeeOther)
	return nil
}

// link returns the path of a page, with its parts escaped. That of the requests ends in a slash: the list then has the depth of
// one of them, which takes its address when it opens beside the list, and relative links stay the same.
func link(parts ...string) string {
	if len(parts) == 3 && parts[2] == "journal" {
		parts = append(parts, "")
	}
	escaped := make([]string, len(parts))
	for i, part := range parts {
		escaped[i] = url.PathEscape(part)
	}
	return prefix + strings.Join(escaped, "/")
}

// here returns the path of a page below that of the exchange's world.
func (x *exchange) here(parts ...string) string {
	return link(append([]string{"worlds", x.param("world")}, parts...)...)
}

var errNoPage = api.Because(http.StatusNotFound, "There is no such page: go on from the first page")

func nothingHere(*exchange) (answer, error) { return nil, errNoPage }

func methodNotAllowed(x *exchange) (answer, error) {
	methods := strings.Join(api.Allowed(x.writer.Header()), ", ")
	x.writer.Header().Set("Allow", methods)
	return nil, api.Because(http.StatusMethodNotAllowed, "This page takes "+methods+" only")
}

// confirm asks for confirmation of a deletion. Its form posts to the same path.
func confirm(x *exchange) (answer, error) {
	what := path.Base(x.request.URL.Path)
	return page{name: "confirm", title: labelOf(what), data: what}, nil
}

// outsideLink returns the page of a request that reached no world, or of all of them for no id.
func outsideLink(id string) string { return link("worlds", outside, "journal", id) }

// scripted reports whether a script of the page sent the request, and shows the answer in a part of the page.
func (x *exchange) scripted() bool { return x.request.Header.Get("HX-Request") == "true" }

// query returns the query of the page, of what it shows only.
func (x *exchange) query() url.Values {
	query := x.request.URL.Query()
	for _, name := range []string{"content", "live"} {
		query.Del(name)
	}
	return query
}

// address returns a page of the world with the query of this one.
func (x *exchange) address(path ...string) string {
	if query := x.query(); len(query) > 0 {
		return x.here(path...) + "?" + query.Encode()
	}
	return x.here(path...)
}

// baseURL returns the address of the emulated API as the browser can reach it, a placeholder when it is unknown.
func (x *exchange) baseURL() string {
	secure, address := x.request.TLS != nil, x.request.Host+x.outside()
	if x.API != nil {
		host, port, err := net.SplitHostPort(x.API.Addr)
		if err != nil {
			return "http://THE-API"
		}
		if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
			if host, _, err = net.SplitHostPort(x.request.Host); err != nil {
				host = strings.Trim(x.request.Host, "[]")
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
