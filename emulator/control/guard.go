package control

import (
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// TokenHeader carries the control plane's token, beside Authorization, which names the world.
const TokenHeader = "Understudy-Control-Token"

// guarded refuses a call that a web page in somebody's browser may have sent, and one without the token.
func (p plane) guarded(serve http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, check := range []func(*http.Request) error{p.Guard.Check, p.checkToken} {
			if err := check(r); err != nil {
				p.Refused(r, err)
				p.refuse(w, r, err)
				return
			}
		}
		serve.ServeHTTP(w, r)
	}
}

// checkToken refuses a call without the token, where there is one. It may also come as the bearer of Authorization, for
// what sends no other header; a world is then named by ?world=ID.
func (p plane) checkToken(r *http.Request) error {
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if p.Guard.Open() || p.Guard.IsToken(r.Header.Get(TokenHeader)) ||
		strings.EqualFold(scheme, "Bearer") && p.Guard.IsToken(strings.TrimLeft(bearer, " ")) {
		return nil
	}
	refusal := api.NewError(http.StatusUnauthorized, "")
	refusal.Message = "The control plane has a token (--control-token): send it as " + TokenHeader +
		", or as Authorization: Bearer where no API key goes there"
	return refusal
}
