package console_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// row opens a request by a click on its row.
func (c *clicks) row(of answer) {
	c.t.Helper()
	c.done++
	run(c.tab, chromedp.Click(chromedp.CSS("#entry-"+of.header.Get("Understudy-Request-Id")+" a"), chromedp.NodeVisible))
	c.shows(of)
}

// shows waits until a request is the chosen one.
func (b *tab) shows(a answer) {
	b.t.Helper()
	b.until(fmt.Sprintf(`location.pathname === %q && document.querySelector("#rows [aria-current]")?.pathname === location.pathname && document.querySelector("#detail .crumbs code").textContent === %q`,
		b.entry(a), a.header.Get("Understudy-Request-Id")))
}

// middle returns where the middle of an element is in sight.
func (b *tab) middle(selector string) struct{ X, Y float64 } {
	b.t.Helper()
	return value[struct{ X, Y float64 }](b, `(({x, y, width, height}) => ({x: x + width / 2, y: y + height / 2}))(document.querySelector("`+selector+`").getBoundingClientRect())`)
}

// point moves the pointer to an element.
func (b *tab) point(selector string) {
	b.t.Helper()
	at := b.middle(selector)
	run(b, chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
}

// key presses keys.
func (b *tab) key(keys string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(keys))
}

// loads does what leads to another page, and waits for that.
func (b *tab) loads(action chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, action)
		return chromedp.Void{}, err
	})
}

const blankName = `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
	"target":{"first_name":"Ada","last_name":" ","social_security_number":"000-00-1001","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`

var jobsOfRequests = []job{
	{"find 451 in the list, and its curl", 1, func(_ *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("GET", "/verification-requests/vr_error_451", "")
		b.ask("GET", "/verification-requests/vr_completed", "")
		b.open(b.world + "/journal/")
		b.fill("#find", "451")
		c.counts(1, "#rows li")
		c.row(asked)
		c.reads("#detail", "curl ", "vr_error_451", "Authorization: Bearer svc_sk_test_")
	}},
	{"why 400", 1, func(_ *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("POST", "/credentials/session", blankName)
		b.open(b.world + "/journal/")
		c.reads("#rows", "target.last_name may not be blank")
		c.row(asked)
		c.reads("#detail .sentence", "target.last_name may not be blank.")
		c.reads("#detail mark", `" "`)
	}},
	{"who decided", 2, func(_ *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("GET", "/verification-requests/vr_error_451", "")
		b.open(b.world + "/journal/")
		c.row(asked)
		c.reads("#detail .decision", "451 by vr_error_451 (The social security number is frozen)", "the rule “every call", "451 Unavailable For Legal Reasons", "errors.yaml:")
		c.follow(value[string](b, `document.querySelector(".decision a[href*='#rule-']").textContent`))
		c.until(`document.querySelector("#" + location.hash.slice(1)).matches(":target")`)
	}},
	// The address shows the same comparison to others.
	{"compare", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		first := b.ask("GET", "/verification-requests/vr_lifecycle", "")
		b.ask("GET", "/verification-requests/vr_completed", "")
		second := b.ask("GET", "/verification-requests/vr_lifecycle", "")
		b.open(b.world + "/journal/")
		c.row(first)
		c.follow("Compare with…")
		c.reads(".comparison", "Choose the other request in the list")
		c.row(second)
		c.reads(".comparison .differs", `"state": "pending-approval"`, `"state": "processing"`)
		run(b, chromedp.Reload())
		c.reads(".comparison .differs", `"state": "processing"`)
		b.follow("Stop comparing")
		c.counts(0, ".comparison")
	}},
	{"find an id", 1, func(_ *testing.T, c *clicks) {
		id := c.session("000-00-1001")
		c.ask("GET", "/verification-requests/vr_completed", "")
		c.open(c.world + "/journal/")
		c.slash()
		c.until(`document.activeElement.id === "find"`)
		c.done++
		c.key(id)
		c.counts(1, "#rows li")
		c.reads("#rows", "session")
		c.until(`location.search === "?q=` + id + `"`)
		c.fill("#find", "0")
		c.reads("#found", "No such request")
	}},
	{"make it fail, and send it again", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(b.entry(b.ask("GET", "/verification-requests/vr_completed", "").shows(200)))
		c.press("Fail next…")
		c.follow("Error 429")
		c.reads("[role=status]", "The next matching request will fail once.")
		c.follow("Resend")
		c.reads("#detail h2", "429")
		c.until(`document.querySelector("#detail .headers").textContent.includes("Retry-After")`)
	}},
	{"replay with another body and its difference", 4, func(_ *testing.T, c *clicks) {
		b := c.tab
		first := b.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay House"}`)
		b.open(b.entry(first))
		c.press("Edit and resend")
		b.until(`document.activeElement.name === "method"`)
		value[string](b, `document.querySelector("#edit [name=body]").value = '{"name": "Edited House"}'`)
		c.follow("Send")
		c.reads("#detail .json", "Edited House")
		c.follow("Compare with…")
		c.row(first)
		c.reads(".comparison .differs", "Quay House", "Edited House")
	}},
}

