package console_test

import (
	"context"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
)

// The jobs of one who has just begun. Requests arrive without a reload.
var jobsOfStart = []job{
	{"first visit", 2, func(_ *testing.T, c *clicks) {
		c.post(c.world + "/delete").shows(303)
		c.open(prefix)
		c.reads("h2", "Listening…", "Point a client here")
		c.reads("main", c.url, "svc_sk_test_console", "curl ")
		c.search("frozen")
		c.follows()
		c.reads("pre", "vr_error_451")
	}},
	{"just started", 2, func(t *testing.T, c *clicks) {
		if _, err := exec.LookPath("curl"); err != nil {
			t.Skip("the snippet is run by curl, which is not here")
		}
		c.post(c.world + "/delete").shows(303)
		c.home()
		c.reads("h2", "Listening…")
		pasted := value[string](c.tab, `document.querySelector("[data-language=curl] code").textContent`)
		c.done++ // copies it
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", pasted).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		c.reads("#arrivals", "vr_completed")
		c.reads(".latest .status", "200")
		c.leads(`.latest th a`)
		c.reads("h1, h2", "vr_completed")
	}},
	{"why 401", 0, func(_ *testing.T, c *clicks) {
		c.home()
		c.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer acme_sk_test_x").shows(401)
		c.reads("#arrivals .reason", "The key must begin with svc_sk_test_")
		c.reads(".mend", "svc in place of acme")
	}},
	// The reason is in the list, and on the page of the request.
	{"on a phone", 1, func(t *testing.T, c *clicks) {
		run(c.tab, chromedp.EmulateViewport(390, 844))
		c.ask("GET", "/verification-requests/vr_nowhere", "").shows(400)
		c.open(prefix)
		c.reads(".latest .why", "no verification request is")
		if !value[bool](c.tab, `document.querySelector(".latest .why").getBoundingClientRect().bottom < innerHeight`) {
			t.Error("one must scroll to the reason of the last refused request")
		}
		c.leads(`.latest tr:has(.refused) th a`)
		c.reads("main", "No verification request is")
	}},
}

// home opens the first page, which learns of requests from then on.
func (b *tab) home() {
	b.t.Helper()
	b.open(prefix)
	b.until(`document.body.dataset.live === "back"`)
}

// leads clicks a link to another page, and waits for that.
func (c *clicks) leads(selector string) {
	c.t.Helper()
	c.done++
	c.tab.leads(selector)
}

func (b *tab) leads(selector string) {
	b.t.Helper()
	run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
		return chromedp.Void{}, err
	})
	run(b, chromedp.WaitReady(chromedp.CSS(pageEnd)))
}
