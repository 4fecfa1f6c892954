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
	Hosts []string // names of a loopback address, beside localhost
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

// checkHost refuses a foreign Host on a loopback address. For a browser, a page whose name resolves to that address (DNS
// rebinding) has the same origin; only the name differs. On other addresses any name is allowed.
func (g Guard) checkHost(r *http.Request) error {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(hostOf(local.String())) {
		return nil
	}
	host := strings.ToLower(strings.TrimSuffix(hostOf(r.Host), "."))
	if host == "" || host == "localhost" || isLoopback(host) || slices.ContainsFunc(g.Hosts, func(name string) bool { return strings.EqualFold(name, host) }) {
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
