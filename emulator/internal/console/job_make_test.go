package console_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// From the home page: Make, the list, its choice, Make it. These are four clicks.
func TestJobMakePartTime(t *testing.T) {
	tabs{
		"part-time with two employers": func(t *testing.T, b *tab) {
			b.open(prefix)
			run(b, func(ctx context.Context, _ *chromedp.Target) (*network.Response, error) {
				return chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(`.side-bar [href$="/make"]`), chromedp.NodeVisible))
			})
			b.reads("h1", "Make a verification request")
			b.fill("#start-from select", "P") // the first that begins so
			b.reads("#preview .yaml", "name: vr-my-two-part-time-jobs", "hours_per_week: 15")
			b.counts(2, "#preview [name=report]")
			b.reads("#preview .report", "Part time")
			b.follow("Make it")
			b.reads(".notice", "Created.")
			b.reads("main", "2 reports")
		},
		"preview follows what is typed": func(t *testing.T, b *tab) {
			b.open(b.world + "/make")
			b.fill("#reports-0-pay-base", "52000")
			b.reads("#preview .yaml", "base: 52000")
			b.reads("#preview .report", "$52,000")
			b.fill("#reports-0-pay-base", "x")
			b.reads("#reports-0-pay-base-error", "is not an amount of money")
			b.reads("#problems", "Pay of a year: base")
			b.counts(1, "#reports-0-pay-base[aria-invalid=true]")
			b.fill("#reports-0-pay-base", "\b")
			b.counts(0, "[aria-invalid]")
			b.reads("#preview .report", "$52,000")
			if value[string](b, `document.activeElement.id`) != "reports-0-pay-base" {
				t.Error("the cursor left its field")
			}
		},
		"employers are added by keyboard": func(t *testing.T, b *tab) {
			b.open(b.world + "/make")
			b.fill("#of-Person > summary", "\r")
			b.until(`document.getElementById("of-Person").open`)
			b.fill("#person-first_name", "Ada")
			b.fill(`[name=add][value=reports]`, "\r")
			b.counts(2, "#make > .making > .element")
			b.until(`document.activeElement.id === "reports-1-employee-status_detail"`)
			b.until(`document.getElementById("person-first_name").value === "Ada" && document.getElementById("person-first_name").checkVisibility()`)
			b.reads("#preview .yaml", "first_name: Ada", "- {}")
			b.fill(`[name=drop][value="reports.1"]`, "\r")
			b.counts(1, "#make > .making > .element")
			b.until(`document.activeElement.value === "reports"`)
			b.fill("#reports-0-pay-rate", "20")
			b.reads("#preview .yaml", "rate: 20")
		},
	}.run(t)
}
