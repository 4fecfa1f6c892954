package console_test

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// shownTile returns what a tile of a report says.
func (b *tab) shownTile(name string) string {
	b.t.Helper()
	return value[string](b, fmt.Sprintf(`[...document.querySelectorAll(".tile")].find((t) => t.querySelector("h4").innerText === %q).innerText`, name))
}

var jobsOfReports = []job{
	// From the first page: the search, and its first hit. What decides is in sight at once, and agrees with the API.
	{"underwriter", 2, func(t *testing.T, c *clicks) {
		const id = "vr_variable_income"
		a := c.ask("GET", "/verification-requests/"+id+"?income_analytics=true", "").shows(200)
		gross, err := strconv.ParseFloat(a.find(`"gross_amount":\{"amount":"([0-9.]+)"`), 64)
		if err != nil {
			t.Fatal(err)
		}
		c.open(prefix)
		c.search(id)
		c.follows()
		income := c.shownTile("Monthly income")
		shown := regexp.MustCompile(`\$([0-9,.]+)\s`).FindStringSubmatch(income)
		if monthly, err := strconv.ParseFloat(strings.ReplaceAll(shown[1], ",", ""), 64); err != nil || math.Abs(monthly-gross/12) > 0.0051 {
			t.Errorf("of %.2f a year %.2f a month are shown: %s", gross, monthly, income)
		}
		for tile, parts := range map[string][]string{
			"Monthly income": {"a year / 12", "Base $", "Gross $"},
			"Tenure":         {" year", "since "},
			"Last paid":      {" 2025", "gross $", "net $", "paid through "},
			"Warnings":       {"Income varies: the volatility of the pay stubs is "},
		} {
			for _, part := range parts {
				if text := c.shownTile(tile); !strings.Contains(text, part) {
					t.Errorf("%s does not say %q: %s", tile, part, text)
				}
			}
		}
		if !value[bool](c.tab, `[...document.querySelectorAll(".tile")].every((t) => t.getBoundingClientRect().bottom < innerHeight)`) {
			t.Error("what decides is not in sight")
		}
	}},
	// From the first page: the resources, the request, and its next step twice.
	{"timed request to completed", 4, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.follow("Resources")
		c.follow("vr_lifecycle_timed")
		c.follow("Advance the clock to then")
		b.reads("[aria-current=step]", "processing")
		c.follow("Advance the clock to then")
		b.reads("[aria-current=step]", "completed")
		b.reads(".report", "Monthly income")
		b.ask("GET", "/verification-requests/vr_lifecycle_timed", "").has(`"state":"completed"`)
	}},
	// From the first page: the resources, the request, and the clock of every page. The open page follows.
	{"move the clock and watch", 4, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.follow("Resources")
		c.follow("vr_lifecycle_timed")
		b.reads("#state", "pending approval")
		b.follows()
		c.press("+1 h on the clock")
		b.reads("#state", "processing")
		b.reads("[aria-current=step]", "processing")
		c.press("+1 day on the clock")
		b.reads("#state", "completed")
	}},
	// The job: income of a person with two jobs. From the first page: the search, and its first hit.
	{"income of a person with two jobs", 2, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.search("vr_two_jobs")
		c.follows()
		b.reads(".income", "Income of all jobs")
		b.reads(".income", "a month")
		b.reads(".income", "by source")
		b.counts(1, ".income svg[role=img]")
	}},
	// The job: which rules hold, and what would it answer. From the first page: the search, its first hit.
	{"which rules hold, and what would it answer", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.open(prefix)
		c.search("vr_flaky")
		c.follows()
		b.reads(".answers-now", "Read it")
		b.reads(".answers-now", "Rules that hold")
		b.press("429 once")
		b.reads(".answers-now", "429")
	}},
}

func TestBrowserReport(t *testing.T) {
	tabs{
		// What one does to a request leaves its page where it was.
		"steer in place": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(390, 800))
			b.open(b.request("vr_multiple_reports") + "?report=2")
			b.press("Set fields")
			b.fill(`textarea[name="fields"]`, `{"loan_id": "loan-7"}`)
			at := value[float64](b, "scrollY")
			b.follow("Set them")
			b.until(fmt.Sprintf("scrollY > 500 && Math.abs(scrollY - %f) < 400", at))
			b.until(`location.search === "?report=2"`)
			b.reads("main", "loan-7")
			b.press("429 once")
			b.until(`document.querySelector(".toggle[value='429-once']").ariaPressed === "true"`)
			b.ask("GET", "/verification-requests/vr_multiple_reports", "").shows(429)
		},
		// A bar shows its figures under the pointer; on a telephone the texts of a chart are large enough.
		"charts": func(t *testing.T, b *tab) {
			run(b, chromedp.EmulateViewport(390, 800))
			b.open(b.request("vr_completed"))
			b.counts(2, "svg[role=img]")
			if !value[bool](b, `[...document.querySelectorAll("svg[role=img] g rect")].every((r) => { const a = r.getBoundingClientRect(), f = r.ownerSVGElement.getBoundingClientRect(); return a.top >= f.top - 1 && a.bottom <= f.bottom + 1 && a.left >= f.left - 1 && a.right <= f.right + 1 })`) {
				t.Error("a bar leaves its picture")
			}
			run(b, chromedp.Evaluate[chromedp.Void](`document.querySelector(".chart g[data-tip]:nth-of-type(1) rect:last-child").dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))`))
			b.reads(".tip", ": base $")
			if small := value[float64](b, `Math.min(...[...document.querySelectorAll(".chart text")].map((t) => t.getBoundingClientRect().height))`); small < 11 {
				t.Errorf("a text of a chart is %.1f pixels high", small)
			}
		},
	}.run(t)
}
