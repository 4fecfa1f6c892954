package console_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// pages lists a page of every kind, below the prefix.
func pages(v *visitor) []string {
	world := strings.TrimPrefix(v.world, prefix)
	return []string{
		"", "catalogue", "catalogue?q=429", "catalogue?q=nothing-is-like-that", "catalogue/lifecycle-timed", "catalogue/flaky",
		"catalogue/lifecycle-timed?world=" + strings.TrimPrefix(world, "worlds/"),
		"worlds", world, world + "?kind=qualification-checks", world + "?kind=tenant-properties", world + "?kind=credentials-sessions",
		world + "?state=completed", world + "/clock", world + "/faults", world + "/snapshot", world + "/reset", world + "/delete",
		world + "/journal", world + "/journal?status=4xx", world + "/journal/clear", world + "/journal/" + v.asked(),
		world + "/verification-requests/vr_completed", world + "/qualification-checks/qc_qualified", world + "/tenant-properties/tp_default",
	}
}

// asked returns the id of a request in the journal.
func (v *visitor) asked() string {
	v.t.Helper()
	return v.ask("GET", "/verification-requests/vr_flaky", "").header.Get("Understudy-Request-Id")
}

var (
	tag         = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	values      = regexp.MustCompile(`="[^"]*"|='[^']*'`)
	inline      = regexp.MustCompile(`(?i)<script[^>]*>[^<]|<style`)
	attribute   = regexp.MustCompile(`(?i)\s(on[a-z]+|style|srcset|srcdoc)\b`)
	bareHeading = regexp.MustCompile(`<th( class="[^"]*")?>`)
	foreign     = regexp.MustCompile(`(?i)(src|href|action)="\s*([a-z]+:|//)`)
)

// unsafe returns what of a page would run, be styled or be fetched against the policy, "" when there is nothing.
func unsafe(body string) string {
	for _, t := range tag.FindAllString(body, -1) {
		if found := attribute.FindString(values.ReplaceAllString(t, "")) + foreign.FindString(t); found != "" {
			return t
		}
	}
	return inline.FindString(body)
}

// Issue of the console, safety: a strict policy, nothing inline, nothing from elsewhere.
func TestEveryPageIsWholeAndServedUnderAStrictPolicy(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range pages(v) {
		t.Run(path, func(t *testing.T) {
			a := v.get(prefix + path)
			a.t = t
			a.says(200).has(`<html lang="en">`, `<main id="main"`, "</html>", "<h1>")
			for name, want := range map[string]string{
				"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
				"Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			} {
				if got := a.header.Get(name); got != want {
					t.Errorf("%s: %q, want %q", name, got, want)
				}
			}
			if found := unsafe(a.body); found != "" {
				t.Errorf("has %s", found)
			}
			if tables, captions := strings.Count(a.body, "<table"), strings.Count(a.body, "<caption"); tables != captions {
				t.Errorf("%d tables, %d captions", tables, captions)
			}
			if bare := bareHeading.FindString(a.body); bare != "" {
				t.Errorf("a heading without a scope: %s", bare)
			}
			head := v.send("HEAD", prefix+path, "", "")
			if head.status != 200 || head.body != "" || head.header.Get("Content-Security-Policy") != policy {
				t.Errorf("HEAD: %d %v", head.status, head.header)
			}
		})
	}
}

func TestWhatTheConsoleHasNotIsAPageThatSaysSo(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, path := range []string{
		prefix + "nothing", prefix + "catalogue/none/x", v.world + "/nothing", prefix + "v2/health",
	} {
		v.get(path).says(404, "There is no such page")
	}
	v.get(prefix+"worlds/none").says(404, `There is no world`)
	v.get(prefix+"catalogue/lifecycel").says(404, "did you mean lifecycle?")
	v.get(v.world+"/verification-requests/vr_complted").says(404, "did you mean vr_completed?")
	v.get(v.world+"/journal/none").says(404, "it keeps the last 1000")
	v.post(v.world+"/clock/backwards").says(404, "There is no such page")
}

