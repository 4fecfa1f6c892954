package console

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// cookie names what a browser keeps for who has given the token. It has the port of the console in it: for cookies all
// ports of a host are the same, and two consoles must not throw each other's visitors out.
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

// admitted reports whether the token was given, where there is one.
func (x *exchange) admitted() bool {
	if x.Guard.Open() {
		return true
	}
	kept, err := x.request.Cookie(x.cookie())
	return err == nil && x.Guard.IsProof(kept.Value)
}

// askForToken is the page that asks for the token, in place of the one that is wanted.
func askForToken(x *exchange, alert string) answer {
	x.writer.Header().Set("WWW-Authenticate", "Bearer")
	back := x.request.URL.Path
	if x.request.URL.RawQuery != "" {
		back += "?" + x.request.URL.RawQuery
	}
	if x.request.Method == http.MethodPost {
		back = x.request.PostForm.Get("back") // of the login form; of who is not admitted, nothing is read
	}
	return page{name: "login", title: "Token", status: http.StatusUnauthorized, alert: alert, data: ownPath(back)}
}

func showLogin(x *exchange) (answer, error) {
	if x.admitted() {
		return seeOther(Prefix), nil
	}
	return page{name: "login", title: "Token", data: ownPath(x.value("back"))}, nil
}

// login takes the token and leads back to where it was asked for.
func login(x *exchange) (answer, error) {
	if !x.Guard.Open() && !x.Guard.IsToken(x.request.PostFormValue("token")) {
		x.Refused(x.request, errors.New("the token that was given is another"))
		return askForToken(x, "That is not the token: it is what --control-token was given at start"), nil
	}
	if !x.Guard.Open() {
		x.setCookie(x.Guard.Proof(), 0)
	}
	return seeOther(ownPath(x.request.PostFormValue("back"))), nil
}

func logout(x *exchange) (answer, error) {
	x.setCookie("", -1)
	return seeOther(Prefix), nil
}

func (x *exchange) setCookie(value string, maxAge int) {
	http.SetCookie(x.writer, &http.Cookie{
		Name: x.cookie(), Value: value, Path: Prefix, MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.request.TLS != nil,
	})
}

// ownPath returns a path of the console's own: the overview for any other, and for one that leads elsewhere once its dots
// are followed, as browsers do.
func ownPath(path string) string {
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
