package console_test

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// browser is the browser of all tests; each has tabs of its own.
var browser = struct {
	start sync.Once
	tabs  context.Context // parent of the contexts of tabs
	end   context.CancelFunc
	err   error
}{end: func() {}}

func TestMain(m *testing.M) {
	code := m.Run()
	browser.end()
	os.Exit(code)
}

// startBrowser starts a headless Chromium without requests of its own.
func startBrowser(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("the console is not tested in a browser: -short")
	}
	program, err := findBrowser()
	if err != nil && ci {
		t.Fatal("the console is tested in Chromium, which CI must have: apt-get install chromium-headless-shell")
	}
	if err != nil {
		t.Skip("the console is tested in Chromium, which is not here: apt-get install chromium-headless-shell")
	}
	browser.start.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1280, 900),
			chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
			chromedp.Flag("force-device-scale-factor", "1"),
		)
		allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		tabs, endTabs := chromedp.NewContext(allocator)
		browser.tabs, browser.end = tabs, func() { endTabs(); endAllocator() }
		_, browser.err = chromedp.Run(tabs, chromedp.Title())
	})
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	return browser.tabs
}

// findBrowser finds a browser. Without a shell of windows it takes a third of the time of the processor.
func findBrowser() (program string, err error) {
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}

// axe checks accessibility (https://github.com/dequelabs/axe-core).
//
//go:embed testdata/axe/axe.min.js
var axe string

// accessible checks the accessibility of the open page: by all rules in one colour scheme and width, and the contrast of colours,
// which follows the scheme, in others.
func (b *tab) accessible(rules, scheme string, width int64) {
	b.t.Helper()
	b.prefer(scheme)
	run(b, chromedp.EmulateViewport(width, 844))
	value[int](b, `document.getAnimations().map((a) => a.finish()).length`) // colours are checked at rest
	for _, violation := range value[[]string](b, `axe.run({resultTypes: ["violations"]`+rules+`}).then((r) => r.violations.map((v) =>
		[v.id, v.impact, v.help, v.nodes[0].html, v.nodes[0].failureSummary].join("\n")))`) {
		b.t.Errorf("%s, %d pixels wide: %s", scheme, width, violation)
	}
}

// isAccessible checks the accessibility of the open page in both colour schemes, on a desktop and on a telephone.
func (b *tab) isAccessible() {
	b.t.Helper()
	run(b, chromedp.Evaluate[chromedp.Void](axe))
	const contrast = `, runOnly: ["color-contrast"]`
	b.accessible("", "light", 1280)
	b.accessible(contrast, "dark", 1280)
	b.accessible("", "dark", 375)
	b.accessible(contrast, "light", 375)
}

// fits checks the open page on a telephone. Nothing is wider than the screen, except elements with a scroll bar of their own. A
// finger hits all controls: those in a label by the label. Links within a text, and what folds JSON, are as high as their line.
func (b *tab) fits() {
	b.t.Helper()
	run(b, chromedp.EmulateViewport(375, 844))
	if width := value[int](b, "document.documentElement.scrollWidth"); width > 375 {
		b.t.Errorf("it is %d pixels wide:\n%s", width, strings.Join(value[[]string](b, fmt.Sprintf(beyond, 376)), "\n"))
	}
	if small := value[[]string](b, `[...document.querySelectorAll("button, .button, .chip, nav a, .rows a, .hit, .top a, select, textarea, summary:not(pre *), input:not([type=hidden])")].filter((e) =>
		e.checkVisibility() && (e.matches("[type=radio], [type=checkbox]") ? e.closest("label") : e).getBoundingClientRect().height < 39.5).map((e) => e.outerHTML.slice(0, 120))`); len(small) > 0 {
		b.t.Errorf("less than 40 pixels high:\n%s", strings.Join(small, "\n"))
	}
}

// ci reports whether all is walked and looked at, which takes minutes.
var ci = os.Getenv("CI") == "true"

// onlyInCI skips the test where not all is looked at.
func onlyInCI(t *testing.T) {
	t.Helper()
	if !ci {
		t.Skip("with CI=true only")
	}
}

