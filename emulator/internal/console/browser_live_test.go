package console_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// follows waits until the page follows the requests.
func (b *tab) follows() {
	b.t.Helper()
	b.until(`document.body.dataset.live === "back"`)
}

// another opens one more tab of the same browser.
func (b *tab) another() *tab {
	b.t.Helper()
	other := &tab{visitor: b.visitor}
	opened, cancel := chromedp.NewContext(b.ctx, chromedp.WithListener(other.record))
	b.t.Cleanup(cancel)
	if _, err := chromedp.Run(opened, chromedp.Title()); err != nil {
		b.t.Fatal(err)
	}
	other.ctx = opened
	return other
}

// front is a server that stands before an emulator and counts its open streams. It can be stopped and started.
type front struct {
	*httptest.Server
	handler http.Handler
	streams atomic.Int32
	ended   chan struct{} // receives when a stream ends
}

// start starts the server at an address, "" for any.
func (f *front) start(t *testing.T, address string) {
	t.Helper()
	f.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == prefix+"live" {
			f.streams.Add(1)
			defer func() { f.streams.Add(-1); f.ended <- struct{}{} }()
		}
		f.handler.ServeHTTP(w, r)
	}))
	if address != "" {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		f.Listener.Close()
		f.Listener = listener
	}
	f.Server.Start()
	t.Cleanup(f.stop)
}

func (f *front) stop() {
	f.CloseClientConnections()
	f.Close()
}

// proxy returns a handler that passes requests on to the emulator.
func (v *visitor) proxy() http.Handler {
	to, _ := url.Parse(v.url) // it is valid
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval, proxy.ErrorLog = -1, log.New(io.Discard, "", 0)
	return proxy
}

// However many tabs a browser has, it has one stream. It ends with the last of them, and comes back after a restart.
func TestBrowserSharesStream(t *testing.T) {
	t.Parallel()
	startBrowser(t)
	v := visit(t)
	proxy := v.proxy()
	f := &front{handler: proxy, ended: make(chan struct{}, 100)}
	f.start(t, "")
	v.url = f.URL
	one := v.tab()
	one.expect("ERR_", "htmx:")
	all := []*tab{one, one.another(), one.another()}
	pages := []string{v.world + "/journal/", prefix, v.request("vr_completed")}
	open := func(i int) {
		t.Helper()
		all[i].open(pages[i])
		all[i].follows()
		value[int](all[i], `(window.heard = [], document.body.addEventListener("live", (event) => heard.push(event.detail)), 0)`)
	}
	wantStream := func() {
		t.Helper()
		if n := f.streams.Load(); n != 1 {
			t.Errorf("%d streams are open", n)
		}
	}
	for i := range all {
		open(i)
		wantStream()
	}
	gets := func(a answer, tabs ...*tab) {
		t.Helper()
		for _, b := range tabs {
			b.until(`heard.at(-1)?.id === "` + a.header.Get("Understudy-Request-Id") + `"`)
		}
	}
	gets(v.ask("GET", "/verification-requests/vr_error_451", "").shows(451), all...)
	gets(v.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer "+key+"-other"), all[1])
	one.altered = true
	command(all[2], page.Close, cdp.Empty{})
	gets(v.ask("GET", "/verification-requests/vr_none", ""), all[:2]...)
	wantStream()
	if other := value[int](one, `heard.length`); other != 2 {
		t.Errorf("a page gets %d requests, want those of its own world only", other)
	}

	address := strings.TrimPrefix(f.URL, "http://")
	f.stop()
	one.until(`document.body.dataset.live === "lost"`)
	one.reads("#line[role=status]", "Disconnected, reconnecting")
	f.start(t, address)
	one.follows()
	one.until(`heard.length === 3`) // what came meanwhile is looked up
	one.until(`document.getElementById("line").textContent === ""`)
	gets(v.ask("GET", "/verification-requests/vr_none", ""), all[:2]...)
	wantStream()

	command(all[1], page.Close, cdp.Empty{})
	command(one, page.Close, cdp.Empty{})
	for f.streams.Load() > 0 {
		<-f.ended
	}
}

// An open page reads its part again for a tenth of its time at most: after a slow read it waits longer, though requests come.
func TestBrowserReadsATenth(t *testing.T) {
	t.Parallel()
	startBrowser(t)
	v := visit(t)
	proxy := v.proxy()
	reads, answer := make(chan time.Time, 100), make(chan struct{})
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("HX-Request") != "" && r.URL.Path == v.request("vr_completed") {
			reads <- time.Now()
			<-answer
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	v.url = f.URL
	b := v.tab()
	b.open(v.request("vr_completed"))
	b.follows()
	ask := func(until func() bool) {
		t.Helper()
		for end := time.Now().Add(patience); !until(); v.ask("GET", "/verification-requests/vr_completed", "") {
			if time.Now().After(end) {
				t.Fatal("the page reads no more")
			}
		}
	}
	ask(func() bool { return len(reads) > 0 })
	first := <-reads
	ask(func() bool { return time.Since(first) > 400*time.Millisecond })
	took := time.Since(first)
	close(answer)
	ask(func() bool { return len(reads) > 0 })
	if pause := (<-reads).Sub(first); pause < min(10*took, 4*time.Second) { // 5 s at most, less the way to the server
		t.Errorf("after a read of %s the next one began %s after it", took, pause)
	}
}

func TestBrowserWithoutSharedWorker(t *testing.T) {
	t.Parallel()
	b := look(t)
	b.altered = true
	command(b, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "delete window.SharedWorker"})
	b.open(b.world + "/journal/")
	b.follows()
	b.ask("GET", "/verification-requests/vr_error_451", "").shows(451)
	b.reads("#rows", "vr_error_451")
}
