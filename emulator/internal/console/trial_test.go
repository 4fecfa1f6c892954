package console_test

import (
	"strings"
	"testing"
)

const trialReport = `[
 {"part": "baseline", "verdict": "survives", "exit_code": 0, "requests": [{"method": "PUT", "path": "/verification-requests/vr_processing/cancel", "answer": "200"}]},
 {"part": "cancel: 500, first call", "verdict": "reports", "why": "exit code 1", "exit_code": 1, "requests": [
  {"method": "PUT", "path": "/verification-requests/vr_processing/cancel", "answer": "500"}, {"method": "GET", "path": "/verification-requests/vr_processing", "answer": "200"}]},
 {"part": "cancel: truncated, first call", "verdict": "disagrees", "why": "<script>alert(1)</script>", "exit_code": 1, "output": "</pre><img src=x onerror=alert(1)>", "requests": []}
]`

func TestTrial(t *testing.T) {
	cases{
		"report is shown, the worst verdict first": func(t *testing.T, v *visitor) {
			v.get(prefix+"trial").shows(200, "Read a report", "understudy run --trial --report trial.json")
			a := v.upload(prefix+"trial", "trial.json", trialReport).shows(200, "disagrees in 1, reports in 1", "cancel: 500, first call", "exit code 1").
				has(`<div class="differs"><code>PUT /verification-requests/vr_processing/cancel → 200</code><code>PUT /verification-requests/vr_processing/cancel → 500</code></div>`,
					`<code></code><code>GET /verification-requests/vr_processing → 200</code>`)
			if worst, next := strings.Index(a.body, `>disagrees</span>`), strings.Index(a.body, `>reports</span>`); worst < 0 || worst > next {
				t.Errorf("disagrees is at %d, reports at %d", worst, next)
			}
			if found := unsafe(a.body); found != "" || strings.Contains(a.body, "<img src=x") {
				t.Errorf("the page has %s", found)
			}
		},
		"invalid file is refused": func(t *testing.T, v *visitor) {
			for _, text := range []string{"", "{}", "[]", `[{"part":1}]`} {
				v.upload(prefix+"trial", "trial.json", text).alerts(400, "The file is no report of a trial in JSON, as --report FILE.json writes it")
			}
			v.upload(prefix+"trial", "", "").alerts(400, "No file was chosen")
			v.upload(prefix+"trial", "trial.json", strings.Repeat(" ", 9<<20)).alerts(413, "The file is larger than 8 MB")
		},
	}.run(t)
}
