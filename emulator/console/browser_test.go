package console_test

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// browser is the one that all tests share, each in tabs of its own.
var browser = struct {
	start sync.Once
	tabs  context.Context // of which those of the tabs are made
	end   context.CancelFunc
	err   error
}{end: func() {}}

func TestMain(m *testing.M) {
	code := m.Run()
	browser.end()
	os.Exit(code)
}

// startBrowser starts a headless Chromium that talks to nobody by itself.
func startBrowser(t testing.TB) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("the console is not tested in a browser: -short")
	}
	program, err := findBrowser()
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal("the console is tested in Chromium, which CI must have: apt-get install chromium")
	}
	if err != nil {
		t.Skip("the console is tested in Chromium, which is not here: apt-get install chromium")
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

func findBrowser() (program string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}
