package frame

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
func (x *Exchange) cookie(name string) string {
	_, port, err := net.SplitHostPort(x.Request.Host)
	switch {
	case err == nil:
	case x.Request.TLS != nil:
		port = "443"
	default:
		port = "80"
	}
	return "understudy_" + name + "_" + port
}

// admitted reports whether no token is needed, or the request has it, or the browser has the login cookie.
func (x *Exchange) admitted() bool {
	if x.Guard.Open() || x.Guard.IsToken(x.Request.Header.Get(control.TokenHeader)) {
		return true
	}
	cookie, err := x.Request.Cookie(x.cookie(loginCookie))
	return err == nil && x.Guard.IsProof(cookie.Value)
}

// loginView is the data of the login page.
type loginView struct {
	Back string // the page that asked for the login
	Old  bool   // the browser was logged in with another token
}

// loginPage returns the page that asks for the token, in place of the wanted one. After a form it leads to the form's page.
func loginPage(x *Exchange, alert string) Answer {
	x.Writer.Header().Set("WWW-Authenticate", "Bearer")
	back := x.opened()
	if x.Request.URL.Path == Link("login") {
		back = x.Value("back")
	} else if x.Request.Method == http.MethodPost {
		alert = "The form was not read: log in, and send it again"
	}
	_, err := x.Request.Cookie(x.cookie(loginCookie))
	return Page{Name: "login", Title: "Log in", Status: http.StatusUnauthorized, Alert: alert, Data: loginView{OwnPath(back), err == nil && alert == ""}}
}

func showLogin(x *Exchange) (Answer, error) {
	if x.admitted() {
		return SeeOther(OwnPath(x.Value("back"))), nil
	}
	form := loginPage(x, "").(Page)
	form.Status = http.StatusOK
	return form, nil
}

// login checks the token, and redirects to the page that asked for it.
func login(x *Exchange) (Answer, error) {
	if !x.Guard.Open() && !x.Guard.IsToken(x.Request.PostFormValue("token")) {
		x.Refused(x.Request, errors.New("the token is wrong"))
		return loginPage(x, "That is not the token: send the value of --control-token"), nil
	}
	if !x.Guard.Open() {
		x.SetCookie(loginCookie, x.Guard.Proof(), 0)
	}
	return SeeOther(OwnPath(x.Request.PostFormValue("back"))), nil
}

func logout(x *Exchange) (Answer, error) {
	x.SetCookie(loginCookie, "", -1)
	return SeeOther(Prefix), nil
}

// SetCookie sets a cookie of this console for a number of seconds: 0 for as long as the browser runs, -1 to remove it.
func (x *Exchange) SetCookie(name, value string, maxAge int) {
	http.SetCookie(x.Writer, &http.Cookie{
		Name: x.cookie(name), Value: value, Path: x.outside() + Prefix, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.Request.TLS != nil,
	})
}

// opened returns the page that a browser has open, with its query: of a form the page that has the form.
func (x *Exchange) opened() string {
	if x.Request.Method != http.MethodPost {
		return x.Request.URL.RequestURI()
	}
	from, err := url.Parse(x.Request.Referer())
	if err != nil {
		return Prefix
	}
	return OwnPath(from.RequestURI())
}

// OwnPath returns a path of the console, without a proxy's prefix: the first page for any other path, and for one that leaves
// the console by its dots.
func OwnPath(path string) string {
	path = path[max(strings.Index(path, Prefix), 0):]
	to, err := url.Parse(path)
	if err != nil || !strings.HasPrefix(path, Prefix) || strings.ContainsAny(path, "\\\r\n") {
		return Prefix
	}
	parts := strings.Split(strings.TrimPrefix(to.Path, Prefix), "/")
	if slices.Contains(parts, "..") || slices.Contains(parts, ".") || parts[0] == "login" || parts[0] == "logout" {
		return Prefix
	}
	return path
}
