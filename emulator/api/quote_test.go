package api_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Contract 4: a number appears only as ***-**-6789.
func TestQuoteNeverShowsWhatMayBeAnSSN(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"123456789", "123-45-6789", "123 45 6789", "my ssn is 123456789!", "1234567", "a.123.45.6789",
		"666--12--6789", "666/12/6789", "666_12_6789", "666 - 12 - 6789", "666–12–6789",
		"123%2D45%2D6789", "123%252D45%252D6789", "%31%32%33%34%35%36%37%38%39", "123    45....6789"} {
		if quoted := api.Quote(text); strings.ContainsAny(strings.ReplaceAll(quoted, "***-**-6789", ""), "123456789") {
			t.Errorf("Quote(%q) = %s", text, quoted)
		}
	}
}

func TestQuoteKeepsTheLastFourDigitsOfAnSSNAsTheJournalDoes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"123456789": `"***-**-6789"`, "vr_123-45-6789": `"vr_***-**-6789"`, "123%2D45%2D6789": `"***-**-6789"`,
		"1234567890": `"###"`, "12345678": `"###"`, "123456789 123456789": `"###"`, "123_sk_456789": `"###"`,
	} {
		if quoted := api.Quote(text); quoted != want {
			t.Errorf("Quote(%q) = %s, want %s", text, quoted, want)
		}
	}
}

func TestQuoteMasksDigitsOfEveryScript(t *testing.T) {
	t.Parallel()
	if quoted := api.Quote("１２３４５６７８９"); quoted != `"###"` {
		t.Error(quoted)
	}
}

func TestMaskCutsLongTexts(t *testing.T) {
	t.Parallel()
	if masked := api.Mask(strings.Repeat("x", 60_000)); len(masked) > 210 {
		t.Errorf("%d bytes", len(masked))
	}
}

// Whoever sends a megabyte does not have it looked through; what is cut off shows no beginning of a secret.
func TestMaskLooksAtTheBeginningOfALongTextOnly(t *testing.T) {
	t.Parallel()
	const looked = 4096
	for _, secret := range []string{"123456789", "123-45-6789", "%31%32%33%34%35%36%37%38%39", "%2531%2532%2533%2534%2535%2536%2537%2538%2539", "１２３４５６７８９"} {
		for cut := range len(secret) {
			key := "_sk_" + strings.Repeat("x", looked-cut-len("_sk_ ")) // which is masked whole, so that what comes behind is not cut off
			if masked := api.Mask(key + " " + secret + strings.Repeat("x", 1<<20)); masked != "###" {
				t.Errorf("%s, cut behind %d bytes: %q", secret, cut, masked)
			}
		}
	}
}

func TestQuoteNeverShowsAnAPIKey(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"svc_sk_test_private", "svc_sk_private", "Bearer svc_sk_test_private", "/x/acme_pk_private", "my__sk_test_private", "a-_sk_private", "svc%5Fsk%5Fprivate"} {
		if quoted := api.Quote(text); strings.Contains(quoted, "private") {
			t.Errorf("Quote(%q) = %s", text, quoted)
		}
	}
}

func TestQuoteKeepsOrdinaryIDs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"vr_error_451", "vr_01JHM2Z9Q5", "2022", "task_1", "risk_assessment", "100%"} {
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
