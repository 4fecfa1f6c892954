package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// TokenHeader carries the control plane's token, beside Authorization, which names the world.
const TokenHeader = "Understudy-Control-Token"

// guarded refuses a call that a web page in somebody's browser may have sent, and one without the token.
func (p plane) guarded(serve http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, check := range []func(*http.Request) error{p.checkHost, checkOrigin, p.checkToken} {
			if err := check(r); err != nil {
				p.refuse(w, r, err)
				return
			}
		}
		serve.ServeHTTP(w, r)
	}
}

// checkHost refuses a foreign Host on a loopback address. A web page whose name is made to lead there (DNS rebinding) is
// of the same origin for its browser, and only the name tells. On other addresses the names are for the network to know.
func (p plane) checkHost(r *http.Request) error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(hostOf(local.String())) {
		return nil
	}
	host := strings.ToLower(strings.TrimSuffix(hostOf(r.Host), "."))
	if host == "" || host == "localhost" || isLoopback(host) || slices.ContainsFunc(p.Hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
		return nil
	}
	return api.Because(http.StatusForbidden, "On a loopback address the control plane is reached as localhost or 127.0.0.1, not as "+
		api.Quote(host)+": use one of these, or allow the name with --control-host")
}

// hostOf returns the host of HOST, HOST:PORT, or [IPv6]:PORT.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// checkOrigin refuses a call that changes something and that a browser sends for a page of another origin.
func checkOrigin(r *http.Request) error {
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return api.Because(http.StatusForbidden, "A web page of another origin may not drive the control plane")
	}
	return nil
}

// checkToken refuses a call without the token, where there is one. It may also come as the bearer of Authorization, for
// what sends no other header; a world is then named by ?world=ID.
func (p plane) checkToken(r *http.Request) error {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if p.Token == "" || p.isToken(r.Header.Get(TokenHeader)) || strings.EqualFold(scheme, "Bearer") && p.isToken(strings.TrimLeft(bearer, " ")) {
		return nil
	}
	refusal := api.NewError(http.StatusUnauthorized, "")
	refusal.Message = "The control plane has a token (--control-token): send it as " + TokenHeader +
		", or as Authorization: Bearer where no API key goes there"
	return refusal
}

// isToken compares in a time that does not tell how much of a text is right.
func (p plane) isToken(text string) bool {
	want, got := sha256.Sum256([]byte(p.Token)), sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}
