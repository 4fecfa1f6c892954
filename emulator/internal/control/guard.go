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

// Guard says who may steer.
type Guard struct {
	Token string   // that calls need; "": none
	Hosts []string // by whose names a loopback address may be reached, beside localhost
}

// Check refuses a call that a web page in somebody's browser may have sent: by a foreign name, or as one that changes something
// for a page of another origin. Its error is an [*api.Error] with status 403.
func (g Guard) Check(r *http.Request) error {
	if err := g.checkHost(r); err != nil {
		return err
	}
	if new(http.CrossOriginProtection).Check(r) != nil {
		return api.Because(http.StatusForbidden, "A web page of another origin may not drive the control plane")
	}
	return nil
}

// checkHost refuses a foreign Host on a loopback address. A web page whose name is made to lead there (DNS rebinding) is
// of the same origin for its browser, and only the name tells. On other addresses the names are for the network to know.
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

// IsToken compares in a time that does not tell how much of a text is right.
func (g Guard) IsToken(text string) bool {
	want, got := sha256.Sum256([]byte(g.Token)), sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Proof returns what a browser keeps for who has given the token: it opens as much, and does not lead back to the token.
// Another token has another proof, so that a changed one ends every visit. Nothing else does: it is the same in every
// process, so that a restart asks nobody again and any replica lets in whom another has.
func (g Guard) Proof() string {
	mac := hmac.New(sha256.New, []byte(g.Token))
	mac.Write([]byte("understudy console"))
	return hex.EncodeToString(mac.Sum(nil))
}

// IsProof reports whether a text is the proof, in a time that does not tell how much of it is right.
func (g Guard) IsProof(text string) bool { return hmac.Equal([]byte(text), []byte(g.Proof())) }
