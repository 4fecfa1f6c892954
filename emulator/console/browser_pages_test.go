package console_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// axe looks for what people who use a page in another way cannot do (https://github.com/dequelabs/axe-core).
//
//go:embed testdata/axe/axe.min.js
var axe string

// pages are all kinds of pages of a world in which something has happened.
func (b *tab) pages() []string {
	b.t.Helper()
	for path, status := range map[string]int{
		"/verification-requests/vr_lifecycle_timed":      200,
		"/verification-requests/vr_action_required":      200,
		"/verification-requests/vr_error_500":            500,
		"/verification-requests/vr_lifecycle?fields=idd": 200,
		"/qualification-checks/qc_nowhere":               404,
	} {
		b.ask("GET", path, "").says(status)
	}
	var session struct{ ID string }
	body := b.ask("POST", "/credentials/session", `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
		"target":{"first_name":"Ada","last_name":"Example","social_security_number":"000-00-0000","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`).says(201).body
	if err := json.Unmarshal([]byte(body), &session); err != nil {
		b.t.Fatal(err)
	}
	b.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).says(200)
	b.post(b.world+"/faults", "on", "update", "status", "500", "times", "3").says(303)
	entry := b.ask("GET", "/verification-requests/vr_error_451", "").header.Get("Understudy-Request-Id")
	return []string{
		prefix, prefix + "catalogue", prefix + "catalogue?q=nothing+is+like+that", prefix + "catalogue/lifecycle-timed", prefix + "catalogue/flaky",
		prefix + "worlds", b.world, b.world + "?kind=tenant-properties", b.world + "?kind=credentials-sessions",
		b.world + "/clock", b.world + "/faults", b.world + "/snapshot", b.world + "/reset", b.world + "/delete",
		b.world + "/journal", b.world + "/journal?status=418", b.world + "/journal/" + entry,
		b.request("vr_lifecycle_timed"), b.request("vr_completed"), b.request("vr_large"), b.request("vr_all_null"),
		b.request("vr_multiple_reports"), b.request("vr_no_paystubs"), b.request("vr_zero_income"), b.request("vr_disputed"),
		b.world + "/qualification-checks/qc_qualified", b.world + "/qualification-checks/qc_not_enough_information",
		b.world + "/qualification-checks/qc_guarantor_not_qualified", b.world + "/qualification-checks/qc_document_requirements",
		b.world + "/tenant-properties/tp_default", b.world + "/credentials-sessions/" + session.ID,
		prefix + "login",
	}
}

// finding is what axe says of a page.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML string `json:"html"`
		Why  string `json:"failureSummary"`
	} `json:"nodes"`
}

func TestBrowserEveryPage(t *testing.T) {
	tabs{
		"is for everybody": func(t *testing.T, b *tab) {
			for _, path := range b.pages() {
				for _, scheme := range []string{"light", "dark"} {
					b.prefer(scheme)
					b.open(path)
					run(b, chromedp.Evaluate[chromedp.Void](axe))
					findings := value[[]finding](b, `axe.run({resultTypes: ["violations"]}).then((r) => r.violations.filter((v) => ["serious", "critical"].includes(v.impact)))`)
					for _, f := range findings {
						t.Errorf("%s, %s: %s (%s): %s\n%s\n%s", path, scheme, f.Help, f.Impact, f.ID, f.Nodes[0].HTML, f.Nodes[0].Why)
					}
				}
			}
		},
		// On a telephone nothing is wider than the screen but what can be pushed sideways by itself.
		"fits a telephone": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(375, 812))
			for _, path := range b.pages() {
				b.open(path)
				if width := value[int](b, "document.documentElement.scrollWidth"); width > 375 {
					wide := value[[]string](b, `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right + scrollX > 376).slice(0, 3).map((e) => e.outerHTML.slice(0, 120))`)
					t.Errorf("%s is %d pixels wide:\n%s", path, width, strings.Join(wide, "\n"))
				}
			}
		},
		// Everything that can be clicked is reached by the Tab key, in sight, in the order of the page.
		"the keyboard is enough": func(t *testing.T, b *tab) {
			for _, path := range []string{prefix, prefix + "catalogue/lifecycle", b.world + "/clock", b.world + "/journal", b.request("vr_processing")} {
				b.open(path)
				count := value[int](b, `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((e) => e.checkVisibility()).length`)
				value[int](b, `document.body.dataset.reached = 0`)
				for range count + 20 { // a field for an instant has many parts
					run(b, chromedp.KeyEvent("\t"))
					if !value[bool](b, `((e) => { if (e === document.body || e.dataset.seen) return true; e.dataset.seen = 1; document.body.dataset.reached++; const s = getComputedStyle(e); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== "none" })(document.activeElement)`) {
						t.Errorf("%s: nobody sees that the focus is on %s", path, value[string](b, "document.activeElement.outerHTML.slice(0, 200)"))
					}
				}
				reached := value[int](b, `Number(document.body.dataset.reached)`)
				if reached < count {
					t.Errorf("%s: %d of %d are reached: %s", path, reached, count, fmt.Sprint(value[[]string](b,
						`[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter((e) => e.checkVisibility() && !e.dataset.seen).map((e) => e.outerHTML.slice(0, 120))`)))
				}
			}
		},
	}.run(t)
}

// A page with all that belongs to it comes in less than 100 KB, to who has never been here before.
func TestInABrowserEveryPageIsLight(t *testing.T) {
	t.Parallel()
	b := look(t)
	for _, path := range b.pages() {
		fresh := b.visitor.tab() // without anything kept
		fresh.open(path)
		fresh.until(`document.readyState === "complete"`)
		fresh.mu.Lock()
		if kilobytes := fresh.received / 1000; kilobytes > 100 || kilobytes == 0 {
			t.Errorf("%s: %.0f KB came", path, kilobytes)
		}
		fresh.mu.Unlock()
		fresh.close()
	}
}
