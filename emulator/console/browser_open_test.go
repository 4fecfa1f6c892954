package console_test

import (
	"testing"

	"github.com/chromedp/cdproto/network"
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

// A page that stays open says that its server does not answer, for as long as it does not.
func TestInABrowserAnOpenPageSaysThatItsServerIsDown(t *testing.T) {
	t.Parallel()
	b := look(t)
	b.expect("ERR_INTERNET_DISCONNECTED")
	b.expect("htmx:afterRequest")
	b.expect("htmx:sendError")
	b.open(b.request("vr_completed"))
	b.offline(true)
	b.look()
	b.reads("#line[role=status]", "Disconnected, trying again")
	b.offline(false)
	b.look()
	b.until(`document.getElementById("line").textContent === ""`)
}

// Of a world that was deleted meanwhile, an open page says so once and asks no more.
func TestInABrowserAnOpenPageSaysThatItsWorldIsGone(t *testing.T) {
	t.Parallel()
	b := look(t)
	b.expect("404")
	b.expect("htmx:responseError")
	for _, page := range []string{"/clock", "/journal"} {
		b.ask("GET", "/verification-requests/vr_completed", "").says(200)
		b.open(b.world + page)
		b.post(b.world + "/delete").says(303)
		b.look()
		b.reads("#line[role=status]", "This world is gone.")
		if asking := value[int](b, `document.querySelectorAll("[hx-get], [sse-connect]").length`); asking != 0 {
			t.Errorf("%s: %d parts still ask", page, asking)
		}
	}
	b.leave("Worlds")
	b.reads("h1", "Worlds")
}

// What moves a request meanwhile is seen on its open page, and what is being typed stays.
func TestInABrowserAnOpenPageMovesWithItsRequest(t *testing.T) {
	t.Parallel()
	b := look(t)
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
}

// What is unfolded to choose a world folds again on Escape, and on a click elsewhere.
func TestInABrowserTheWorldChooserFolds(t *testing.T) {
	t.Parallel()
	b := look(t)
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
}
