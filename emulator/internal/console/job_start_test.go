package console_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// The jobs of one who has just begun, with the clicks that they take. Requests arrive without a reload.
func TestJobStart(t *testing.T) {
	tabs{
		"just started": func(t *testing.T, b *tab) {
			if _, err := exec.LookPath("curl"); err != nil {
				t.Skip("the snippet is run by curl, which is not here")
			}
			b.post(b.world + "/delete").shows(303)
			b.home()
			b.reads("h2", "Listening…")
			pasted := value[string](b, `document.querySelector("[data-language=curl] code").textContent`) // one click copies it
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", pasted).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			b.reads("#arrivals", "vr_completed")
			b.reads(".latest .status", "200")
			b.leads(`.latest th a`) // the second click
			b.reads("h1, h2", "vr_completed")
		},
		"why 401": func(t *testing.T, b *tab) {
			b.home()
			b.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer acme_sk_test_x").shows(401)
			b.reads("#arrivals .reason", "The key must begin with svc_sk_test_")
			b.reads(".mend", "svc in place of acme") // no click
		},
		// One click: the reason is in the list, and on the page of the request.
		"on a phone": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(390, 844))
			b.ask("GET", "/verification-requests/vr_nowhere", "").shows(400)
			b.open(prefix)
			b.reads(".latest .why", "no verification request is")
			if !value[bool](b, `document.querySelector(".latest .why").getBoundingClientRect().bottom < innerHeight`) {
				t.Error("one must scroll to the reason of the last refused request")
			}
			b.leads(`.latest tr:has(.refused) th a`)
			b.reads("main", "No verification request is")
		},
	}.run(t)
}

// home opens the first page, which learns of requests from then on.
func (b *tab) home() {
	b.t.Helper()
	b.open(prefix)
	b.until(`document.body.dataset.live === "back"`)
}

// leads clicks a link to another page, and waits for that.
func (b *tab) leads(selector string) {
	b.t.Helper()
	run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		return chromedp.Void{}, err
	})
	run(b, chromedp.WaitReady(chromedp.CSS(pageEnd)))
}
