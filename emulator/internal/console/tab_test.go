package console_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/understudy-sandbox/understudy/emulator"
)

// patience bounds the wait for the expected state of a page.
const patience = time.Minute

// tab is a page of a visitor's console in a browser. When the test ends, the page must have had no unexpected error,
// and have sent requests to the console only.
type tab struct {
	*visitor
	ctx     context.Context
	altered bool // for good: no other test can use the window

	mu       sync.Mutex
	errors   []string
	expected []string // parts of the errors that the test provokes
}

// window is one of the browser, with cookies of its own, which one test after another uses: to open one takes longer than a page.
type window struct {
	ctx   context.Context
	close context.CancelFunc
	tab   atomic.Pointer[tab] // nil: its events concern no test
}

var windows = make(chan *window, 64) // which no test uses

// look starts an emulator and opens a tab on its console.
func look(t testing.TB, options ...emulator.Option) *tab {
	t.Helper()
	startBrowser(t) // first: without a browser the test is skipped
	return visit(t, options...).tab()
}

// tab returns a tab on the console, in a window without history.
func (v *visitor) tab() *tab {
	v.t.Helper()
	b := &tab{visitor: v}
	var w *window
	select {
	case w = <-windows:
	default:
		w = openWindow(v.t)
	}
	w.tab.Store(b)
	b.ctx = w.ctx
	v.t.Cleanup(func() { w.end(b) })
	command(b, network.ClearBrowserCookies, cdp.Empty{})
	command(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{}})
	command(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	command(b, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	return b
}

func openWindow(t testing.TB) *window {
	t.Helper()
	w := &window{}
	w.ctx, w.close = chromedp.NewContext(startBrowser(t), chromedp.WithNewBrowserContext(), chromedp.WithListener(func(event any) {
		if b := w.tab.Load(); b != nil {
			b.record(event)
		}
	}))
	_, err := chromedp.Run(w.ctx, func(ctx context.Context, t *chromedp.Target) (none cdp.Empty, err error) {
		if none, err = cdp.Call(ctx, t, log.Enable, none); err == nil {
			_, err = cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		}
		return none, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// end ends a test's use of a window, and reports its errors.
func (w *window) end(b *tab) {
	w.tab.Store(nil)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.errors {
		b.t.Error(text)
	}
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if _, err := chromedp.Run(ctx, chromedp.Navigate("about:blank")); err != nil || b.altered || b.t.Failed() {
		w.close()
		return
	}
	windows <- w
}

// record records the errors of a page.
func (b *tab) record(event any) {
	errors, text := "", "" // an error, and its text
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		if url := event.Request.URL; !strings.HasPrefix(url, b.url+"/") && !strings.HasPrefix(url, "data:") && !strings.HasPrefix(url, "file:") {
			errors = "a request to " + url
		}
	case *runtime.EventExceptionThrown:
		errors = "an exception: " + event.ExceptionDetails.Text
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.ConsoleAPICalledTypeError || event.Type == runtime.ConsoleAPICalledTypeWarning {
			errors = "the page wrote to the console, as " + string(event.Type) + ": "
			for _, one := range event.Args {
				text += string(one.Value) + one.Description + " "
			}
		}
	case *log.EventEntryAdded:
		if event.Entry.Level == log.EntryLevelError {
			errors, text = "the browser wrote to the console of "+event.Entry.URL+": ", event.Entry.Text
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if errors != "" && !slices.ContainsFunc(b.expected, func(part string) bool { return strings.Contains(text, part) }) {
		b.errors = append(b.errors, errors+text)
	}
}

// expect allows errors with a text, such as the status of a refused form.
func (b *tab) expect(parts ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, parts...)
}

// run runs actions of the browser, and ends the test when one fails.
func run[T any](b *tab, action chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, action)
	if err != nil {
		where, _ := chromedp.Run(b.ctx, chromedp.Location())
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string]("document.body.innerText"))
		b.t.Fatalf("%v, at %s:\n%s", err, where, page)
	}
	return value
}

// command sends the browser a command of its protocol.
func command[P, R any](b *tab, command cdp.Command[P, R], params P) {
	b.t.Helper()
	run(b, func(ctx context.Context, t *chromedp.Target) (R, error) { return cdp.Call(ctx, t, command, params) })
}

// value evaluates an expression on the page.
func value[T any](b *tab, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// pageEnd selects the last element of a page.
const pageEnd = "#keys, footer"

// open goes to a page.
func (b *tab) open(path string) {
	b.t.Helper()
	run(b, chromedp.Steps(chromedp.Navigate(b.url+path), chromedp.WaitReady(chromedp.CSS(pageEnd))))
}

// called finds a control by its name. The bar at the bottom, which telephones have, repeats others.
func called(name string) chromedp.Search {
	return chromedp.Search(`//*[self::button or self::a or self::summary][not(ancestor::*[@class="bottom-bar"])][normalize-space()="` + name + `" or @aria-label="` + name + `"]`)
}

// press clicks something.
func (b *tab) press(name string) {
	b.t.Helper()
	run(b, chromedp.Click(called(name), chromedp.NodeVisible))
}

// follow clicks something that leads to another page, and waits for that.
func (b *tab) follow(name string) {
	b.t.Helper()
	run(b, func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.RunResponse(ctx, chromedp.Click(called(name), chromedp.NodeVisible))
		return chromedp.Void{}, err
	})
	run(b, chromedp.WaitReady(chromedp.CSS(pageEnd)))
}

// fill writes into a field, or chooses from a list, as one who presses keys does.
func (b *tab) fill(selector, text string) {
	b.t.Helper()
	run(b, chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// until waits until an expression is true, on this page or the one that the browser is about to load.
func (b *tab) until(expression string) {
	b.t.Helper()
	poll := chromedp.Poll[bool](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	run(b, func(ctx context.Context, t *chromedp.Target) (bool, error) {
		for {
			done, err := poll(ctx, t)
			if err == nil || !strings.Contains(err.Error(), "(-32000)") {
				return done, err
			}
		}
	})
}

// reads waits until a part of the page says something.
func (b *tab) reads(selector string, texts ...string) {
	b.t.Helper()
	for _, text := range texts {
		b.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some((e) => e.innerText.includes(%q))`, selector, text))
	}
}

// counts waits until a number of elements is on the page.
func (b *tab) counts(want int, selector string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, selector, want))
}

// prefer makes the visitor one who prefers a colour scheme: light or dark.
func (b *tab) prefer(scheme string) {
	b.t.Helper()
	command(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
}

// withoutScript has no script run on the pages that are opened next.
func (b *tab) withoutScript() {
	b.t.Helper()
	command(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// tabs are test cases in a browser, by name, each with an emulator of its own.
type tabs map[string]func(t *testing.T, b *tab)

func (c tabs) run(t *testing.T) {
	t.Parallel()
	for name, test := range c {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, look(t))
		})
	}
}
