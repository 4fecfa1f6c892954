package console_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// clicks counts what a person does to finish a job: each press of a control, and each text that is typed and sent.
type clicks struct {
	*tab
	done int
}

func (c *clicks) press(name string)  { c.t.Helper(); c.done++; c.tab.press(name) }
func (c *clicks) follow(name string) { c.t.Helper(); c.done++; c.tab.follow(name) }

// search types a query into the field of the top bar, as the key / leads there, and sends it.
func (c *clicks) search(query string) {
	c.t.Helper()
	c.done++
	c.slash()
	run(c.tab, chromedp.KeyEvent(query))
	c.pressReturn()
}

// slash presses the key that leads to the search field. A key from the browser's protocol would be typed there, too.
func (b *tab) slash() {
	b.t.Helper()
	run(b, chromedp.Evaluate[chromedp.Void](`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true, cancelable: true}))`))
	b.until(`document.activeElement.name === "q"`)
}

// follows presses Enter on what has the focus.
func (c *clicks) follows() {
	c.t.Helper()
	c.done++
	c.pressReturn()
}

// pressReturn presses Enter, and waits for the page that it leads to.
func (b *tab) pressReturn() {
	b.t.Helper()
	run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, chromedp.KeyEvent("\r"))
		return chromedp.Void{}, err
	})
	run(b, chromedp.WaitReady(chromedp.CSS(pageEnd)))
}

// job is what a person wants to be done, with the clicks that it takes at most: four, beside the writing of a text.
type job struct {
	name string
	most int
	do   func(t *testing.T, c *clicks)
}

// TestJobs does all jobs, each in an emulator of its own.
func TestJobs(t *testing.T) {
	t.Parallel()
	for _, j := range slices.Concat(jobsOfStart, jobsOfSearch, jobsOfRequests, jobsOfTimes, jobsOfReports, jobsOfRuns, jobsOfText) {
		t.Run(j.name, func(t *testing.T) {
			t.Parallel()
			c := &clicks{tab: look(t)}
			j.do(t, c)
			if c.done > j.most || j.most > 4 {
				t.Errorf("the job took %d clicks, want %d and four at most", c.done, j.most)
			}
		})
	}
}

var jobsOfSearch = []job{
	// From the first page, by the keyboard alone.
	{"find 451 and its curl", 2, func(t *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		b.counts(7, "button.copy") // base URL, key and five snippets
		c.search("451")
		c.until(`document.activeElement.classList.contains("hit")`)
		c.follows()
		c.reads("pre", "/verification-requests/vr_error_451'")
		line := value[string](b, `document.querySelector("pre").innerText`)
		if !strings.HasPrefix(line, "curl ") || !strings.Contains(line, "Authorization: Bearer svc_sk_test_") {
			t.Error(line)
		}
	}},
	{"429 once", 2, func(t *testing.T, c *clicks) {
		b := c.tab
		b.open(b.world)
		c.follow("Faults")
		c.press("429 once")
		c.until(`document.querySelector("[value='429-once']").ariaPressed === "true"`)
		c.reads("#on", "429 Too Many Requests", "after 1 more call")
		b.ask("GET", "/verification-requests/vr_completed", "").shows(429)
		b.ask("GET", "/verification-requests/vr_completed", "").shows(200)
		b.open(b.world + "/faults")
		c.reads("#on", "No fault is on")
		if value[string](b, `document.querySelector("[value='429-once']").ariaPressed`) != "false" {
			t.Error("the toggle is on")
		}
	}},
	// The address has all that makes the view.
	{"share", 2, func(t *testing.T, c *clicks) {
		b := c.tab
		b.open(b.world)
		c.search("part time")
		run(b, chromedp.Evaluate[chromedp.Void](`navigator.clipboard.writeText = async (text) => { window.copied = text }`))
		c.press("Copy link")
		b.until(`window.copied !== undefined`)
		address := value[string](b, `window.copied`)
		other := b.visitor.tab()
		other.open(strings.TrimPrefix(address, b.url))
		const results = `[...document.querySelectorAll("#results :is(h1, h2, .hit)")].map((e) => e.innerText).join("\n")`
		if here, there := value[string](b, results), value[string](other, results); here != there || !strings.Contains(here, "part-time") {
			t.Errorf("%s\nis not\n%s", there, here)
		}
	}},
}

func TestBrowserSearch(t *testing.T) {
	tabs{
		"move the clock and go on": func(t *testing.T, b *tab) {
			b.open(b.world + "/faults")
			b.press("Another rule")
			b.fill("[name=rule]", "half a sente")
			b.press("+1 h on the clock")
			b.reads(".top .instant", "10:30:00 UTC")
			b.press("Run the clock")
			b.reads(".top .instant", "running")
			b.press("Freeze")
			b.reads(".top .instant", "frozen")
			if got := value[string](b, `document.querySelector("[name=rule]").value`); got != "half a sente" {
				t.Errorf("%q is typed", got)
			}
			b.until(`document.querySelector("[name=rule]").checkVisibility()`) // not folded

			b.post(b.world+"/clock/set", "to", "2025-01-20T12:00")
			b.follow("Next step by the clock") // there is none: the page says so
			b.reads("[role=status]", "no request here is waiting for it")
		},
		"results while typing": func(t *testing.T, b *tab) {
			b.expect("htmx:sendAbort", "htmx:afterRequest") // of one abort: typing outruns an answer
			b.open(prefix + "search?q=slow")
			b.slash()
			run(b, chromedp.KeyEvent("retired"))
			b.reads("#results h1", "retired")
			b.reads("#results .hit", "retired")
			b.until(`document.activeElement.name === "q"`)
			b.follow("Completed; the employee's status_detail is retired")
			b.reads("pre", "vr_status_retired")
		},
		"results by the arrow keys": func(t *testing.T, b *tab) {
			b.open(prefix + "search?q=429")
			b.until(`document.activeElement === document.querySelectorAll(".hit")[0]`)
			run(b, chromedp.KeyEvent(kb.ArrowDown))
			b.until(`document.activeElement === document.querySelectorAll(".hit")[1]`)
		},
	}.run(t)
}
