package console_test

import (
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/understudy-sandbox/understudy/emulator"
)

// below serves an emulator by a proxy, below a path prefix that the emulator does not have, and returns the new base URL.
func below(t testing.TB, emulator string) string {
	t.Helper()
	behind, _ := url.Parse(emulator) // it is valid
	s := httptest.NewServer(http.StripPrefix("/tools/sandbox", httputil.NewSingleHostReverseProxy(behind)))
	t.Cleanup(s.Close)
	return s.URL + "/tools/sandbox"
}

var linkOf = regexp.MustCompile(` (?:href|src|action|formaction|hx-get|hx-post|data-schema)="([^"]*)"`)

// Every link, form, script and part that pages fetch stays below the prefix, and exists.
func TestPrefixLinks(t *testing.T) {
	t.Parallel()
	v := visit(t)
	all := walked(pages(v))
	v.url = below(t, v.url)
	seen := map[string]bool{}
	check := func(page string, header ...string) {
		shown := v.send("GET", page, "", header...)
		for _, link := range linkOf.FindAllStringSubmatch(shown.raw, -1) {
			to, err := url.Parse(html.UnescapeString(link[1]))
			if err != nil || strings.HasPrefix(to.Path, "/") {
				t.Fatalf("%s has a link to %s, %v", page, link[1], err)
			}
			at, err := url.Parse(v.url + page)
			if err != nil {
				t.Fatal(err)
			}
			at = at.ResolveReference(to)
			path, ok := strings.CutPrefix(at.Scheme+"://"+at.Host+at.EscapedPath(), v.url)
			if at.Host != "" && !strings.HasPrefix(v.url, "http://"+at.Host) {
				continue // a page of another server
			}
			if !ok || strings.Count(path, prefix) != 1 {
				t.Fatalf("%s leads from %s to %s", link[1], page, at)
			}
			if at.RawQuery != "" {
				path += "?" + at.RawQuery
			}
			if !seen[path] {
				seen[path] = true
				if found := v.get(path); found.status == 404 || found.status >= 500 {
					t.Errorf("%s leads from %s to %d", link[1], page, found.status)
				}
			}
		}
	}
	for _, page := range all {
		check(page)
	}
	if len(seen) < 80 {
		t.Errorf("only %d links", len(seen))
	}
	slashes := strings.Repeat("/", 20_000)
	if shown := v.send("GET", v.world, "", "HX-Current-URL", v.url+v.world+slashes); len(shown.raw) > 100_000 {
		t.Errorf("a header of many slashes gets %d bytes", len(shown.raw))
	}
	// A part has the links of the page that fetches it; a boosted link's page is the one that it opens.
	entry := v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))
	for _, tt := range []struct{ part, page, boosted, want string }{
		{"clock/instant", v.world + "/verification-requests/vr_completed?report=1", "", "../../../worlds/"},
		{"clock/instant", v.world, "", "../worlds/"},
		{"journal/", entry + "?status=2xx", "", "../../../worlds/"},
		{entry[len(v.world)+1:], v.world, "true", "../../../worlds/"},
	} {
		if shown := v.send("GET", v.world+"/"+tt.part, "", "HX-Request", "true", "HX-Boosted", tt.boosted, "HX-Current-URL", v.url+tt.page); !strings.Contains(shown.raw, `="`+tt.want) {
			t.Errorf("%s in %s has no link to %s:\n%.600s", tt.part, tt.page, tt.want, shown.raw)
		}
	}
}

// A login, a notice and the theme reach the browser by cookies of the prefix, and forms lead back to their page.
func TestPrefixForms(t *testing.T) {
	t.Parallel()
	const token = "a-token"
	v := visit(t, emulator.WithControlToken(token))
	v.url = below(t, v.url)
	v.client.CheckRedirect = nil
	jar, _ := cookiejar.New(nil) // it never fails
	v.client.Jar = jar
	form := func(page, to string, fields ...string) answer {
		v.header.Set("Referer", v.url+page)
		defer v.header.Del("Referer")
		return v.post(to, fields...)
	}
	clock := v.world + "/clock"
	v.get(clock).shows(401, "token")
	form(clock, prefix+"login", "token", token, "back", "/tools/sandbox"+clock).shows(200, "Clock", "Log out")
	form(clock, clock+"/advance", "by", "1h", "back", clock).shows(200, "Clock advanced.")
	v.get(clock).shows(200).lacks("Clock advanced.")
	form(clock, prefix+"theme", "theme", "dark", "back", clock).shows(200, "Clock").has(`data-theme="dark"`)
	v.get(prefix).has(`data-theme="dark"`)
	for name, header := range map[string]http.Header{
		"a proxy that sends its prefix": {"X-Forwarded-Prefix": {"/tools/sandbox/"}},
		"the page before":               {"Referer": {v.url + clock}},
	} {
		t.Run(name, func(t *testing.T) {
			v.header = header
			v.get(prefix).shows(200, "Base URL "+v.url+" ", "curl '"+v.url+"/verification-requests/vr_completed'")
		})
	}
}

// The scripts of the console work below a prefix. A request elsewhere, and one that is 404, fails the test of a tab.
func TestBrowserPrefix(t *testing.T) {
	t.Parallel()
	startBrowser(t) // first: without a browser the test is skipped
	v := visit(t)
	first, second := v.entry(v.ask("GET", "/verification-requests/vr_completed", "")), v.entry(v.ask("GET", "/verification-requests/vr_processing", ""))
	v.url = below(t, v.url)
	b := v.tab()
	b.open(v.world + "/journal/?path=/verification-requests/vr_completed")
	b.follows()
	for _, entry := range []string{first, second} {
		b.open(v.world + "/journal/")
		run(b, chromedp.Click(chromedp.CSS(`#rows a[href*="`+entry[strings.LastIndex(entry, "/")+1:]+`"]`), chromedp.NodeVisible))
		b.until(`location.pathname.endsWith("` + entry + `")`)
		b.reads("#detail", entry[strings.LastIndex(entry, "/")+1:])
	}
	v.ask("GET", "/verification-requests/vr_pending_approval", "") // comes while an entry is open
	b.press("1 new")
	b.reads("#rows", "vr_pending_approval")
	b.follow("Clock")
	b.until(`location.pathname === "/tools/sandbox` + v.world + `/clock"`)
	b.press("+1 h")
	b.reads(".instant", "10:30")
	b.press("Dark")
	b.until(`performance.getEntriesByType("resource").some(({name}) => name.endsWith("/theme"))`)
	b.open(prefix)
	b.until(`document.documentElement.dataset.theme === "dark"`)
}
