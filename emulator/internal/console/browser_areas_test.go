package console_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestBrowserReads(t *testing.T) {
	tabs{
		"copy buttons of the overview": func(t *testing.T, b *tab) {
			b.open(prefix)
			b.counts(3, "button.copy") // base URL, key and command
		},
		// The catalogue is searched as one types, and a scenario is tried on its page.
		"scenario is found and sends a sample request": func(t *testing.T, b *tab) {
			b.open(prefix + "catalogue")
			all := value[int](b, `document.querySelectorAll("[data-search]").length`)
			b.fill("#q", "vr_slow")
			b.counts(1, "[data-search]:not([hidden])")
			b.counts(all, "[data-search]") // the page was not loaded anew
			b.open(prefix + "catalogue/lifecycle")
			b.reads("pre.yaml", "name: lifecycle")
			b.leave("Read it")
			b.reads("#answer", "200", "GET /verification-requests/vr_lifecycle", `"state": "pending-approval"`)
			b.leave("Read it")
			b.reads("#answer", `"state": "processing"`)
		},
		"report": func(t *testing.T, b *tab) {
			b.open(b.request("vr_completed"))
			b.counts(2, "svg[role=img]")
			if !value[bool](b, `[...document.querySelectorAll("svg[role=img] rect")].every((r) => { const a = r.getBoundingClientRect(), f = r.ownerSVGElement.getBoundingClientRect(); return a.top >= f.top - 1 && a.bottom <= f.bottom + 1 && a.left >= f.left - 1 && a.right <= f.right + 1 })`) {
				t.Error("a bar leaves its picture")
			}
		},
		// The journal shows requests as they come; it can be paused, filtered, and asked why.
		"journal is filled without a reload": func(t *testing.T, b *tab) {
			b.open(b.world + "/journal")
			value[int](b, "window.loadedOnce = 1")
			rows := value[int](b, `document.querySelectorAll("#entries tr").length`)
			b.until(`document.querySelector("table.journal")["htmx-internal-data"]?.sseEventSource?.readyState === 1`)
			b.ask("GET", "/verification-requests/vr_error_451", "").says(451)
			b.reads("#entries tr:first-child", "451")
			b.press("Pause")
			b.ask("GET", "/verification-requests/vr_processing", "").says(200)
			b.ask("GET", "/verification-requests/vr_invalid", "").says(200)
			b.press("Go on (2 more)")
			b.reads("#entries tr:first-child", "vr_invalid")
			b.counts(rows+3, "#entries tr")
			if value[int](b, "window.loadedOnce") != 1 {
				t.Error("the page was loaded anew")
			}
			b.fill(`input[name="status"]`, "4xx")
			b.leave("Filter")
			b.reads("#entries", "vr_error_451")
			b.counts(1, "#entries tr")
			b.leave("GET /verification-requests/vr_error_451")
			b.reads("main", "Request", "Answer", "curl ", "frozen")
			b.reads(".sentence", "rule")
		},
	}.run(t)
}

