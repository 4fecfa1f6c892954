package console_test

import (
	_ "embed"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe looks for what people who use a page in another way cannot do (https://github.com/dequelabs/axe-core).
//
//go:embed testdata/axe/axe.min.js
var axe string

func TestBrowserEveryPage(t *testing.T) {
	tabs{
		"is for everybody": func(t *testing.T, b *tab) {
			for _, path := range pages(b.visitor) {
				for _, scheme := range []string{"light", "dark"} {
					b.prefer(scheme)
					b.open(path)
					run(b, chromedp.Evaluate[chromedp.Void](axe))
					for _, violation := range value[[]string](b, `axe.run({resultTypes: ["violations"]}).then((r) => r.violations.filter((v) =>
						["serious", "critical"].includes(v.impact)).map((v) => [v.id, v.impact, v.help, v.nodes[0].html, v.nodes[0].failureSummary].join("\n")))`) {
						t.Errorf("%s, %s: %s", path, scheme, violation)
					}
				}
			}
		},
		// Nothing is wider than the screen but what can be pushed sideways by itself.
		"fits a telephone": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(375, 812))
			for _, path := range pages(b.visitor) {
				b.open(path)
				if width := value[int](b, "document.documentElement.scrollWidth"); width > 375 {
					wide := value[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right + scrollX > 376).slice(0, 3).map((e) => e.outerHTML.slice(0, 120))`)
					t.Errorf("%s is %d pixels wide:\n%s", path, width, strings.Join(wide, "\n"))
				}
			}
		},
		// Everything that can be clicked is reached by the Tab key, in sight, in the order of the page.
		"the keyboard is enough": func(t *testing.T, b *tab) {
			const all = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((e) => e.checkVisibility())`
			for _, path := range []string{prefix, prefix + "catalogue/lifecycle", b.world + "/clock", b.world + "/journal", b.request("vr_processing")} {
				b.open(path)
				for range value[int](b, all+".length") + 20 { // a field for an instant has many parts
					run(b, chromedp.KeyEvent("\t"))
					if !value[bool](b, `((e) => { if (e === document.body || e.dataset.seen) return true; e.dataset.seen = 1; const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none" })(document.activeElement)`) {
						t.Errorf("%s: nobody sees that the focus is on %s", path, value[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
					}
				}
				if missed := value[[]string](b, all+`.filter((e) => !e.dataset.seen).map((e) => e.outerHTML.slice(0, 120))`); len(missed) > 0 {
					t.Errorf("%s: not reached: %s", path, strings.Join(missed, "\n"))
				}
			}
		},
	}.run(t)
}
