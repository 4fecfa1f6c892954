package console_test

import (
	"html"
	"regexp"
	"testing"
)

var scenarioText = regexp.MustCompile(`(?s)<textarea[^>]*name="text"[^>]*>\n?(.*?)</textarea>`)

// A recorded answer becomes a scenario that the parser accepts, and whose magic value is answered the same by the world in which
// it is saved.
func TestRecordedScenario(t *testing.T) {
	asScenario := func(v *visitor, asked answer) string {
		return v.world + "/compose?entry=" + asked.header.Get("Understudy-Request-Id")
	}
	repeats := map[string]struct{ method, path, body, at string }{
		"a request":         {"GET", "/verification-requests/vr_processing?fields=id,state", "", "/verification-requests/"},
		"an error":          {"GET", "/verification-requests/vr_error_451", "", "/verification-requests/"},
		"a 429":             {"GET", "/verification-requests/vr_limited_date", "", "/verification-requests/"},
		"a refusal":         {"PUT", "/verification-requests/vr_lifecycle/cancel", `{"cancellation_reason":"it's"}`, "/verification-requests/"},
		"a property":        {"PUT", "/tenant-properties/tp_default", `{"name":"Quay's \"House\" ☃\u0007"}`, "/tenant-properties/"},
		"a check":           {"GET", "/qualification-checks/qc_qualified", "", "/qualification-checks/"},
		"a refused session": {"POST", "/credentials/session", blankName, ""},
	}
	tests := cases{
		"what cannot be repeated says why": func(t *testing.T, v *visitor) {
			v.get(asScenario(v, v.ask("GET", "/verification-requests/vr_large", ""))).shows(409, "Only the beginning of the answer")
			v.get(asScenario(v, v.ask("GET", "/verification-requests/vr_completed", ""))).shows(200, "# The answer had a social security number", "# The answer had a secret")
			v.get(v.world+"/compose?entry=none").shows(404, "has no request")
			v.get(prefix+"worlds/none/compose?entry=none").shows(404, "There is no world")
		},
	}
	for name, tt := range repeats {
		tests[name] = func(t *testing.T, v *visitor) {
			first := v.ask(tt.method, tt.path, tt.body)
			text := html.UnescapeString(scenarioText.FindStringSubmatch(v.get(asScenario(v, first)).shows(200).raw)[1])
			path := tt.path
			if tt.at != "" {
				path = tt.at + answer{t: t, body: text}.find(`magic: \{[a-z_]*: (.*)\}`)
			}
			if tt.method == "PUT" && tt.at == "/verification-requests/" {
				path += "/cancel"
			}
			v.post(v.world+"/compose/save", "text", text).shows(303)
			repeated := v.ask(tt.method, path, tt.body)
			if repeated.status != first.status || repeated.raw != first.raw || repeated.header.Get("Retry-After") != first.header.Get("Retry-After") {
				t.Errorf("%s\nanswers %d %s\nin place of %d %s", text, repeated.status, repeated.raw, first.status, first.raw)
			}
		}
	}
	tests.run(t)
}
