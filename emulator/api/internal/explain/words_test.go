package explain_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/internal/explain"
)

// A quoted text never shows a key, and a number only as ***-**-6789.
func TestQuote(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"123456789": `"***-**-6789"`, "vr_123-45-6789": `"vr_***-**-6789"`, "123456789 123456789": `"***-**-6789 ***-**-6789"`,
		"my ssn: 12-34-56-78!": `"my ssn: ***-**-5678!"`, "a.123.45.6789": `"a.***-**-6789"`, "123    45....6789": `"***-**-6789"`,
		"666--12--6789": `"***-**-6789"`, "666/12/6789": `"***-**-6789"`, "666_12_6789": `"***-**-6789"`, "666–12–6789": `"***-**-6789"`,
		"123%2D45%2D6789": `"***-**-6789"`, "123%252D45%252D6789": `"***-**-6789"`, "%31%32%33%34%35%36%37%38%39": `"***-**-6789"`,
		"1234567890": `"******7890"`, "１２３４５６７８９": `"***-**-\uff16\uff17\uff18\uff19"`,
		"123_sk_456789": `"123###"`, "svc_pk_live": `"svc###"`, "a": `"a"`,
		"/x/acme_pk_private": `"/x/acme###"`, "my__sk_test_private": `"my_###"`, "a-_sk_private": `"a-###"`, "svc%5Fsk%5Fprivate": `"svc###"`,
		"Bearer svc_sk_test_private": `"Bearer svc###"`, "svc_sk_test_private": `"svc###"`,
		"vr_error_451": `"vr_error_451"`, "vr_01JHM2Z9Q5": `"vr_01JHM2Z9Q5"`, "task_1 risk_assessment 100%": `"task_1 risk_assessment 100%"`,
		"\x123-45-6789": `"\x***-**-6789"`,
		"12345678":      `"12345678"`, "2025-01-15 12:00": `"2025-01-15 12:00"`, "12-3456789": `"12-3456789"`,
	} {
		if quoted := explain.Quote(text); quoted != want {
			t.Errorf("Quote(%q) = %s, want %s", text, quoted, want)
		}
	}
}

// Only the first 4 KiB of a text are read, and a number that is cut off there is not shown.
func TestExcerptOfLongText(t *testing.T) {
	t.Parallel()
	const readLength = 4096
	for _, secret := range []string{"123456789", "123-45-6789", "%31%32%33%34%35%36%37%38%39", "%2531%2532%2533%2534%2535%2536%2537%2538%2539", "１２３４５６７８９"} {
		for before := range len(secret) {
			key := "_sk_" + strings.Repeat("x", readLength-before-len("_sk_ ")) // masked as one key, so that the excerpt shows what follows
			if masked := explain.Excerpt(key + " " + secret + strings.Repeat("x", 1<<20)); masked != "###" {
				t.Errorf("%s, cut after %d bytes: %q", secret, before, masked)
			}
		}
	}
}

func TestQuoteFitsHeader(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a\r\nSet-Cookie: b", "é\x00\xff", strings.Repeat("x", 9000)} {
		quoted := explain.Quote(text)
		if excerpt := explain.Excerpt(text); len(excerpt) > 210 {
			t.Errorf("an excerpt of %d bytes", len(excerpt))
		}
		if len(quoted) > 300 || strings.ContainsFunc(quoted, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("Quote(%.20q) = %s", text, quoted)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	words := []string{"pending-approval", "processing", "biweekly", "weekly", "vr_one", "vr_two", "key"}
	for typed, meant := range map[string]string{
		"procesing": "processing", "bewekly": "biweekly", "weekyl": "weekly",
		"WEEKLY": "weekly", "Processing": "processing", "PROCESING": "processing", // in any case
		"pending": "pending-approval", "Pend": "pending-approval", // the beginning of a word
		"kye": "key",                                // the same letters
		"vr_": "", "pe": "", "sleeping": "", "": "", // ambiguous, too short, or different from all
	} {
		if got, ok := explain.Nearest(typed, words); got != meant || ok != (meant != "") {
			t.Errorf("%q is %q, want %q", typed, got, meant)
		}
	}
}
