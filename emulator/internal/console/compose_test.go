package console_test

import (
	"crypto/sha256"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const (
	twoReads = "name: two-reads\ntitle: Two reads\nmagic: {verification_request: vr_two_reads}\nverification_request:\n  timeline:\n" +
		"    - state: pending-approval\n    - {state: processing, after: {reads: 1}}\n    - {state: completed, after: {elapsed: 1h}}\n" +
		"rules:\n  - {on: cancel, calls: 1, respond: {status: 500}}\n"
	bySession = "name: by-session\ntitle: By session\nmagic: {ssn: 000-00-7007}\nverification_request:\n  timeline:\n" +
		"    - state: processing\n    - {state: completed, after: {reads: 1}}\n"
)

const article = `(?s)(<article class="report".*</article>)`

// textOf returns the text of a page that composes.
func textOf(a answer) string {
	a.t.Helper()
	return html.UnescapeString(a.find(`(?s)<textarea id="text"[^>]*>(.*?)</textarea>`))
}

func TestCompose(t *testing.T) {
	cases{
		// The preview, the resource and that of the saved scenario say the same, whatever the text starts from.
		"preview, resource and scenario agree": func(t *testing.T, v *visitor) {
			page, other := v.world+"/compose", visit(t)
			for _, found := range walked(regexp.MustCompile(`<option value="([^"]+)"`).FindAllStringSubmatch(v.get(page).find(`(?s)(<select name="from".*?</select>)`), -1)) {
				form := v.get(page+"?from="+found[1]).shows(200, "No problems")
				made := v.post(page+"/create", "text", textOf(form)).shows(303).header.Get("Location")
				preview, shown := form.body, v.get(made).shows(200)
				if strings.Contains(preview, "<article") && strings.Contains(shown.body, "<article") && form.find(article) != shown.find(article) {
					t.Errorf("%s: the resource differs from its preview", found[1])
				}
				other.post(other.world+"/compose/save", "text", textOf(form)).shows(303)
				saved := other.get(strings.Replace(made, v.world, other.world, 1)).shows(200)
				if strings.Contains(preview, "<article") && strings.Contains(saved.body, "<article") && saved.find(article) != form.find(article) {
					t.Errorf("%s: the scenario differs from its preview", found[1])
				}
			}
		},
		// What was made is reopened, under another id.
		"resource is reopened": func(t *testing.T, v *visitor) {
			page := v.world + "/compose"
			for _, from := range []string{"two-jobs-with-a-gap", "lifecycle-timed", "tips", "qualified", "tenant-property", "status-on-leave"} {
				made := v.post(page+"/create", "text", textOf(v.get(page+"?from="+from))).shows(303).header.Get("Location")
				id := made[strings.LastIndexByte(made, '/')+1:]
				reopened := v.get(page+"?from="+id).shows(200, "No problems", "A copy of "+id)
				if text := textOf(reopened); strings.Contains(text, "}, {") || !strings.Contains(text, id+"_2") {
					t.Error(text)
				}
				v.post(page+"/create", "text", textOf(reopened)).shows(303)
			}
			v.post(page+"/create", "text", textOf(v.get(page+"?from=completed"))).leads(v.request("vr_my_completed"))
			first, second := v.get(v.request("vr_my_completed")).find(`<p class="figure">([^<]*)`), v.get(page+"?from=vr_my_completed").find(`<p class="figure">([^<]*)`)
			if first == "" || second == "" {
				t.Error(first, second)
			}
			session := v.session("000-00-0000")
			request := v.get(v.world + "/credentials-sessions/" + session).find(`verification-requests/([^"?/]*)"`)
			v.get(page+"?from="+request).shows(200, "No problems")
			v.get(page + "?from=vr_nothing").shows(404)
		},
		"starts from any scenario": func(t *testing.T, v *visitor) {
			page := v.world + "/compose"
			all, err := scenarios.Load()
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range walked(all.All()) {
				v.get(page + "?from=" + s.Name).shows(200).lacks(`class="error"`)
			}
			v.get(page+"?from=complete").shows(404, "did you mean completed?")
			v.ask("PUT", prefix+"v1/scenarios/own", `{"name":"own","title":"Own","magic":{"verification_request":"vr_own"},"person":{"first_name":"Grace"}}`).shows(200)
			v.get(page+"?from=own").shows(200, "Grace", "vr_own is taken")
			v.post(page, "text", textOf(v.get(page+"?from=own")), "do", "copy").shows(200, "vr_my_own", "No problems")
			v.get(page+"?from=flaky").shows(200, "name: vr-my-flaky", "the first call")
		},
		"sentence changes the text": func(t *testing.T, v *visitor) {
			page := v.world + "/compose"
			text := textOf(v.get(page + "?from=completed"))
			changed := textOf(v.post(page, "text", text, "say", "yes", "job.0.status", "part-time", "job.0.employer", "Example: <Freight>", "job.0.pay", "18.50", "job.0.per", "hour", "job.0.since", "2021-04-21").
				shows(200, "No problems", "Example: <Freight>", "18.50").has(`<option selected>part-time`, `id="job-0-since" value="2021-04-21"`))
			for _, want := range []string{"part-time", `name: "Example: <Freight>"`, "rate: 18.50", "hired: 2021-04-21"} {
				if !strings.Contains(changed, want) {
					t.Errorf("no %s in %s", want, changed)
				}
			}
			two := v.post(page, "text", changed, "say", "add").shows(200, "No problems").has(`id="job-1-status"`)
			reopened := v.post(page, "text", textOf(two), "say", "yes", "job.0.status", "part-time", "job.0.employer", "Example: <Freight>", "job.0.pay", "38000", "job.0.per", "year", "job.0.since", "2021-04-21",
				"job.1.status", "full-time", "job.1.employer", "Example Mill", "job.1.pay", "", "job.1.since", "2015-01-05", "job.1.until", "2019-12-31").shows(200, "No problems", "Example Mill")
			if text := textOf(reopened); strings.Contains(text, "rate:") || !strings.Contains(text, "base: 38000") || !strings.Contains(text, "separated") {
				t.Error(text)
			}
			if text := textOf(v.post(page, "text", textOf(reopened), "drop", "0").shows(200, "Example Mill").lacks(`id="job-1-status"`)); strings.Contains(text, "38000") {
				t.Error(text)
			}
		},
		"error is at its field": func(t *testing.T, v *visitor) {
			text := textOf(v.get(v.world + "/compose?from=two-jobs-with-a-gap"))
			v.post(v.world+"/compose/run", "text", strings.Replace(text, "52000.00", "much", 1)).shows(200, "1 error").
				has(`aria-describedby="job-0-error"`, `id="job-0-error"`).lacks(`id="drawn"`, `id="job-1-error"`)
			v.post(v.world+"/compose/create", "text", strings.Replace(text, "52000.00", "much", 1)).alerts(400, "1 error in the text").has("much")
		},
		"hostile texts are texts": func(t *testing.T, v *visitor) {
			const hostile = "\"><script>alert(1)</script>\n---\nname: other"
			text := textOf(v.get(v.world + "/compose?from=two-jobs-with-a-gap"))
			all := []string{"text", text, "say", "yes"}
			for _, field := range []string{"text", "job.0.status", "job.0.employer", "job.0.pay", "job.1.since", "reason", "step", "scenario", "report", "choose"} {
				if found := unsafe(v.post(v.world+"/compose/run", append(all[:4:4], field, hostile)...).body); found != "" {
					t.Errorf("%s: %s", field, found)
				}
				all = append(all, field, hostile)
			}
			for _, of := range []string{"", "/create"} {
				if found := unsafe(v.post(v.world+"/compose"+of, all...).body); found != "" {
					t.Errorf("%s: %s", of, found)
				}
			}
		},
		"leads to a world": func(t *testing.T, v *visitor) {
			v.get(prefix + "compose").leads(v.world + "/compose")
			like := v.world + "/compose?from=two-jobs"
			v.get(v.get(prefix + "catalogue/two-jobs").find(`href="([^"]*)">Try it in Compose`)).leads(like)
			v.post(v.world + "/delete").shows(303)
			v.follow(v.get(prefix+"compose")).shows(200, "No problems")
		},
		"names problems with their lines": func(t *testing.T, v *visitor) {
			v.post(v.world+"/compose/run", "text", strings.Replace(twoReads, "processing", "procesing", 1)).
				shows(200, "1 error", "Line 7", "procesing").has(`data-line="7" data-column="15"`).lacks(`id="drawn"`)
			v.post(v.world+"/compose", "text", "name: [").shows(200, "1 error", "Nothing to show yet").has(`>name: [</textarea>`)
			v.post(v.world+"/compose", "text", "").shows(200, "1 warning", "Nothing to show yet")
			v.post(v.world+"/compose/run", "text", strings.Repeat("# much too long\n", 5000)).shows(200, "1 error")
		},
		"answers the steps in their order": func(t *testing.T, v *visitor) {
			v.post(v.world+"/compose/run", "text", twoReads, "step", "read", "step", "cancel other", "step", "read", "step", "next", "add", "read").
				shows(200, "200 Read it pending approval", "500 Cancel it", "By the rule in line 10 (the first call of cancel: 500 Internal Server Error).",
					"200 Read it processing", "Clock to the next step 15 Jan 10:30:00", "200 Read it completed").
				counts(5, `name="step"`).has(`value="cancel other"`)
			v.post(v.world+"/compose/run", "text", twoReads, "step", "read", "step", "read", "add", "undo").counts(1, `name="step"`)
			v.post(v.world+"/compose/run", "text", twoReads, "step", "read", "add", "none").counts(0, `name="step"`)
			v.post(v.world+"/compose/run", "text", twoReads, "step", "check", "step", "advance never").
				shows(200, "has no such request now", "is not a span of time")
		},
		"one of several scenarios": func(t *testing.T, v *visitor) {
			v.post(v.world+"/compose/run", "text", twoReads+"---\n"+bySession, "step", "read", "choose", "1").
				shows(200, "SSN 000-00-7007", "A session for its SSN").counts(0, `name="step"`).has(`name="scenario" value="1"`)
		},
		"session leads to its request": func(t *testing.T, v *visitor) {
			v.post(v.world+"/compose/run", "text", bySession, "step", "session", "step", "read", "step", "read").
				shows(200, "201 Create a session", "200 Read it processing", "200 Read it completed")
		},
		"rules of every request": func(t *testing.T, v *visitor) {
			down := "name: down\ntitle: Down\nmagic: {api_key: \"*_down\"}\nrules: [{on: any, respond: {status: 503}, delay: {fixed: 5m}}]\n"
			v.post(v.world+"/compose/run", "text", down, "step", "read", "step", "check", "step", "update", "step", "session").
				shows(200, "503 Read it", "By the rule in line 4", "The answer comes 5m0s late").counts(4, `class="status failed"`)
		},
		"at most 50 steps": func(t *testing.T, v *visitor) {
			fields := []string{"text", twoReads}
			for range 60 {
				fields = append(fields, "step", "read")
			}
			v.post(v.world+"/compose/run", fields...).shows(200, "as many steps as there may be").counts(50, `name="step"`)
		},
		"leaves no trace": func(t *testing.T, v *visitor) {
			before := v.get(prefix + "v1/worlds").body
			v.post(v.world+"/compose/run", "text", twoReads, "step", "read").shows(200)
			if after := v.get(prefix + "v1/worlds").body; after != before {
				t.Errorf("worlds: %s, before: %s", after, before)
			}
			v.ask("GET", "/verification-requests/vr_two_reads", "").shows(400)
		},
		"saves into a world": func(t *testing.T, v *visitor) {
			save := v.world + "/compose/save"
			v.follow(v.post(save, "text", twoReads)).shows(200, "Saved.", "vr_two_reads")
			v.ask("GET", "/verification-requests/vr_two_reads", "").shows(200).has(`"state":"pending-approval"`)
			v.get(v.world + "/compose?from=two-reads").has(twoReads[:40])
			v.follow(v.post(save, "text", bySession+"---\n"+strings.Replace(strings.ReplaceAll(twoReads, "two_reads", "two"), "two-reads", "two", 1))).shows(200, "Saved.", "000-00-7007", "vr_two_reads")

			v.post(save, "text", "name: [").alerts(400, "1 error in the text").has("name: [</textarea>")
			v.post(save, "text", "").alerts(400, "has no scenario")
		},
		"is downloaded": func(t *testing.T, v *visitor) {
			file := v.post(v.world+"/compose/file", "text", strings.ReplaceAll(twoReads, "\n", "\r\n")).shows(200)
			if file.body != twoReads || file.header.Get("Content-Disposition") != `attachment; filename="two-reads.yaml"` {
				t.Errorf("%v %s", file.header, file.body)
			}
			v.post(v.world+"/compose/file", "text", "name: [").shows(200)
		},
		"editor is at most 160 KB, and loaded once it is used": func(t *testing.T, v *visitor) {
			path := v.get(v.world + "/compose").lacks(`src="` + `vendor/editor`).find(`data-editor="([^"]*editor.min.js)"`)
			if size := len(v.send("GET", path, "", "Accept-Encoding", "gzip").shows(200).body); size > 160_000 {
				t.Errorf("%d bytes", size)
			}
			v.get(strings.Replace(path, "editor.min.js", "_editor/editor.js", 1)).shows(404)
		},
		"schema of the completion": func(t *testing.T, v *visitor) {
			if got := v.get(v.world + "/compose/schema").shows(200).body; got != string(scenarios.Schema("scenario")) {
				t.Error("is not that of the language")
			}
		},
	}.run(t)
}

// Without a frozen clock the steps begin at nine o'clock, so that they have the same answers all day.
func TestComposeClock(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{}))
	v.post(v.world+"/compose/run", "text", twoReads, "step", "read").shows(200, " 09:00:00")
}

// The bundle of the editor is made of the sources beside it.
func TestComposeEditor(t *testing.T) {
	t.Parallel()
	hash := sha256.New()
	for _, name := range []string{"build.mjs", "editor.js", "package-lock.json", "package.json", "schema.js"} {
		text, err := os.ReadFile("assets/vendor/_editor/" + name)
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(text)
	}
	bundle, err := os.ReadFile("assets/vendor/editor.min.js")
	if err != nil {
		t.Fatal(err)
	}
	if banner := fmt.Sprintf("/* Built from _editor: sha256 %x */", hash.Sum(nil)); !strings.HasPrefix(string(bundle), banner) {
		t.Error("editor.min.js is not current: cd assets/vendor/_editor && npm ci && npm run build")
	}
}