func TestAMethodThatAPageDoesNotTakeIsToldWhichItDoes(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, tt := range []struct{ method, path, allow string }{
		{"POST", prefix + "catalogue", "GET, HEAD"},
		{"DELETE", v.world, "GET, HEAD"},
		{"PUT", v.world + "/faults", "GET, HEAD, POST"},
		{"OPTIONS", v.world + "/clock", "GET, HEAD"},
		{"GET", v.world + "/faults/remove", "POST"},
	} {
		a := v.send(tt.method, tt.path, "", "").says(405, "This page takes "+tt.allow+" only")
		if got := a.header.Get("Allow"); got != tt.allow {
			t.Errorf("%s %s: Allow: %s", tt.method, tt.path, got)
		}
	}
}

func TestTheOverviewTellsHowToPointAClientHere(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithSeed(7), emulator.WithVersion("v1.2.3"), emulator.WithKeyPrefix("svc"), emulator.WithJournalSize(12))
	v.get(prefix).says(200, v.url, "svc_sk_test_console", "curl '"+v.url+"/verification-requests/vr_completed'",
		"Seed 7", "Clock 2025-01-15T09:30:00Z", "Store temp", "the last 12 requests", "Health ready", "v1.2.3")
}

func TestAListGoesOnOverPages(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for i := range 60 {
		if a := v.ask("POST", prefix+"v1/verification-requests", fmt.Sprintf(`{"id":"vr_page_%02d","state":"processing"}`, i)); a.status != 201 {
			t.Fatal(a.status, a.body)
		}
	}
	first := v.get(v.world+"?state=processing").says(200, "vr_page_00", "vr_page_49", "Next page")
	if strings.Contains(first.body, "vr_page_50") || strings.Contains(first.body, "vr_lifecycle_timed") {
		t.Error("the first page has more than its own")
	}
	second := v.get(v.world+"?after=vr_page_49&state=processing").says(200, "vr_page_50", "vr_page_59")
	if strings.Contains(second.body, "Next page") {
		t.Error("the last page leads on")
	}
	first.has(`href="` + v.world + `?after=vr_page_49&amp;state=processing"`)
	v.get(v.world+"?state=complete").says(400, "There is no state")
}

func TestWhatComesFromOthersIsTextOnEveryPage(t *testing.T) {
	t.Parallel()
	v := visit(t)
	const hostile = `"><img src=x onerror=alert(1)><script>alert(1)</script>{{.}}'`
	v.header.Set("User-Agent", hostile)
	id := v.ask("GET", `/verification-requests/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E?fields=%3Cscript%3E`, "").header.Get("Understudy-Request-Id")
	put := v.ask("PUT", "/tenant-properties/tp_default", `{"name":"<script>alert(1)</script>","city":"</pre><img src=x onerror=alert(1)>"}`)
	if put.status != 200 {
		t.Fatal(put.body)
	}
	escaped := `%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`
	for _, path := range []string{
		v.world + "/journal", v.world + "/journal/" + id, v.world + "/journal/" + put.header.Get("Understudy-Request-Id"),
		v.world + "?kind=tenant-properties", v.world + "/tenant-properties/tp_default",
		v.world + "/verification-requests/" + escaped, v.world + "/open?id=" + escaped, v.world + "/journal/" + escaped,
		v.world + "?kind=" + escaped, v.world + "?state=" + escaped, v.world + "?after=" + escaped, v.world + "/journal?path=" + escaped,
		prefix + "catalogue?q=" + escaped, prefix + "catalogue/" + escaped, prefix + "worlds/" + escaped, prefix + "?done=" + escaped,
	} {
		a := v.get(path)
		if found := unsafe(a.body); found != "" || strings.Contains(a.body, "<img src=x") {
			t.Errorf("%s has %s:\n%s", path, found, a.body)
		}
	}
	v.post(v.world+"/faults", "rule", hostile).alerts(400, "The rule is not right").has("&lt;img src=x onerror=alert(1)&gt;")
	v.post(v.world+"/faults", "message", hostile, "calls", hostile, "status", "500").alerts(400, "Calls: ").has("&lt;img src=x onerror=alert(1)&gt;")
}
