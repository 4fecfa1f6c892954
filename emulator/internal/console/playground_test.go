package console_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const (
	playground = prefix + "playground"

	twoReads = "name: two-reads\ntitle: Two reads\nmagic: {verification_request: vr_two_reads}\nverification_request:\n  timeline:\n" +
		"    - state: pending-approval\n    - {state: processing, after: {reads: 1}}\n    - {state: completed, after: {elapsed: 1h}}\n" +
		"rules:\n  - {on: cancel, calls: 1, respond: {status: 500}}\n"
	bySession = "name: by-session\ntitle: By session\nmagic: {ssn: 000-00-7007}\nverification_request:\n  timeline:\n" +
		"    - state: processing\n    - {state: completed, after: {reads: 1}}\n"
)

func TestPlayground(t *testing.T) {
	cases{
		"begins with a template, a scenario or a file": func(t *testing.T, v *visitor) {
			v.get(playground).shows(200, "name: my-first", "No problems", "pending approval", "after 2 reads", "the first call of cancel: 500")
			v.get(playground+"?from=flaky").shows(200, "name: flaky", "replaces: flaky", "vr_flaky", "No problems")
			v.get(playground+"?from=lifecycle.yaml").shows(200, "name: lifecycle", "name: lifecycle-timed", "replaces: lifecycle-timed", "No problems").has(`id="choose-1"`)
			v.get(playground+"?from=status-full-tme").shows(404, "There is no scenario")
			v.get(playground+"?world=none").shows(404, "There is no world")
		},
		"names problems with their lines": func(t *testing.T, v *visitor) {
			v.post(playground+"/run", "text", strings.Replace(twoReads, "processing", "procesing", 1)).
				shows(200, "1 error", "Line 7", "procesing").has(`data-line="7" data-column="15"`).lacks(`id="trial"`)
			v.post(playground, "text", "name: [").shows(200, "1 error", "Nothing to try yet").has(`>name: [</textarea>`)
			v.post(playground, "text", "").shows(200, "1 warning", "Nothing to try yet")
			v.post(playground+"/run", "text", strings.Repeat("# much too long\n", 5000)).shows(200, "1 error")
		},
		"answers the steps in their order": func(t *testing.T, v *visitor) {
			v.post(playground+"/run", "text", twoReads, "step", "read", "step", "cancel other", "step", "read", "step", "next", "add", "read").
				shows(200, "200 Read it pending approval", "500 Cancel it", "By the rule in line 10 (the first call of cancel: 500 Internal Server Error).",
					"200 Read it processing", "Clock to the next step 15 Jan 10:30:00", "200 Read it completed").
				counts(5, `name="step"`).has(`value="cancel other"`)
			v.post(playground+"/run", "text", twoReads, "step", "read", "step", "read", "add", "undo").counts(1, `name="step"`)
			v.post(playground+"/run", "text", twoReads, "step", "read", "add", "none").counts(0, `name="step"`)
			v.post(playground+"/run", "text", twoReads, "step", "check", "step", "advance never").
				shows(200, "has no such request now", "is not a span of time")
		},
		"one of several scenarios": func(t *testing.T, v *visitor) {
			v.post(playground+"/run", "text", twoReads+"---\n"+bySession, "step", "read", "choose", "1").
				shows(200, "SSN 000-00-7007", "A session for its SSN").counts(0, `name="step"`).has(`name="scenario" value="1"`)
		},
		"session leads to its request": func(t *testing.T, v *visitor) {
			v.post(playground+"/run", "text", bySession, "step", "session", "step", "read", "step", "read").
				shows(200, "201 Create a session", "200 Read it processing", "200 Read it completed")
		},
		"rules of every request": func(t *testing.T, v *visitor) {
			down := "name: down\ntitle: Down\nmagic: {api_key: \"*_down\"}\nrules: [{on: any, respond: {status: 503}, delay: {fixed: 5m}}]\n"
			v.post(playground+"/run", "text", down, "step", "read", "step", "check", "step", "update", "step", "session").
				shows(200, "503 Read it", "By the rule in line 4", "The answer comes 5m0s late").counts(4, `class="status failed"`)
		},
		"at most 50 steps": func(t *testing.T, v *visitor) {
			fields := []string{"text", twoReads}
			for range 60 {
				fields = append(fields, "step", "read")
			}
			v.post(playground+"/run", fields...).shows(200, "as many steps as there may be").counts(50, `name="step"`)
		},
		"answers as the server does": func(t *testing.T, v *visitor) {
			answer := v.ask("GET", "/verification-requests/vr_completed", "").find(`"loan_id":"([^"]*)"`)
			v.post(playground+"/run", "text", strings.Replace(v.get(playground+"?from=completed").find(`(?s)<textarea[^>]*>(.*)</textarea>`), "name: completed", "name: other", 1), "step", "read").
				shows(200, `"loan_id": "`+answer+`"`)
		},
		"leaves no trace": func(t *testing.T, v *visitor) {
			before := v.get(prefix + "v1/worlds").body
			v.post(playground+"/run", "text", twoReads, "step", "read").shows(200)
			if after := v.get(prefix + "v1/worlds").body; after != before {
				t.Errorf("worlds: %s, before: %s", after, before)
			}
			v.ask("GET", "/verification-requests/vr_two_reads", "").shows(400)
		},
		"saves into a world": func(t *testing.T, v *visitor) {
			world := strings.TrimPrefix(v.world, prefix+"worlds/")
			v.follow(v.post(playground+"/save", "text", twoReads, "into", world)).shows(200, "Saved.", "vr_two_reads")
			v.ask("GET", "/verification-requests/vr_two_reads", "").shows(200).has(`"state":"pending-approval"`)
			v.get(playground + "?from=two-reads&world=" + world).has(twoReads[:40])
			v.follow(v.post(playground+"/save", "text", bySession+"---\n"+strings.Replace(twoReads, "two-reads", "two", 1), "into", "")).shows(200, "Saved.", "000-00-7007", "vr_two_reads")

			v.post(playground+"/save", "text", "name: [", "into", world).alerts(400, "1 error in the text").has("name: [</textarea>")
			v.post(playground+"/save", "text", "", "into", world).alerts(400, "has no scenario")
			v.post(playground+"/save", "text", twoReads, "into", "none").alerts(404, "There is no world").has("name: two-reads")
		},
		"is downloaded": func(t *testing.T, v *visitor) {
			file := v.post(playground+"/file", "text", strings.ReplaceAll(twoReads, "\n", "\r\n")).shows(200)
			if file.body != twoReads || file.header.Get("Content-Disposition") != `attachment; filename="two-reads.yaml"` {
				t.Errorf("%v %s", file.header, file.body)
			}
			v.post(playground+"/file", "text", "name: [").shows(200)
		},
		"alone loads the editor, at most 160 KB": func(t *testing.T, v *visitor) {
			v.get(prefix).shows(200).lacks("editor.min.js")
			path := v.get(playground).find(`src="([^"]*editor.min.js)"`)
			if size := len(v.send("GET", path, "", "Accept-Encoding", "gzip").shows(200).body); size > 160_000 {
				t.Errorf("%d bytes", size)
			}
			v.get(strings.Replace(path, "editor.min.js", "_editor/editor.js", 1)).shows(404)
		},
		"schema of the completion": func(t *testing.T, v *visitor) {
			if got := v.get(playground + "/schema").shows(200).body; got != string(scenarios.Schema()) {
				t.Error("is not that of the language")
			}
		},
	}.run(t)
}

// Without a frozen clock the steps begin at nine o'clock, so that they have the same answers all day.
func TestPlaygroundClock(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{}))
	v.post(playground+"/run", "text", twoReads, "step", "read").shows(200, " 09:00:00")
}

// The bundle of the editor is made of the sources beside it.
func TestPlaygroundEditor(t *testing.T) {
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
