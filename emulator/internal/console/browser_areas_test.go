package console_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/understudy-sandbox/understudy/emulator"
)

// The clock moves to the next transition, and the state changes with it.
func TestBrowserSteers(t *testing.T) {
	t.Parallel()
	b := look(t)
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
}

// The report of a trial is read from its file.
func TestBrowserTrial(t *testing.T) {
	t.Parallel()
	b := look(t)
	file := filepath.Join(t.TempDir(), "trial.json")
	if err := os.WriteFile(file, []byte(trialReport), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(prefix + "trial")
	run(b, chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{file}))
	b.follow("Show")
	b.reads("table", "cancel: truncated, first call")
	run(b, chromedp.Click(chromedp.CSS("tbody:last-of-type summary"), chromedp.NodeVisible))
	b.reads("details[open] .diff", "→ 500")
	b.isAccessible()
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
