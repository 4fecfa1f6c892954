package emulator

import (
	"errors"
	"strings"
)

// WithControlToken has the control plane serve only calls that carry a token of visible ASCII characters, but for its
// health, its documents and its certificate. Default, and "": no token.
func WithControlToken(token string) Option { return func(c *config) { c.controlToken = token } }

// WithControlHosts allows names by which the control plane may be reached on a loopback address, where it otherwise takes
// localhost and loopback addresses only, lest a web page reach it by a name that leads there. Default: none.
func WithControlHosts(names ...string) Option {
	return func(c *config) { c.controlHosts = append(c.controlHosts, names...) }
}

// invisible reports whether a character may not be in a token, which travels in a header.
func invisible(c rune) bool { return c < '!' || c > '~' }

// CheckControlToken returns an error for a text that cannot be sent as a token. It does not repeat it.
func CheckControlToken(text string) error {
	if strings.ContainsFunc(text, invisible) {
		return errors.New("the control token may have visible ASCII characters only, and no spaces")
	}
	return nil
}
