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
		"copy buttons of the first page": func(t *testing.T, b *tab) {
			b.open(prefix)
			b.counts(7, "button.copy") // base URL, key and five snippets
		},
		"scenario sends a sample request": func(t *testing.T, b *tab) {
			b.open(prefix + "catalogue/lifecycle")
			b.reads("pre.yaml", "name: lifecycle")
			b.follow("Read it")
			b.reads("#answer", "200", "GET /verification-requests/vr_lifecycle", `"state": "pending-approval"`)
			b.follow("Read it")
			b.reads("#answer", `"state": "processing"`)
		},
		"report": func(t *testing.T, b *tab) {
			b.open(b.request("vr_completed"))
			b.counts(2, "svg[role=img]")
			if !value[bool](b, `[...document.querySelectorAll("svg[role=img] g rect")].every((r) => { const a = r.getBoundingClientRect(), f = r.ownerSVGElement.getBoundingClientRect(); return a.top >= f.top - 1 && a.bottom <= f.bottom + 1 && a.left >= f.left - 1 && a.right <= f.right + 1 })`) {
				t.Error("a bar leaves its picture")
			}
		},
	}.run(t)
}

func TestBrowserSteers(t *testing.T) {
	tabs{
		// The clock moves to the next transition, and the state changes with it.
		"clock moves the state": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_lifecycle_timed", "").shows(200)
			b.open(b.request("vr_lifecycle_timed"))
			b.reads("[aria-current=step]", "pending approval")
			b.press("Next step by the clock")
			b.reads("[aria-current=step]", "processing")
			b.reads(".clock time", "10:30")
			b.press("+1 day on the clock")
			b.reads("[aria-current=step]", "completed")
			b.open(b.world + "/clock")
			b.press("Let it run")
			b.reads(".clock .badge", "running")
		},
		// A client gets the new state of a request, and the fault of the world.
		"forms of request, faults and world": func(t *testing.T, b *tab) {
			b.open(b.request("vr_processing"))
			b.press("Cancel as the service")
			b.fill(`select[name="reason"]`, "expired")
			b.follow("Cancel it")
			b.ask("GET", "/verification-requests/vr_processing", "").has(`"state":"canceled"`)
			b.reads("[aria-current=step], h1 + *, .head", "canceled")

			b.open(b.world + "/faults")
			b.press("Another rule")
			b.fill(`select[name="status"]`, "500")
			b.fill(`input[name="times"]`, "1")
			b.follow("Put it on")
			b.reads("main", "after 1 more call")
			b.ask("GET", "/verification-requests/vr_completed", "").shows(500)
			b.ask("GET", "/verification-requests/vr_completed", "").shows(200)

			b.open(b.world)
			b.follow("Reset…")
			b.reads("h1", "Reset")
			b.follow("Reset the world")
			b.ask("GET", "/verification-requests/vr_processing", "").has(`"state":"processing"`)
		},
		// A forbidden state is refused with the form as it was, and can be forced.
		"forbidden state is refused": func(t *testing.T, b *tab) {
			b.expect("409")
			b.open(b.request("vr_completed"))
			b.press("Put it into a state")
			b.fill(`select[name="state"]`, "processing")
			b.follow("Put it there")
			b.reads("[role=alert]", "cannot become processing")
			run(b, chromedp.Click(chromedp.CSS(`input[name="force"]`), chromedp.NodeVisible))
			b.follow("Put it there")
			b.reads("[aria-current=step], .head", "processing")
		},
	}.run(t)
}

func TestBrowserWorld(t *testing.T) {
	tabs{
		// A downloaded world is restored in another.
		"snapshot is restored": func(t *testing.T, b *tab) {
			b.ask("PUT", "/verification-requests/vr_pending_approval/cancel", `{"cancellation_reason":"other"}`).shows(200)
			b.open(b.world + "/snapshot")
			link := value[string](b, `document.querySelector("a[download]").href`)
			file := filepath.Join(t.TempDir(), "snapshot.json")
			if err := os.WriteFile(file, []byte(b.get(strings.TrimPrefix(link, b.url)).shows(200).body), 0o600); err != nil {
				t.Fatal(err)
			}
			b.post(b.world + "/reset").shows(303)
			b.ask("GET", "/verification-requests/vr_pending_approval", "").has(`"state":"pending-approval"`)
			b.open(b.world + "/snapshot")
			run(b, chromedp.SetUploadFiles(chromedp.CSS(`form:has([name=sure]) input[type=file]`), []string{file}))
			run(b, chromedp.Click(chromedp.CSS(`input[name="sure"]`), chromedp.NodeVisible))
			b.follow("Replace this world")
			b.ask("GET", "/verification-requests/vr_pending_approval", "").has(`"state":"canceled"`)
		},
		// Without scripts pages are complete, and forms post.
		"without scripts": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_lifecycle_timed", "").shows(200)
			b.withoutScript()
			b.open(b.request("vr_lifecycle_timed"))
			b.reads("[aria-current=step]", "pending approval")
			b.follow("Next step by the clock")
			b.reads("[aria-current=step]", "processing")
			b.open(prefix + "catalogue?q=timeout")
			b.reads("#scenarios", "vr_slow")
			b.open(prefix + "catalogue/completed")
			b.follow("Read it")
			b.reads("#answer", "200")
			b.open(b.world + "/journal/")
			b.reads("#rows", "vr_lifecycle_timed")
		},
	}.run(t)
}

// With a control token the console asks for it once.
func TestBrowserToken(t *testing.T) {
	t.Parallel()
	b := look(t, emulator.WithControlToken("correct-horse"))
	b.expect("401")
	b.open(prefix + "catalogue")
	b.reads("h1", "token")
	b.fill(`input[name="token"]`, "wrong-horse")
	b.follow("Log in")
	b.reads("[role=alert]", "token")
	b.fill(`input[name="token"]`, "correct-horse")
	b.follow("Log in")
	b.reads("h1", "Catalogue")
	b.open(prefix + "worlds")
	b.reads("h1", "Worlds")
	if cookies := value[string](b, "document.cookie"); cookies != "" {
		t.Errorf("scripts see the cookie: %s", cookies)
	}
}