func TestBrowserRequests(t *testing.T) {
	tabs{
		// The keyboard alone suffices; the address and the back button follow.
		"keys": func(t *testing.T, b *tab) {
			oldest := b.ask("GET", "/verification-requests/vr_completed", "")
			middle := b.ask("GET", "/verification-requests/vr_error_451", "")
			latest := b.ask("GET", "/verification-requests/vr_invalid", "")
			b.open(b.world + "/journal/?q=vr")
			value[int](b, "window.loadedOnce = 1")
			b.reads("#detail .crumbs code", latest.header.Get("Understudy-Request-Id")) // the latest is open
			b.key("j")
			b.until(`location.pathname === "` + b.entry(middle) + `" && location.search === "?q=vr"`)
			b.key("j")
			b.shows(oldest)
			b.key(kb.ArrowUp)
			b.shows(middle)
			b.reads("title, #detail h2", "451")
			b.key("\r")
			b.until(`document.activeElement.id === "detail"`)
			if !value[bool](b, `document.title.includes("vr_error_451") && window.loadedOnce === 1 && document.querySelectorAll("#detail .copy").length > 2`) {
				t.Error("the page was loaded again, or has another title, or no copy buttons")
			}
			run(b, chromedp.Evaluate[chromedp.Void](`void setTimeout(() => history.back())`))
			b.until(`window.loadedOnce === undefined && document.readyState === "complete"`) // a page of the history is loaded again
			b.shows(oldest)
			b.key("?")
			b.reads("dialog[open]", "send it again")
			b.key("\x1b")
			b.counts(0, "dialog[open]")
			b.loads(chromedp.KeyEvent("r"))
			b.reads("[role=status].notice", "sent again")
			b.counts(5, "#rows li")
			b.key("e")
			b.until(`document.querySelector("#edit").open`)
		},
		// New requests come to the top. The list holds still while somebody is in it, and says how many there are.
		"live": func(t *testing.T, b *tab) {
			for i := range 60 {
				b.ask("GET", fmt.Sprintf("/verification-requests/vr_%d", i), "")
			}
			b.open(b.world + "/journal/")
			b.follows()
			value[bool](b, `(window.loadedOnce = 1, true)`)
			chosen := b.ask("GET", "/verification-requests/vr_error_451", "")
			b.reads("#rows li:first-child", "vr_error_451")
			b.point("#rows li:nth-child(3)")
			b.ask("GET", "/verification-requests/vr_invalid", "")
			b.reads("#fresh", "1 new")
			b.reads("#rows li:first-child", "vr_error_451")
			b.point("h1")
			b.reads("#rows li:first-child", "vr_invalid")
			b.press("Pause")
			b.ask("GET", "/verification-requests/vr_processing", "")
			b.reads("#fresh", "1 new")
			b.press("Go on")
			b.reads("#rows li:first-child", "vr_processing")

			c := &clicks{tab: b}
			c.row(chosen)
			b.point("h1")
			rows := `document.querySelector("#rows")`
			value[bool](b, `(`+rows+`.scrollTop = 300, true)`)
			at := value[float64](b, rows+`.children[20].getBoundingClientRect().top`)
			b.ask("GET", "/verification-requests/vr_canceled", "")
			b.ask("GET", "/verification-requests/vr_action_required", "")
			b.reads("#fresh", "2 new")
			b.reads(".chips [aria-current]", "66")
			if now := value[float64](b, rows+`.children[20].getBoundingClientRect().top`); now < at-2 || now > at+2 {
				t.Errorf("the rows move from %.0f to %.0f", at, now)
			}
			b.press("2 new")
			b.reads("#rows li:first-child", "vr_action_required")
			b.shows(chosen)
			value[bool](b, `(`+rows+`.scrollTop = 1e6, true)`)
			b.counts(66, "#rows li") // the next page comes by itself
			if value[int](b, "window.loadedOnce") != 1 {
				t.Error("the page was loaded again")
			}
		},
		// Twenty rows and more are in sight; a long path pushes nothing out, and shows its end.
		"rows": func(t *testing.T, b *tab) {
			onlyInCI(t)
			b.ask("GET", "/verification-requests/vr_error_451?fields="+strings.Repeat("state,", 200)+"end", "").shows(451)
			for i := range 40 {
				b.ask("GET", fmt.Sprintf("/verification-requests/%s", []string{"vr_completed", "vr_processing"}[i%2]), "")
			}
			long := b.ask("GET", "/verification-requests/vr_error_451?fields="+strings.Repeat("state,", 200)+"end", "")
			for _, path := range []string{b.world + "/journal/", b.entry(long)} {
				run(b, chromedp.EmulateViewport(1440, 900))
				b.open(path)
				for _, width := range []int64{1440, 1280, 1100, 390} {
					if width == 390 && path != b.world+"/journal/" {
						continue
					}
					run(b, chromedp.EmulateViewport(width, 900))
					inSight := value[int](b, `[...document.querySelectorAll("#rows li")].filter((e) => { const at = e.getBoundingClientRect(); return at.top >= 0 && at.bottom <= document.querySelector("#rows").getBoundingClientRect().bottom && at.bottom <= innerHeight }).length`)
					if width > 390 && inSight < 20 {
						t.Errorf("%s at %d shows %d rows", path, width, inSight)
					}
					if high := value[int](b, "document.documentElement.scrollHeight"); width > 1100 && high > 900 {
						t.Errorf("%s at %d scrolls beside its list: it is %d pixels high", path, width, high)
					}
					if high := value[int](b, `document.querySelector("#rows li:nth-child(3)").offsetHeight`); high > 44 || width > 390 && high > 32 {
						t.Errorf("at %d a row is %d pixels high", width, high)
					}
					for _, part := range []string{"time", ".subject"} {
						if !value[bool](b, `[...document.querySelectorAll("#rows li")].every((li) => { const at = li.querySelector("`+part+`").getBoundingClientRect(), row = li.getBoundingClientRect(); return at.width > 0 && at.right <= row.right + 1 })`) {
							t.Errorf("%s at %d pushes %s out", path, width, part)
						}
					}
				}
			}
		},
		// On a telephone the list and the request are pages of their own.
		"telephone": func(t *testing.T, b *tab) {
			asked := b.ask("GET", "/verification-requests/vr_error_451", "")
			run(b, chromedp.EmulateViewport(390, 844))
			b.open(b.world + "/journal/")
			c := &clicks{tab: b}
			c.row(asked)
			b.until(`!document.querySelector("#rows").checkVisibility() && document.activeElement === document.querySelector("#detail")`)
			c.follow("Back to the list")
			b.until(`document.querySelector("#rows").checkVisibility() && !document.querySelector("#detail").checkVisibility()`)
			b.until(`document.querySelector("#rows li:target").id === "entry-` + asked.header.Get("Understudy-Request-Id") + `"`)
		},
		"without scripts": func(t *testing.T, b *tab) {
			asked := b.ask("GET", "/verification-requests/vr_error_451", "")
			b.withoutScript()
			b.open(b.world + "/journal/")
			b.open(value[string](b, `document.querySelector("#rows a").pathname`))
			b.reads("#detail .crumbs", asked.header.Get("Understudy-Request-Id"))
			b.follow("Edit and resend")
			b.follow("Send")
			b.reads(".notice", "sent again")
		},
	}.run(t)
}