// walked returns what a walk visits: all in CI, else every seventh.
func walked[T any](all []T) (some []T) {
	for i, one := range all {
		if i%7 == 0 || ci {
			some = append(some, one)
		}
	}
	return some
}

// Each page is opened once, below a prefix that the emulator does not have: all is loaded from below it. With CI=true it is looked
// at in both colour schemes, and on a telephone.
func TestBrowserEveryPage(t *testing.T) {
	t.Parallel()
	startBrowser(t) // first: without a browser the test is skipped
	v := visit(t)
	all := walked(pages(v))
	v.url = below(t, v.url)
	b := v.tab()
	for _, page := range all {
		run(b, chromedp.EmulateViewport(1280, 844))
		b.open(page)
		b.until(`[...document.images].every((i) => i.complete && i.naturalWidth > 0) && getComputedStyle(document.body).fontFamily.includes("Geist")`)
		if ci {
			b.isAccessible()
			b.fits()
		}
		if t.Failed() {
			t.Fatal(page)
		}
	}
}

// The Tab key reaches all links and controls, in sight, in the order of the page, which stays as it is meanwhile.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	onlyInCI(t)
	b := look(t)
	const all = `[...document.querySelectorAll("a[href], button, input:not([type=hidden], [type=radio]:not(:checked)), select, textarea, summary")].filter((e) => e.checkVisibility())`
	for _, path := range []string{prefix, prefix + "catalogue/lifecycle", b.world + "/clock", b.world + "/journal/", b.request("vr_processing")} {
		b.open(path)
		value[bool](b, `(document.body.addEventListener("htmx:beforeSwap", (event) => event.preventDefault()), true)`)
		for range value[int](b, all+".length") + 20 { // a field for an instant has many parts
			run(b, chromedp.KeyEvent("\t"))
			if !value[bool](b, `((e) => { if (e === document.body || e.dataset.seen) return true; e.dataset.seen = 1; const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none" })(document.activeElement)`) {
				t.Errorf("%s: nobody sees that the focus is on %s", path, value[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
			}
		}
		if missed := value[[]string](b, all+`.filter((e) => !e.dataset.seen).map((e) => e.outerHTML.slice(0, 120))`); len(missed) > 0 {
			t.Errorf("%s: not reached: %s", path, strings.Join(missed, "\n"))
		}
	}
}

var update = flag.Bool("update", false, "rewrite the pictures of README and docs")

// The pictures of README and docs exist and have the right size. Their pixels depend on the machine's fonts.
func TestBrowserPictures(t *testing.T) {
	t.Parallel()
	if !*update {
		onlyInCI(t)
	}
	b := look(t)
	chosen := ""
	for _, path := range []string{"vr_completed", "vr_lifecycle", "vr_lifecycle", "vr_flaky", "vr_lifecyle", "vr_error_451", "vr_completed?fields=id,state,repots"} {
		if a := b.ask("GET", "/verification-requests/"+path, ""); path == "vr_error_451" {
			chosen = b.entry(a)
		}
	}
	b.ask("PUT", "/verification-requests/vr_pending_approval/cancel", `{"cancellation_reason":"other"}`).shows(200)
	b.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay House"}`).shows(200)
	run(b, chromedp.EmulateViewport(1280, 800))
	for file, path := range map[string]string{"../../../docs/report.png": b.request("vr_completed"), "../../../docs/journal.png": chosen} {
		b.open(path)
		taken := run(b, chromedp.CaptureScreenshot())
		if *update {
			if err := os.WriteFile(file, taken, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		picture, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("%v: go test ./emulator/internal/console -run Pictures -update", err)
		}
		now, err := png.DecodeConfig(bytes.NewReader(taken))
		if err != nil {
			t.Fatal(err)
		}
		then, err := png.DecodeConfig(bytes.NewReader(picture))
		if err != nil || then.Width != now.Width || then.Height != now.Height {
			t.Errorf("%s is %d by %d, not %d by %d (%v)", file, then.Width, then.Height, now.Width, now.Height, err)
		}
		if len(picture) > 200<<10 {
			t.Errorf("%s has %d bytes: a reader waits for them", file, len(picture))
		}
	}
}
