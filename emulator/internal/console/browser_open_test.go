package console_test

import (
	"math"
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
			for _, page := range []string{"/clock", "/journal/"} {
				b.ask("GET", "/verification-requests/vr_completed", "").shows(200)
				b.open(b.world + page)
				b.post(b.world + "/delete").shows(303)
				b.look()
				b.reads("#line[role=status]", "This world no longer exists.")
				b.counts(0, "[hx-get]")
			}
			if to := value[string](b, `document.querySelector("#line a").pathname`); to != prefix+"worlds" {
				t.Errorf("leads to %s", to)
			}
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
			b.reads(".report", "Employer")
			b.until(`document.querySelector("textarea[name=fields]").value === "typed"`)

			b.expect("404", "htmx:responseError")
			b.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine"}`).shows(201)
			b.open(b.request("vr_mine"))
			b.ask("DELETE", prefix+"v1/verification-requests/vr_mine", "").shows(204)
			b.look()
			b.reads("#line[role=status]", "The world no longer has this.")
		},
	}.run(t)
}

func TestBrowserLayout(t *testing.T) {
	onlyInCI(t)
	tabs{
		// A copy button stands beside its text, also beside a long line that is cut off.
		"copy button does not cover its text": func(t *testing.T, b *tab) {
			b.open(prefix + "catalogue/fault-truncated")
			for _, width := range []int64{1280, 375} {
				run(b, chromedp.EmulateViewport(width, 800))
				const covered = `[...document.querySelectorAll(".copied")].filter((c) => { const [pre, button] = [...c.children].map((e) => e.getBoundingClientRect()); return pre.right > button.left && pre.bottom > button.top }).length`
				if n := value[int](b, covered); n != 0 {
					t.Errorf("at %d %d buttons are over their text", width, n)
				}
			}
		},
		// A telephone shows what happens next, then the report, then what steers and what happened.
		"next step comes first": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(375, 800))
			for _, page := range []string{"/verification-requests/vr_completed", "/qualification-checks/qc_qualified", "/tenant-properties/tp_default"} {
				b.open(b.world + page)
				if !value[bool](b, `((tops) => tops.length === 4 && tops.every((top, i) => !i || top >= tops[i - 1]))([".live", ".body", ".steer", "#events"].map((part) => document.querySelector(part).getBoundingClientRect().top))`) {
					t.Errorf("%s: the parts are in another order", page)
				}
			}
		},
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
	}.run(t)
}

// The bars of a telephone show all that is in them, and the bar at the bottom is filled, also when there is no world.
func TestBrowserBars(t *testing.T) {
	t.Parallel()
	onlyInCI(t)
	b := look(t)
	bars := func(path string) {
		b.open(path)
		for _, width := range []int64{360, 390, 768} {
			run(b, chromedp.EmulateViewport(width, 800))
			if hidden := value[[]string](b, `[...document.querySelectorAll(".top a, .top button, .top input:not([type=hidden]), .top .badge, .top time")].filter((e) => e.checkVisibility() && (e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")).map((e) => e.outerHTML.slice(0, 120))`); len(hidden) > 0 {
				t.Errorf("%s at %d: cut off: %s", path, width, hidden)
			}
			places := value[[]float64](b, `[...document.querySelectorAll(".bottom-bar > *")].map((e) => e.getBoundingClientRect()).flatMap((r) => [r.left, r.right])`)
			each := float64(width) / float64(len(places)/2)
			for i, edge := range places {
				if math.Abs(edge-each*float64((i+1)/2)) > 1 {
					t.Errorf("%s at %d: the places of the bar are at %v", path, width, places)
					break
				}
			}
		}
	}
	bars(b.world + "/clock")
	b.post(b.world + "/delete").shows(303)
	bars(prefix)
}
