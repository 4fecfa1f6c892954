package control

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Guard decides which calls are allowed.
type Guard struct {
	Token string   // that calls need; "": none
	Hosts []string // names with a dot by which the control plane may be reached without a token
}

// Check refuses calls that a foreign web page may have sent: with a foreign host name, or from another origin when they
// change something. Its error is an [*api.Error] with status 403.
func (g Guard) Check(r *http.Request) error {
	if err := g.checkHost(r); err != nil {
		return err
	}
	if new(http.CrossOriginProtection).Check(r) != nil {
		return api.Because(http.StatusForbidden, "A web page of another origin may not drive the control plane")
	}
	return nil
}

// checkHost refuses a foreign Host where there is no token. For a browser, a page whose name resolves to the control plane's
// address (DNS rebinding) has the same origin; only the name differs. Such a page does not know a token. Nobody can have an
// address or a name without a dot resolved to another address, and a request without a Host is not from a browser. A request
// that no server accepted, as in a test of a handler, is not checked.
func (g Guard) checkHost(r *http.Request) error {
	host := nameOf(r.Host)
	_, err := netip.ParseAddr(host)
	accepted := r.Context().Value(http.LocalAddrContextKey) != nil
	if !accepted || !g.Open() || err == nil || !strings.Contains(host, ".") ||
		slices.ContainsFunc(g.Hosts, func(name string) bool { return nameOf(name) == host }) {
		return nil
	}
	return api.Because(http.StatusForbidden, "The host name "+api.Quote(host)+" may be that of a web page: use an address or a name "+
		"without a dot, such as localhost, or allow the name with --control-host")
}

// nameOf returns the name, in lower case and without its final dot, of HOST, HOST:PORT, or [IPv6]:PORT.
func nameOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}

// Open reports whether no token is needed.
func (g Guard) Open() bool { return g.Token == "" }

// IsToken reports whether a text is the token, in constant time.
func (g Guard) IsToken(text string) bool {
	want, got := sha256.Sum256([]byte(g.Token)), sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Proof returns the cookie value of a browser that sent the token. It is accepted in place of the token, which cannot
// be computed from it. It changes with the token only: it stays valid over restarts and on all replicas.
func (g Guard) Proof() string {
	mac := hmac.New(sha256.New, []byte(g.Token))
	mac.Write([]byte("understudy console"))
	return hex.EncodeToString(mac.Sum(nil))
}

// IsProof reports whether a text is the proof, in constant time.
func (g Guard) IsProof(text string) bool { return hmac.Equal([]byte(text), []byte(g.Proof())) }
