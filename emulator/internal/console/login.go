package console

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
)

// loginCookie has the proof of the token.
const loginCookie = "console"

// cookie returns the name of a cookie of this console. It contains the console's port, because cookies of a host are
// shared by all its ports, and two consoles must not end each other's logins.
func (x *exchange) cookie(name string) string {
	_, port, err := net.SplitHostPort(x.request.Host)
	switch {
	case err == nil:
	case x.request.TLS != nil:
		port = "443"
	default:
		port = "80"
	}
	return "understudy_" + name + "_" + port
}

// admitted reports whether no token is needed, or the request has it, or the browser has the login cookie.
func (x *exchange) admitted() bool {
	if x.Guard.Open() || x.Guard.IsToken(x.request.Header.Get(control.TokenHeader)) {
		return true
	}
	cookie, err := x.request.Cookie(x.cookie(loginCookie))
	return err == nil && x.Guard.IsProof(cookie.Value)
}

// loginView is the data of the login page.
type loginView struct {
	Back string // the page that asked for the login
	Old  bool   // the browser was logged in with another token
}

// loginPage returns the page that asks for the token, in place of the wanted one. After a form it leads to the form's page.
func loginPage(x *exchange, alert string) answer {
	x.writer.Header().Set("WWW-Authenticate", "Bearer")
	back := x.opened()
	if x.request.URL.Path == link("login") {
		back = x.value("back")
	} else if x.request.Method == http.MethodPost {
		alert = "The form was not read: log in, and send it again"
	}
	_, err := x.request.Cookie(x.cookie(loginCookie))
	return page{name: "login", title: "Log in", status: http.StatusUnauthorized, alert: alert, data: loginView{ownPath(back), err == nil && alert == ""}}
}

func showLogin(x *exchange) (answer, error) {
	if x.admitted() {
		return seeOther(ownPath(x.value("back"))), nil
	}
	form := loginPage(x, "").(page)
	form.status = http.StatusOK
	return form, nil
}

// login checks the token, and redirects to the page that asked for it.
func login(x *exchange) (answer, error) {
	if !x.Guard.Open() && !x.Guard.IsToken(x.request.PostFormValue("token")) {
		x.Refused(x.request, errors.New("the token is wrong"))
		return loginPage(x, "That is not the token: send the value of --control-token"), nil
	}
	if !x.Guard.Open() {
		x.setCookie(loginCookie, x.Guard.Proof(), 0)
	}
	return seeOther(ownPath(x.request.PostFormValue("back"))), nil
}

func logout(x *exchange) (answer, error) {
	x.setCookie(loginCookie, "", -1)
	return seeOther(prefix), nil
}

// setCookie sets a cookie of this console for a number of seconds: 0 for as long as the browser runs, -1 to remove it.
func (x *exchange) setCookie(name, value string, maxAge int) {
	http.SetCookie(x.writer, &http.Cookie{
		Name: x.cookie(name), Value: value, Path: x.outside() + prefix, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.request.TLS != nil,
	})
}

// opened returns the page that a browser has open, with its query: of a form the page that has the form.
func (x *exchange) opened() string {
	if x.request.Method != http.MethodPost {
		return x.request.URL.RequestURI()
	}
	from, err := url.Parse(x.request.Referer())
	if err != nil {
		return prefix
	}
	return ownPath(from.RequestURI())
}

// ownPath returns a path of the console, without a proxy's prefix: the first page for any other path, and for one that leaves
// the console by its dots.
func ownPath(path string) string {
	path = path[max(strings.Index(path, prefix), 0):]
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
