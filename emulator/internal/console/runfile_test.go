package console_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// file writes a run as one file, and returns its path.
func (a answer) file(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "run.html")
	if err := os.WriteFile(path, []byte(a.shows(200).raw), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRunFile(t *testing.T) {
	cases{
		"has the failed requests first, with reasons and bodies, and the resources": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_lifecycle", "").shows(200)
			v.ask("PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"bad"}`).shows(400)
			v.send("GET", "/verification-requests/vr_other", "", "Authorization", "Bearer svc_sk_test_other-suite").shows(400)
			v.send("GET", "/verification-requests/vr_stray", "").shows(401)
			run := v.get(prefix+"run").shows(200, "5 requests, 3 failed", "Failed in console-tests 1", "cancellation_reason must be one of: immediate",
				"Failed in other-suite 1", "Failed outside any world 1", "Answered in console-tests 2", "State at the end").
				has(`data-world="console-tests"`, `data-world="other-suite"`).counts(5, `<article id="01`)
			if strings.Index(run.body, "Failed in") > strings.Index(run.body, "Answered in") {
				t.Error("the failed requests are not the first")
			}
			v.get(prefix+"run?world="+v.world[len(prefix+"worlds/"):]).shows(200, "3 requests, 1 failed").lacks("other-suite", "vr_stray")
			v.get(prefix+"run?world=none").shows(404, "There is no world")
		},
		"loads nothing, runs nothing and leads nowhere": func(t *testing.T, v *visitor) {
			const hostile = `\"></script><img src=x onerror=alert(1)><script>alert(1)</script>`
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+hostile+`"}`).shows(200)
			v.ask("GET", "/verification-requests/%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E", "")
			run := v.get(prefix + "run").shows(200).has(`http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-`).raw
			body := run[strings.Index(run, "</style>"):]
			for _, tag := range regexp.MustCompile(`<(script|img|form|link|iframe|object|a) [^>]*>|<(script|img|form)>`).FindAllString(body, -1) {
				if !strings.HasPrefix(tag, `<a href="#`) && !strings.HasPrefix(tag, `<a class="button quiet" href="#end"`) && !strings.HasPrefix(tag, `<a class="back" href="#"`) &&
					!strings.HasPrefix(tag, `<script type="application/x-understudy-snapshot" `) {
					t.Errorf("has %s", tag)
				}
			}
		},
		// A large file says what it leaves out, and keeps the failed requests.
		"is bounded": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_error_451", "").header.Get("Understudy-Request-Id")
			for range 100 { // each takes 100 KiB or more as HTML
				v.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+strings.Repeat("<", 15<<10)+`"}`).shows(200)
			}
			run := v.get(prefix + "run")
			left := run.find(`<p class="notice">([0-9]+ requests have no headers and bodies here: those of the others take 8 MiB, the most that a file has.)`)
			if header := run.header.Get("Understudy-Diagnosis"); header != left {
				t.Errorf("says %q, and its header %q", left, header)
			}
			if run.has(`<article id="` + asked + `">`); len(run.raw) > 14<<20 {
				t.Errorf("%d bytes", len(run.raw))
			}
		},
	}.run(t)
}
