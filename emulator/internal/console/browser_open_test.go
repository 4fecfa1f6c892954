package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// offline disconnects the page from the server, or connects it again.
func (b *tab) offline(away bool) {
	b.t.Helper()
	conditions := []*network.Conditions{}
	if away {
		conditions = append(conditions, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	command(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
}

// look makes the page send at once the requests that it sends every few seconds.
func (b *tab) look() {
	b.t.Helper()
	value[bool](b, `window.dispatchEvent(new Event("focus"))`)
}

func TestBrowserOpenPage(t *testing.T) {
	tabs{
		"server is down": func(t *testing.T, b *tab) {
			b.expect("ERR_INTERNET_DISCONNECTED", "htmx:afterRequest", "htmx:sendError")
			b.open(b.request("vr_completed"))
			b.offline(true)
			b.look()
			b.reads("#line[role=status]", "Disconnected, reconnecting")
			b.offline(false)
			b.look()
			b.until(`document.getElementById("line").textContent === ""`)
		},
		// After the deletion an open page sends no more requests.
		"world is deleted": func(t *testing.T, b *tab) {
			b.expect("404", "htmx:responseError", "[object Event]") // of a stream that is refused before the page has asked
			for _, page := range []string{"/clock", "/journal"} {
				b.ask("GET", "/verification-requests/vr_completed", "").shows(200)
				b.open(b.world + page)
				b.post(b.world + "/delete").shows(303)
				b.look()
				b.reads("#line[role=status]", "This world no longer exists.")
				b.counts(0, "[hx-get], [sse-connect]")
			}
			b.follow("Worlds")
			b.reads("h1", "Worlds")
		},
		// An open page shows the new state of its request, and a field that is being filled stays as it is.
		"follows its request": func(t *testing.T, b *tab) {
			b.open(b.request("vr_lifecycle"))
			b.press("Set fields")
			b.fill(`textarea[name="fields"]`, "typed")
			for _, state := range []string{"pending approval", "processing", "completed"} {
				b.ask("GET", "/verification-requests/vr_lifecycle", "").shows(200)
				b.look()
				b.reads("[aria-current=step]", state)
				b.reads(".head #state", state)
			}
			b.reads("#changed[role=status]", "This has changed since it was opened.")
			b.until(`document.querySelector("textarea[name=fields]").value === "typed"`)
			b.follow("Reload")
			b.reads("main", "Employer")
			b.until(`document.getElementById("changed").textContent === ""`)
		},
	}.run(t)
}

func TestBrowserLayout(t *testing.T) {
	tabs{
		// The header has two lines on a desktop; on a telephone it has three, of which the clock stays in sight.
		"header leaves room": func(t *testing.T, b *tab) {
			for _, screen := range []struct {
				width      int64
				most, rest int // pixels of the header, at the top of the page and further down
			}{{1280, 100, 100}, {375, 130, 50}} {
				run(b, chromedp.EmulateViewport(screen.width, 700))
				b.open(b.request("vr_completed"))
				if high := value[int](b, `document.querySelector(".top").offsetHeight`); high > screen.most {
					t.Errorf("at %d the header is %d pixels high, want at most %d", screen.width, high, screen.most)
				}
				value[bool](b, `(scrollTo(0, 600), true)`)
				b.until(`scrollY > 300`)
				if rest := value[float64](b, `document.querySelector(".top").getBoundingClientRect().bottom`); rest > float64(screen.rest) {
					t.Errorf("at %d the header takes %.0f pixels, want at most %d", screen.width, rest, screen.rest)
				}
				if !value[bool](b, `((r) => r.top >= 0 && r.bottom < 100 && r.right <= innerWidth)(document.querySelector(".top .instant").getBoundingClientRect())`) {
					t.Errorf("at %d the clock is out of sight", screen.width)
				}
			}
		},
		// A telephone shows whole requests; a long one takes at most two lines.
		"journal fits a telephone": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_error_451?fields="+strings.Repeat("state,", 200), "").shows(451)
			for _, width := range []int64{1280, 375} {
				run(b, chromedp.EmulateViewport(width, 800))
				b.open(b.world + "/journal")
				for _, part := range []string{".why", "time", "td:nth-child(4)", ".number"} {
					if right := value[float64](b, `document.querySelector("#entries tr `+part+`").getBoundingClientRect().right`); right > float64(width) {
						t.Errorf("at %d %s ends at %.0f", width, part, right)
					}
				}
				if high := value[int](b, `document.querySelector("#entries th a").offsetHeight`); high > 56 {
					t.Errorf("at %d a long query is %d pixels high", width, high)
				}
				b.reads("caption", "new ones appear here")
			}
			b.withoutScript()
			b.open(b.world + "/journal")
			b.reads("caption", "The latest first. The last")
		},
	}.run(t)
}

func TestBrowserAddressAndScroll(t *testing.T) {
	tabs{
		// A copy button stands beside its text, also beside a long line that is cut off.
		"copy button does not cover its text": func(t *testing.T, b *tab) {
			for _, width := range []int64{1280, 375} {
				run(b, chromedp.EmulateViewport(width, 800))
				b.open(prefix + "catalogue/fault-truncated")
				b.follow("Read it")
				b.reads("#answer", "broken off in the middle of the answer")
				const covered = `[...document.querySelectorAll(".copied")].filter((c) => { const [pre, button] = [...c.children].map((e) => e.getBoundingClientRect()); return pre.right > button.left && pre.bottom > button.top }).length`
				if n := value[int](b, covered); n != 0 {
					t.Errorf("at %d %d buttons are over their text", width, n)
				}
			}
		},
		// Forms stand in the same place on the pages of all resources, also on a telephone.
		"forms come first": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(375, 800))
			for _, page := range []string{"/verification-requests/vr_completed", "/qualification-checks/qc_qualified", "/tenant-properties/tp_default"} {
				b.open(b.world + page)
				if !value[bool](b, `document.querySelector(".side").getBoundingClientRect().top < document.querySelector(".body").getBoundingClientRect().top`) {
					t.Errorf("%s: what steers it comes last", page)
				}
			}
		},
		// The open world chooser folds on Escape, and on a click elsewhere.
		"world chooser folds": func(t *testing.T, b *tab) {
			b.open(b.world)
			for _, folds := range []string{
				`document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))`,
				`document.querySelector("main").click() === undefined`,
			} {
				value[bool](b, `(document.querySelector(".chooser summary").click(), true)`)
				b.until(`document.querySelector(".chooser").open`)
				value[bool](b, folds)
				b.until(`!document.querySelector(".chooser").open`)
			}
		},
	}.run(t)
}
