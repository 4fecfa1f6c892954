package console_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The jobs of one who looks for what went wrong, in a busy world or in many, with the clicks that they take.
var jobsOfTimes = []job{
	{"all 4xx of the last five minutes", 2, func(_ *testing.T, c *clicks) {
		c.ask("GET", "/verification-requests/vr_error_451", "")
		c.ask("GET", "/verification-requests/vr_error_500", "")
		c.ask("GET", "/verification-requests/vr_nowhere", "")
		c.open(c.world + "/journal/")
		c.follow("5 min")
		c.follow("4xx 2")
		c.counts(2, "#rows li")
		c.until(`location.search === "?from=5m&status=4xx"`)
	}},
	{"the errors of all worlds", 1, func(_ *testing.T, c *clicks) {
		c.ask("GET", "/verification-requests/vr_error_451", "")
		c.open(prefix)
		c.follow("50%")
		c.counts(1, "#rows li")
	}},
	{"thirty worlds at once", 4, func(_ *testing.T, c *clicks) {
		for i := range 30 {
			c.as(fmt.Sprintf("svc_sk_test_ci-%02d", i))
		}
		c.send("GET", "/verification-requests/vr_error_451", "", "Authorization", "Bearer svc_sk_test_ci-07").shows(451)
		c.open(prefix + "worlds?q=ci-")
		c.follow("Errors")
		c.reads("tbody tr:first-child", "ci-07", "451 by vr_error_451")
		c.tab.follows()
		c.done++
		run(c.tab, chromedp.Click(chromedp.CSS("[data-all]"), chromedp.NodeVisible))
		c.send("GET", "/verification-requests/vr_error_500", "", "Authorization", "Bearer svc_sk_test_ci-08").shows(500)
		c.reads("tbody", "500 by vr_error_500") // the rows are live, and stay chosen
		c.follow("Delete the chosen…")
		c.reads("h1", "Delete 30 worlds?")
		c.follow("Delete 30 worlds")
		c.reads(".notice", "Worlds deleted.")
		c.counts(1, "tbody tr")
	}},
	{"a link to a failing request", 2, func(_ *testing.T, c *clicks) {
		b := c.tab
		failed := b.ask("GET", "/verification-requests/vr_error_451", "")
		b.ask("GET", "/verification-requests/vr_completed", "")
		b.open(prefix)
		c.done++
		b.leads(".latest tr:has(.refused) th a")
		c.press("Copy link")
		c.reads("#detail .sentence", "451 by vr_error_451 (The social security number is frozen).")
		b.open(value[string](b, "location.pathname"))
		b.shows(failed)
	}},
	{"why did a test get 429", 1, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.post(b.world+"/faults", "id", "vr_completed", "rule", "{on: get, respond: {status: 429}, times: 1}").shows(303)
		asked := b.ask("GET", "/verification-requests/vr_completed", "").shows(429)
		b.ask("GET", "/verification-requests/vr_completed", "").shows(200)
		b.open(b.world + "/journal/")
		c.reads("#rows .why", "429 once, your fault on vr_completed")
		c.row(asked)
		c.reads("#detail .sentence", "429 once, your fault on vr_completed.")
		b.leads(`.decision a[href*="/faults#"]`)
	}},
	{"a part of the spark line", 1, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.ask("GET", "/verification-requests/vr_completed", "")
		b.open(b.world + "/journal/")
		c.done++
		b.leads(".spark a")
		c.until(`new URLSearchParams(location.search).get("from") < new URLSearchParams(location.search).get("to")`)
	}},
}

// What is open or focused stays so while requests come.
func TestBrowserStays(t *testing.T) {
	tabs{
		"a fold": func(t *testing.T, b *tab) {
			for range 3 {
				b.ask("GET", "/verification-requests/vr_completed", "")
			}
			b.open(b.world + "/journal/")
			b.follows()
			b.press("3 alike")
			b.counts(2, "#rows ol li")
			b.press("Between…")
			b.ask("GET", "/verification-requests/vr_completed", "")
			b.reads("#rows .times", "× 4")
			b.until(`document.querySelector("#between").open && document.querySelectorAll("#rows ol li").length === 3`)
		},
		"focus": func(t *testing.T, b *tab) {
			b.ask("GET", "/verification-requests/vr_completed", "")
			b.open(b.world + "/journal/")
			b.follows()
			value[any](b, `document.querySelector("#rows li:last-child a").focus()`)
			id := value[string](b, `document.activeElement.pathname`)
			b.ask("GET", "/verification-requests/vr_error_451", "")
			b.reads("#rows li:first-child", "vr_error_451")
			b.until(fmt.Sprintf(`document.activeElement.pathname === %q`, id))
		},
		"a click is under way at once": func(t *testing.T, b *tab) {
			b.open(b.world + "/journal/")
			if !value[bool](b, `(addEventListener("click", (event) => event.preventDefault()), document.querySelector(".side-bar nav a").click(), document.documentElement.classList.contains("busy"))`) {
				t.Error("nothing shows that it is under way")
			}
		},
	}.run(t)
}

// aim clicks the fifth row a number of times while requests come at a rate, and returns how often it hit the row that it aimed at.
func (b *tab) aim(perSecond, times int) (hits int) {
	b.t.Helper()
	var came atomic.Int64
	end := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		every := time.NewTicker(time.Second / time.Duration(perSecond))
		defer every.Stop()
		for n := 0; ; n++ {
			select {
			case <-end:
				return
			case <-every.C:
				b.ask("GET", fmt.Sprintf("/verification-requests/vr_%d", n), "")
				came.Add(1)
			}
		}
	}()
	for range times {
		b.open(b.world + "/journal/")
		b.follows()
		at := b.middle("#rows li:nth-child(5)")
		run(b, chromedp.MouseEvent(chromedp.MouseMoved, at.X, at.Y))
		const row = `document.querySelector("#rows li:hover")`
		b.until(row + ` !== null`)
		aimed := strings.TrimPrefix(value[string](b, row+`.id`), "entry-")
		for before := came.Load(); came.Load() < before+max(1, int64(perSecond)/4); {
			b.until("true")
		}
		run(b, chromedp.MouseClickXY(at.X, at.Y))
		b.until(`document.querySelector(".requests").classList.contains("chosen")`)
		if value[string](b, `location.pathname.split("/").pop()`) == aimed {
			hits++
		}
	}
	close(end)
	<-ended
	return hits
}

// The row that is aimed at is the row that is hit.
func TestAim(t *testing.T) {
	onlyInCI(t)
	for _, rate := range []int{1, 10, 100} {
		t.Run(fmt.Sprintf("%d requests a second", rate), func(t *testing.T) {
			b := look(t)
			for i := range 20 {
				b.ask("GET", fmt.Sprintf("/verification-requests/vr_begin_%d", i), "")
			}
			if hits := b.aim(rate, 3); hits != 3 {
				t.Errorf("%d of 3 clicks hit the row that they aimed at", hits)
			}
		})
	}
}

// BenchmarkAim aims fifty times at each rate. The bar is 50 of 50.
func BenchmarkAim(b *testing.B) {
	for _, rate := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("%d", rate), func(b *testing.B) {
			tab := look(b)
			for i := range 20 {
				tab.ask("GET", fmt.Sprintf("/verification-requests/vr_begin_%d", i), "")
			}
			b.ReportMetric(float64(tab.aim(rate, 50)), "of-50")
		})
	}
}
