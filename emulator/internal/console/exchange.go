package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
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

// answer is the answer to a request. After an error nothing is written.
type answer interface {
	write(x *exchange) error
}

// security are headers of every answer: pages load and run only the console's own files, and other pages cannot embed
// them. Forms send their origin to the console, which refuses other origins.
var security = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
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
		sent := *r
		limited := c.Limits.Body(r.Context(), http.MaxBytesReader(w, r.Body, maxForm))
		defer limited.Release()
		if sent.Body = limited; e.snapshot {
			sent.Body = http.MaxBytesReader(w, r.Body, limits.MaxSnapshot)
		}
		x := &exchange{console: c, request: &sent, writer: w, release: limited.Release}
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
	if !e.snapshot { // a snapshot's form is read part by part
		if err := x.parseForm(); err != nil {
			return nil, err
		}
	}
	x.release()
	x.world = x.Worlds.ByID(cmp.Or(x.param("world"), x.request.URL.Query().Get("world")))
	if strings.Contains(e.path, ":world") {
		if err := x.open(); err != nil {
			return nil, err
		}
	}
	answer, err := e.serve(x)
	failure := (*api.Error)(nil)
	if e.form == nil || !errors.As(err, &failure) {
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
	if refusal := (*api.Error)(nil); errors.As(err, &refusal) { // of the limits
		refusal.Message += ": " + refusal.Diagnosis
		return refusal
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
		failure = api.Because(http.StatusInternalServerError, "Internal error: see the log of the emulator")
	}
	if err := errorPage(failure).write(x); err != nil {
		x.Fail(x.request, err)
		http.Error(x.writer, failure.Message, failure.Status)
	}
}

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

func (x *exchange) context() context.Context { return x.request.Context() }

func (x *exchange) param(name string) string {
	return httprouter.ParamsFromContext(x.context()).ByName(name)
}

// value returns a field of the form, or of the query.
func (x *exchange) value(name string) string { return strings.TrimSpace(x.request.Form.Get(name)) }

// seeOther redirects the browser to a page after a form.
type seeOther string

func (to seeOther) write(x *exchange) error {
	http.Redirect(x.writer, x.request, string(to), http.StatusSeeOther)
	return nil
}

// link returns the path of a page, with its parts escaped.
func link(parts ...string) string {
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

var errNoPage = api.Because(http.StatusNotFound, "There is no such page: go on from the overview")

func nothingHere(*exchange) (answer, error) { return nil, errNoPage }

func methodNotAllowed(x *exchange) (answer, error) {
	methods := strings.Join(api.Allowed(x.writer.Header()), ", ")
	x.writer.Header().Set("Allow", methods)
	return nil, api.Because(http.StatusMethodNotAllowed, "This page takes "+methods+" only")
}

// cookie returns the name of the login cookie. It contains the console's port, because cookies of a host are shared by
// all its ports, and two consoles must not end each other's logins.
func (x *exchange) cookie() string {
	_, port, err := net.SplitHostPort(x.request.Host)
	switch {
	case err == nil:
	case x.request.TLS != nil:
		port = "443"
	default:
		port = "80"
	}
	return "understudy_console_" + port
}

// admitted reports whether no token is needed, or the browser has the login cookie.
func (x *exchange) admitted() bool {
	if x.Guard.Open() {
		return true
	}
	cookie, err := x.request.Cookie(x.cookie())
	return err == nil && x.Guard.IsProof(cookie.Value)
}

// loginPage returns the page that asks for the token, in place of the wanted one.
func loginPage(x *exchange, alert string) answer {
	x.writer.Header().Set("WWW-Authenticate", "Bearer")
	back := x.request.URL.Path
	if x.request.URL.RawQuery != "" {
		back += "?" + x.request.URL.RawQuery
	}
	if x.request.Method == http.MethodPost {
		back = x.request.PostForm.Get("back") // of the login form: without a login no other form is read
	}
	return page{name: "login", title: "Token", status: http.StatusUnauthorized, alert: alert, data: ownPath(back)}
}

func showLogin(x *exchange) (answer, error) {
	if x.admitted() {
		return seeOther(prefix), nil
	}
	return page{name: "login", title: "Token", data: ownPath(x.value("back"))}, nil
}

// login checks the token, and redirects to the page that asked for it.
func login(x *exchange) (answer, error) {
	if !x.Guard.Open() && !x.Guard.IsToken(x.request.PostFormValue("token")) {
		x.Refused(x.request, errors.New("the token is wrong"))
		return loginPage(x, "That is not the token: send the value of --control-token"), nil
	}
	if !x.Guard.Open() {
		x.setCookie(x.Guard.Proof(), 0)
	}
	return seeOther(ownPath(x.request.PostFormValue("back"))), nil
}

func logout(x *exchange) (answer, error) {
	x.setCookie("", -1)
	return seeOther(prefix), nil
}

func (x *exchange) setCookie(value string, maxAge int) {
	http.SetCookie(x.writer, &http.Cookie{
		Name: x.cookie(), Value: value, Path: prefix, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.request.TLS != nil,
	})
}

// ownPath returns a path of the console: the overview for any other path, and for one that leaves the console by its dots.
func ownPath(path string) string {
	to, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, prefix) || strings.ContainsAny(path, "\\\r\n") {
		return prefix
	}
	parts := strings.Split(strings.TrimPrefix(to.Path, prefix), "/")
	if slices.Contains(parts, "..") || slices.Contains(parts, ".") || parts[0] == "login" || parts[0] == "logout" {
		return prefix
	}
	return path
}
