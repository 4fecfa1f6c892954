package console_test

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

var update = flag.Bool("update", false, "take the pictures of README anew")

// README shows two pictures of the console, as it is. Pixels differ from one machine's fonts to another's, so that it is
// their being there, and their size, that a test can hold.
func TestBrowserPictures(t *testing.T) {
	t.Parallel()
	b := look(t)
	for _, path := range []string{"vr_completed", "vr_lifecycle", "vr_lifecycle", "vr_flaky", "vr_lifecyle", "vr_error_451", "vr_completed?fields=id,state,repots"} {
		b.ask("GET", "/verification-requests/"+path, "")
	}
	b.ask("PUT", "/verification-requests/vr_pending_approval/cancel", `{"cancellation_reason":"other"}`).says(200)
	b.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay House"}`).says(200)
	run(b, chromedp.EmulateViewport(1200, 820))
	for file, path := range map[string]string{"report.png": b.request("vr_completed"), "journal.png": b.world + "/journal"} {
		b.open(path)
		run(b, chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll("h4")].find((h) => h.textContent === "Earnings")?.scrollIntoView()`))
		taken := run(b, chromedp.CaptureScreenshot())
		if *update {
			if err := os.WriteFile(file, taken, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v: go test ./emulator/console -run Pictures -update", err)
		}
		now, err := png.DecodeConfig(bytes.NewReader(taken))
		if err != nil {
			t.Fatal(err)
		}
		then, err := png.DecodeConfig(bytes.NewReader(kept))
		if err != nil || then.Width != now.Width || then.Height != now.Height {
			t.Errorf("%s is %d by %d, not %d by %d (%v)", file, then.Width, then.Height, now.Width, now.Height, err)
		}
		if len(kept) > 200<<10 {
			t.Errorf("%s has %d bytes: a reader waits for them", file, len(kept))
		}
	}
}
