package surface

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/provenance"
)

// Keys authenticates requests by their API keys (spec 5).
type Keys struct{ Prefix string } // of every key, such as svc

const (
	keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	maxKeyLength  = 128 // of the characters after the prefix
)

// CheckKeyPrefix returns an error for a text that cannot be a key prefix.
func CheckKeyPrefix(text string) error {
	if text == "" || len(text) > 32 || strings.Trim(text, keyCharacters) != "" {
		return fmt.Errorf("the key prefix %q is not 1 to 32 of A-Z a-z 0-9 _ -", text)
	}
	return nil
}

// magicKeys are sandbox keys that are always refused, alone or followed by _ and more characters.
var magicKeys = []struct {
	name      string
	status    int
	diagnosis string
}{
	{"expired", http.StatusUnauthorized, "this magic key acts as an expired key"},
	{"revoked", http.StatusUnauthorized, "this magic key acts as a revoked key"},
	{"forbidden", http.StatusForbidden, "this magic key acts as a key without permission"},
	{"limited", http.StatusTooManyRequests, "this magic key acts as a key over its rate limit"},
}

// Authenticate returns the sandbox secret key of a request's Authorization lines. Its error is an [*api.Error] with status
// 401, 403 or 429 and does not repeat the key.
func (k Keys) Authenticate(lines []string) (string, error) {
	send := "send Authorization: Bearer " + k.Prefix + "_sk_test_..."
	switch {
	case len(lines) == 0:
		return "", unauthorized("there is no Authorization header: " + send)
	case len(lines) > 1:
		return "", unauthorized("there are " + strconv.Itoa(len(lines)) + " Authorization headers: send one")
	}
	scheme, key, _ := strings.Cut(lines[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", unauthorized("the scheme must be Bearer: " + send)
	}
	key = strings.TrimLeft(key, " ")
	if empty := []string{"", "undefined", "null", "None"}; slices.Contains(empty, key) {
		return "", unauthorized("the key is empty or undefined: is its variable set?")
	}
	if strings.HasPrefix(key, k.Prefix+"_pk_") {
		return "", api.NewError(http.StatusForbidden, "a publishable key is for the browser: send a secret sandbox key"+provenance.Reason("publishable keys"))
	}
	secret, ok := strings.CutPrefix(key, k.Prefix+"_sk_")
	if !ok {
		return "", unauthorized("the key must begin with " + k.Prefix + "_sk_test_: " + k.otherPrefix(key))
	}
	name, sandbox := strings.CutPrefix(secret, "test_")
	if !sandbox && secret != "test" {
		return "", unauthorized("a production key is never accepted here: send a sandbox key, and rotate this one if it is real")
	}
	if name == "" || secret == "test" || len(name) > maxKeyLength || strings.Trim(name, keyCharacters) != "" {
		return "", unauthorized(`after "` + k.Prefix + `_sk_test_" come 1 to ` + strconv.Itoa(maxKeyLength) + ` characters of A-Z a-z 0-9 _ -`)
	}
	for _, magic := range magicKeys {
		if name == magic.name || strings.HasPrefix(name, magic.name+"_") {
			return "", api.NewError(magic.status, magic.diagnosis)
		}
	}
	return key, nil
}

// otherPrefix returns what to do about a key with another prefix. It shows nothing else of the key.
func (k Keys) otherPrefix(key string) string {
	prefix, name, _ := strings.Cut(key, "_sk_")
	if CheckKeyPrefix(prefix) != nil || !strings.HasPrefix(name, "test_") {
		return "--key-prefix sets the first part"
	}
	return "put " + k.Prefix + " in place of " + prefix + ", or serve with --key-prefix " + prefix
}

func unauthorized(diagnosis string) error { return api.NewError(http.StatusUnauthorized, diagnosis) }
