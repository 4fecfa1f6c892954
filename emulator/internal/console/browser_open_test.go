package console_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// offline takes the server away from the page, or gives it back.
func (b *tab) offline(away bool) {
	b.t.Helper()
	conditions := []*network.Conditions{}
	if away {
		conditions = append(conditions, &network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
	}
	command(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
}

// look has the page ask at once what it asks every few seconds.
func (b *tab) look() {
	b.t.Helper()
	value[bool](b, `window.dispatchEvent(new Event("focus"))`)
}

func TestBrowserOpenPage(t *testing.T) {
	tabs{
		// A page that stays open says that its server does not answer, for as long as it does not.
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
		// Of a world that was deleted meanwhile, an open page says so once and asks no more.
		"world is deleted": func(t *testing.T, b *tab) {
			b.expect("404", "htmx:responseError", "[object Event]") // of a stream that is refused before the page has asked
			for _, page := range []string{"/clock", "/journal"} {
				b.ask("GET", "/verification-requests/vr_completed", "").says(200)
				b.open(b.world + page)
				b.post(b.world + "/delete").says(303)
				b.look()
				b.reads("#line[role=status]", "This world no longer exists.")
				b.counts(0, "[hx-get], [sse-connect]")
			}
			b.leave("Worlds")
			b.reads("h1", "Worlds")
		},
		// What moves a request meanwhile is seen on its open page, and what is being typed stays.
		"follows its request": func(t *testing.T, b *tab) {
			b.open(b.request("vr_lifecycle"))
			b.press("Set fields")
			b.fill(`textarea[name="fields"]`, "typed")
			for _, state := range []string{"pending approval", "processing", "completed"} {
				b.ask("GET", "/verification-requests/vr_lifecycle", "").says(200)
				b.look()
				b.reads("[aria-current=step]", state)
				b.reads(".head #state", state)
			}
			b.reads("#changed[role=status]", "This has changed since it was opened.")
			b.until(`document.querySelector("textarea[name=fields]").value === "typed"`)
			b.leave("Reload")
			b.reads("main", "Employer")
			b.until(`document.getElementById("changed").textContent === ""`)
		},
	}.run(t)
}

func TestBrowserLayout(t *testing.T) {
	tabs{
		// The header leaves the page its room: two lines on a desk; on a telephone three that go but for the clock.
		"header leaves room": func(t *testing.T, b *tab) {
			for _, screen := range []struct {
				width      int64
				most, kept int // pixels of the header, at the top of the page and further down
			}{{1280, 100, 100}, {375, 130, 50}} {
				run(b, chromedp.EmulateViewport(screen.width, 700))
				b.open(b.request("vr_completed"))
				if high := value[int](b, `document.querySelector(".top").offsetHeight`); high > screen.most {
					t.Errorf("at %d the header is %d pixels high, want at most %d", screen.width, high, screen.most)
				}
				value[bool](b, `(scrollTo(0, 600), true)`)
				b.until(`scrollY > 300`)
				if kept := value[float64](b, `document.querySelector(".top").getBoundingClientRect().bottom`); kept > float64(screen.kept) {
					t.Errorf("at %d the header keeps %.0f pixels, want at most %d", screen.width, kept, screen.kept)
				}
				if !value[bool](b, `((r) => r.top >= 0 && r.bottom < 100 && r.right <= innerWidth)(document.querySelector(".top .instant").getBoundingClientRect())`) {
					t.Errorf("at %d the clock is out of sight", screen.width)
				}
			}
		},
		// A request in the journal is seen whole on a telephone, and a long one takes no more than two lines anywhere.
		"journal fits a telephone": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_error_451?fields="+strings.Repeat("state,", 200), "").says(451)
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

func TestBrowserPlaces(t *testing.T) {
	tabs{
		// A button to copy with stands beside what it copies, also beside a long line that is cut off.
		"copy button does not cover its text": func(t *testing.T, b *tab) {
			for _, width := range []int64{1280, 375} {
				run(b, chromedp.EmulateViewport(width, 800))
				b.open(prefix + "catalogue/fault-truncated")
				b.leave("Read it")
				b.reads("#answer", "broken off in the middle of the answer")
				const covered = `[...document.querySelectorAll(".copied")].filter((c) => { const [pre, button] = [...c.children].map((e) => e.getBoundingClientRect()); return pre.right > button.left && pre.bottom > button.top }).length`
				if n := value[int](b, covered); n != 0 {
					t.Errorf("at %d %d buttons are over their text", width, n)
				}
			}
		},
		// What is steered comes at the same place on the page of every resource, on a telephone too.
		"forms come first": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(375, 800))
			for _, page := range []string{"/verification-requests/vr_completed", "/qualification-checks/qc_qualified", "/tenant-properties/tp_default"} {
				b.open(b.world + page)
				if !value[bool](b, `document.querySelector(".side").getBoundingClientRect().top < document.querySelector(".body").getBoundingClientRect().top`) {
					t.Errorf("%s: what steers it comes last", page)
				}
			}
		},
		// What is unfolded to choose a world folds again on Escape, and on a click elsewhere.
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
