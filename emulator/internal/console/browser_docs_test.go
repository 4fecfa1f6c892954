package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// From a refusal a link leads to its line of the docs. There a word finds sections, and the chosen theme stays.
func TestBrowserDocs(t *testing.T) {
	t.Parallel()
	b := look(t)
	b.open(b.entry(b.ask("GET", "/verification-requests/vr_complete", "").shows(400)))
	b.press("What to do")
	b.reads("h1", "Troubleshooting")
	b.reads("tr:target", "typo")
	b.fill(".find input", "next payday")
	b.reads("#found", "next-payday")
	b.fill(".find input", "xyzzy")
	b.reads("#found", "No section")
	b.press("Dark")
	run(b, chromedp.Navigate(b.url+prefix+"docs/tour.html"))
	b.until(`document.documentElement.dataset.theme === "dark" && [...document.images].every((i) => i.complete && i.naturalWidth > 0)`)
	b.press("System")
	if ci {
		for _, page := range []string{"", "troubleshooting.html", "console.html"} {
			run(b, chromedp.EmulateViewport(1280, 844))
			run(b, chromedp.Navigate(b.url+prefix+"docs/"+page))
			b.isAccessible()
			b.fits()
		}
	}
}
