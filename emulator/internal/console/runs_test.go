package console_test

import (
	"path"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// suite asks as a suite does; the second run of it has changed.
func (v *visitor) suite(changed bool) {
	v.t.Helper()
	v.ask("GET", "/verification-requests/vr_completed", "")
	v.ask("GET", "/verification-requests/vr_lifecycle", "")
	if changed {
		v.ask("PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"bad"}`).shows(400)
		v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay House"}`).shows(200)
		v.ask("GET", "/qualification-checks/qc_qualified", "")
		return
	}
	v.ask("PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"other"}`).shows(200)
	v.ask("GET", "/verification-requests/vr_error_451", "")
}

// uploads sends a form with two files.
func (v *visitor) uploads(first, then string) answer {
	v.t.Helper()
	body := ""
	for name, text := range map[string]string{"first-file": first, "then-file": then} {
		body += "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"x\"\r\n\r\n" + text + "\r\n"
	}
	return v.send("POST", prefix+"runs", body+"--b--\r\n", "Content-Type", "multipart/form-data; boundary=b")
}

func TestRuns(t *testing.T) {
	const want = "1 answered otherwise, 2 new, 2 gone, 2 the same."
	cases{
		"a world beside what it was before its reset": func(t *testing.T, v *visitor) {
			v.suite(false)
			v.post(v.world + "/reset").shows(303)
			v.suite(true)
			id := v.world[len(prefix+"worlds/"):]
			v.get(prefix+"runs?world="+id).shows(200, "Two runs", "console-tests, before its reset").has(`<option value="before:`+id+`" selected`, `<option value="`+id+`" selected`)
			v.get(prefix+"runs?first=before:"+id+"&then="+id).shows(200, want, "Answered otherwise 1 200 → 400 cancel vr_lifecycle", "request vr_error_451", "property tp_default", "check qc_qualified").
				has(`&#34;message&#34;: &#34;Invalid field values provided&#34;`)
			v.get(prefix+"runs?first="+id+"&then="+id).shows(200, "0 answered otherwise, 0 new, 0 gone, 5 the same.")
		},
		"two files": func(t *testing.T, v *visitor) {
			v.suite(false)
			first, snapshot := v.get(prefix+"run").raw, v.get(v.world+"/snapshot/file").raw
			v.post(v.world + "/reset").shows(303)
			v.suite(true)
			then := v.get(prefix + "run").raw
			v.uploads(first, then).shows(200, want)
			v.uploads(snapshot, then).shows(200, want)
		},
		// Nor do ids that are drawn, which begin with one.
		"instants do not count": func(t *testing.T, v *visitor) {
			play := func() string {
				v.suite(false)
				v.ask("GET", "/verification-requests/"+path.Base(v.requestOf(v.session("000-00-0000"))), "").shows(200)
				return v.get(prefix + "run").raw
			}
			v.post(v.world + "/reset").shows(303)
			first := play()
			v.post(v.world + "/reset").shows(303)
			v.post(v.world+"/clock/advance", "by", "1s").shows(303)
			v.uploads(first, play()).shows(200, "0 answered otherwise, 0 new, 0 gone, 6 the same.")
		},
		"what is no run is refused": func(t *testing.T, v *visitor) {
			run := v.get(prefix + "run").raw
			v.uploads(run, "<p>no run").alerts(400, "The file is no run with snapshots")
			v.uploads(run, "{").alerts(400, "The snapshot of a run cannot be read")
			v.uploads(run, strings.Replace(run, `data-world="console-tests">`, `data-world="console-tests">!`, 1)).alerts(400, "is damaged")
			v.uploads(run, strings.Replace(run, `data-world="console-tests">`, `data-world="console-tests">AAAA`, 1)).alerts(400, "cannot be unpacked")
			v.get(prefix+"runs?first=none&then=none").alerts(404, "There is no world")
			v.get(prefix+"runs?first=before:"+v.world[len(prefix+"worlds/"):]+"&then=none").alerts(404, "was not reset")
		},
	}.run(t)
}

var jobsOfRuns = []job{
	{"what changed between two runs", 4, func(_ *testing.T, c *clicks) {
		b := c.tab
		b.suite(false)
		b.post(b.world + "/reset").shows(303)
		b.suite(true)
		b.open(b.world + "/journal/")
		c.press("More for these requests")
		c.follow("Compare two runs…")
		c.follow("Compare")
		c.reads("[role=status]", "1 answered otherwise, 2 new, 2 gone, 2 the same.")
		c.done++
		run(b, chromedp.Click(chromedp.CSS(".changes summary"), chromedp.NodeVisible))
		c.reads(".changes .differs", "400")
	}},
	{"curl, HAR, test and scenario of a request", 2, func(_ *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("GET", "/verification-requests/vr_error_451", "")
		b.open(b.entry(asked))
		c.reads("#detail", "curl ")
		c.until(`document.querySelector("a[download][href*='har?id=']").checkVisibility()`)
		c.done++
		run(b, chromedp.Click(chromedp.CSS("#detail label:has([value=go-test])"), chromedp.NodeVisible))
		c.reads("#detail", "emulatortest.Run(t)")
		c.follow("As a scenario")
		c.until(`document.getElementById("text").value.includes("status: 451")`)
	}},
	{"reset a world, and undo it", 3, func(_ *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("GET", "/verification-requests/vr_error_451", "")
		b.open(b.world)
		c.follow("Reset…")
		c.follow("Reset the world")
		c.reads(".notice", "World reset.")
		c.reads(".was-reset", "This world was reset")
		c.follow("Undo")
		c.reads("table.resources", "vr_lifecycle_timed")
		b.follow("Reset…")
		b.follow("Reset the world")
		c.open(b.entry(asked))
		c.reads("#detail .reset", "This world was reset")
		c.reads("#detail .decision", "451 by vr_error_451")
	}},
	{"save a run, and find why it failed without a server", 2, func(t *testing.T, c *clicks) {
		b := c.tab
		asked := b.ask("PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"bad"}`).header.Get("Understudy-Request-Id")
		for range 4 {
			b.ask("GET", "/verification-requests/vr_completed", "")
		}
		b.open(b.world + "/journal/")
		c.press("More for these requests")
		c.until(`document.querySelector("a[download][href*='run?world=']").checkVisibility()`)
		path := value[string](b, `new URL(document.querySelector("a[download][href*='run?world=']").href).pathname + "?world=" + document.body.dataset.world`)
		file := "file://" + b.get(path).file(t)
		run(b, chromedp.Navigate(file))
		c.reads("h1", "requests, 1 failed")
		c.done++
		run(b, chromedp.Click(chromedp.CSS(".rows li:first-child a"), chromedp.NodeVisible))
		c.reads("article:target", "cancellation_reason must be one of", `"bad"`, asked)
		c.until(`getComputedStyle(document.querySelector("h1")).fontFamily.includes("Geist") && scrollY === 0 && getComputedStyle(document.body).display === "block"`)
		if ci {
			b.isAccessible()
		}
		run(b, chromedp.EmulateViewport(390, 844))
		run(b, chromedp.Navigate(file+"#"+asked))
		c.until(`!document.querySelector(".list").checkVisibility() && document.querySelector("article:target").checkVisibility()`)
		run(b, chromedp.Click(chromedp.CSS("article:target .back"), chromedp.NodeVisible))
		c.until(`document.querySelector(".list").checkVisibility()`)
		b.fits()
	}},
}