func TestBrowserSteers(t *testing.T) {
	tabs{
		// Time is pushed on to the next transition, and the state changes with it.
		"clock moves the state": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_lifecycle_timed", "").says(200)
			b.open(b.request("vr_lifecycle_timed"))
			b.reads("[aria-current=step]", "pending approval")
			b.leave("Next step")
			b.reads("[aria-current=step]", "processing")
			b.reads(".clock time", "10:30")
			b.leave("+1 day")
			b.reads("[aria-current=step]", "completed")
			b.open(b.world + "/clock")
			b.leave("Let it run")
			b.reads(".clock .badge", "running")
		},
		// A request is put into a state, a fault onto a world, and a client meets both.
		"forms of request, faults and world": func(t *testing.T, b *tab) {
			b.open(b.request("vr_processing"))
			b.press("Cancel as the service")
			b.fill(`select[name="reason"]`, "expired")
			b.leave("Cancel it")
			b.ask("GET", "/verification-requests/vr_processing", "").has(`"state":"canceled"`)
			b.reads("[aria-current=step], h1 + *, .head", "canceled")

			b.open(b.world + "/faults")
			b.fill(`select[name="status"]`, "500")
			b.fill(`input[name="times"]`, "1")
			b.leave("Put it on")
			b.reads("main", "after 1 more call")
			b.ask("GET", "/verification-requests/vr_completed", "").says(500)
			b.ask("GET", "/verification-requests/vr_completed", "").says(200)

			b.open(b.world)
			b.leave("Reset…")
			b.reads("h1", "Reset")
			b.leave("Reset the world")
			b.ask("GET", "/verification-requests/vr_processing", "").has(`"state":"processing"`)
		},
		// A state that the spec does not allow is refused in place, with what was written kept; and is forced.
		"forbidden state is refused": func(t *testing.T, b *tab) {
			b.expect("409")
			b.open(b.request("vr_completed"))
			b.press("Put it into a state")
			b.fill(`select[name="state"]`, "processing")
			b.leave("Put it there")
			b.reads("[role=alert]", "cannot become processing")
			run(b, chromedp.Click(chromedp.CSS(`input[name="force"]`), chromedp.NodeVisible))
			b.leave("Put it there")
			b.reads("[aria-current=step], .head", "processing")
		},
	}.run(t)
}

func TestBrowserWorld(t *testing.T) {
	tabs{
		// The exact state of a world goes out as a file and comes back into another.
		"snapshot is restored": func(t *testing.T, b *tab) {
			b.ask("PUT", "/verification-requests/vr_pending_approval/cancel", `{"cancellation_reason":"other"}`).says(200)
			b.open(b.world + "/snapshot")
			link := value[string](b, `document.querySelector("a[download]").href`)
			file := filepath.Join(t.TempDir(), "snapshot.json")
			if err := os.WriteFile(file, []byte(b.get(strings.TrimPrefix(link, b.url)).says(200).body), 0o600); err != nil {
				t.Fatal(err)
			}
			b.post(b.world + "/reset").says(303)
			b.ask("GET", "/verification-requests/vr_pending_approval", "").has(`"state":"pending-approval"`)
			b.open(b.world + "/snapshot")
			run(b, chromedp.SetUploadFiles(chromedp.CSS(`input[type="file"]`), []string{file}))
			run(b, chromedp.Click(chromedp.CSS(`input[name="sure"]`), chromedp.NodeVisible))
			b.leave("Replace this world")
			b.ask("GET", "/verification-requests/vr_pending_approval", "").has(`"state":"canceled"`)
		},
		// Without scripts everything is read, and forms post.
		"without scripts": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_lifecycle_timed", "").says(200)
			b.withoutScript()
			b.open(b.request("vr_lifecycle_timed"))
			b.reads("[aria-current=step]", "pending approval")
			b.leave("Next step")
			b.reads("[aria-current=step]", "processing")
			b.open(prefix + "catalogue?q=vr_slow")
			b.counts(1, "[data-search]")
			b.open(prefix + "catalogue/completed")
			b.leave("Read it")
			b.reads("#answer", "200")
			b.open(b.world + "/journal")
			b.reads("#entries", "vr_lifecycle_timed")
		},
	}.run(t)
}

// With a control token the console asks for it, once.
func TestBrowserToken(t *testing.T) {
	t.Parallel()
	b := look(t, emulator.WithControlToken("correct-horse"))
	b.expect("401")
	b.open(prefix + "catalogue")
	b.reads("h1", "token")
	b.fill(`input[name="token"]`, "wrong-horse")
	b.leave("Enter")
	b.reads("[role=alert]", "token")
	b.fill(`input[name="token"]`, "correct-horse")
	b.leave("Enter")
	b.reads("h1", "Catalogue")
	b.open(prefix + "worlds")
	b.reads("h1", "Worlds")
	if cookies := value[string](b, "document.cookie"); cookies != "" {
		t.Errorf("scripts see the cookie: %s", cookies)
	}
}
