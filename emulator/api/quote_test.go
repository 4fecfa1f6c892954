package api_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestQuoteNeverShowsWhatMayBeAnSSN(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"123456789", "123-45-6789", "123 45 6789", "my ssn is 123456789!", "1234567", "a.123.45.6789",
		"666--12--3456", "666/12/3456", "666_12_3456", "666 - 12 - 3456", "666–12–3456"} {
		if quoted := api.Quote(text); strings.ContainsAny(quoted, "123456789") {
			t.Errorf("Quote(%q) = %s", text, quoted)
		}
	}
}

func TestQuoteNeverShowsAnAPIKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"svc_sk_test_private", "svc_sk_private", "Bearer svc_sk_test_private", "/x/acme_pk_private"} {
		if quoted := api.Quote(text); strings.Contains(quoted, "private") {
			t.Errorf("Quote(%q) = %s", text, quoted)
		}
	}
}

func TestQuoteKeepsOrdinaryIDs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"vr_error_451", "vr_01JHM2Z9Q5", "2022"} {
		if quoted := api.Quote(text); quoted != `"`+text+`"` {
			t.Errorf("Quote(%q) = %s", text, quoted)
		}
	}
}

func TestQuoteIsFitForAHeader(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\r\nSet-Cookie: b", "é\x00\xff", strings.Repeat("x", 9000)} {
		quoted := api.Quote(text)
		if len(quoted) > 300 || strings.ContainsFunc(quoted, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("Quote(%.20q) = %s", text, quoted)
		}
	}
}
