package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// pick picks a choice by its label.
func (b *tab) pick(label string) {
	b.t.Helper()
	run(b, chromedp.Click(chromedp.Search(`//label[normalize-space()="`+label+`"]`), chromedp.NodeVisible))
}

func TestBrowserSnippets(t *testing.T) {
	tabs{
		// The key that a user types is filled in, in this world only, and is never sent.
		"the key stays in the browser": func(t *testing.T, b *tab) {
			code := b.entry(b.ask("GET", "/verification-requests/vr_completed", ""))
			b.open(code)
			b.reads("[data-language=curl] code", "Bearer svc_sk_test_YOUR-KEY")
			b.fill("[data-own-key]", key+"\n")
			b.reads("[data-language=curl] code", "Bearer "+key)
			b.open(prefix)
			b.until(`document.querySelector("[data-language=curl] code").textContent.includes("Bearer svc_sk_test_console")`)
			b.open(code)
			b.reads("[data-language=curl] code", "Bearer "+key)
			b.counts(0, "[data-own-key][name], form [data-own-key]")
			b.until(`performance.getEntriesByType("resource").every((sent) => !sent.name.includes("console-tests"))`)
		},
		"the key of another world is refused": func(t *testing.T, b *tab) {
			b.open(b.entry(b.ask("GET", "/verification-requests/vr_completed", "")))
			b.fill("[data-own-key]", key+"-2\n")
			b.until(`document.querySelector("[data-own-key]").validationMessage === "This key is that of another world."`)
			b.reads("[data-language=curl] code", "Bearer svc_sk_test_YOUR-KEY")
		},
		"the language stays chosen": func(t *testing.T, b *tab) {
			b.post(b.world + "/delete").shows(303) // the first page has the code unfolded
			b.open(prefix)
			b.reads("[data-language]", "curl")
			b.pick("Python")
			b.reads("[data-language]", "import requests")
			b.open(prefix + "catalogue")
			b.open(prefix)
			b.reads("[data-language]", "import requests")
			b.counts(0, "[data-language$=-test]") // no answer is recorded
		},
		"without scripts": func(t *testing.T, b *tab) {
			b.post(b.world + "/delete").shows(303)
			b.withoutScript()
			b.open(prefix)
			b.reads("[data-language]", "Authorization: Bearer")
			b.pick("Java")
			b.reads("[data-language]", "public class Request")
			b.until(`!document.querySelector("[data-own-key]").checkVisibility()`)
		},
	}.run(t)
}
