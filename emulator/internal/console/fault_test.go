package console_test

import (
	"slices"
	"strings"
	"testing"
)

func TestFault(t *testing.T) {
	cases{
		"is added by its fields and removed": func(t *testing.T, v *visitor) {
			v.get(v.world+"/faults").shows(200, "No fault is on")
			v.follow(v.post(v.world+"/faults", "on", "get", "calls", "", "every", "", "probability", "", "state", "", "status", "429",
				"message", "Slow down", "retry_after", "7", "fault", "", "limit", "", "delay", "", "times", "2", "expires_in", "10m", "rule", "")).
				shows(200, "Fault added.", "fault-1", "every get, 2 times: 429 Too Many Requests", "after 2 more calls, or at 15 Jan 2025, 09:40:00 UTC")
			if a := v.ask("GET", "/verification-requests/vr_completed", "").shows(429, "Slow down"); a.header.Get("Retry-After") != "7" {
				t.Errorf("%v", a.header)
			}
			v.get(v.world+"/faults").shows(200, "after 1 more call, or")

			for words, fields := range map[string][]string{
				"calls 2-3 of cancel while processing: delayed by": {"on", "cancel", "calls", "2-3", "state", "processing", "delay", "10ms-20ms"},
				"every 3rd call: fault empty":                      {"on", "any", "every", "3", "fault", "empty"},
				"every update above 5/1s: 429 Too Many Requests":   {"on", "update", "limit", "5/s"},
				"every create, with probability 0.5: delayed by":   {"on", "create", "probability", "0.5", "delay", "5ms"},
				"every call: fault truncated":                      {"rule", "{on: any, fault: truncated}"},
			} {
				v.follow(v.post(v.world+"/faults", fields...)).shows(200, words)
			}
			v.follow(v.post(v.world+"/faults/remove", "remove", "fault-1")).shows(200, "Fault removed.")
			v.post(v.world+"/faults/remove", "remove", "fault-1").alerts(404, "There is no fault")
			v.follow(v.post(v.world+"/faults/remove")).shows(200, "All faults removed.", "No fault is on")
		},
		"preset is turned on and off": func(t *testing.T, v *visitor) {
			on := `value="429-once" aria-pressed="true"`
			back := v.world + "/journal/?status=4xx"
			v.get(v.world+"/faults").has(`value="429-once" aria-pressed="false"`, `value="none" aria-pressed="true"`)
			for _, preset := range []string{"429-once", "500", "slow", "reset"} {
				v.follow(v.post(v.world+"/faults/toggle", "preset", preset)).shows(200, "Fault added.").has(`value="` + preset + `" aria-pressed="true"`)
			}
			if to := v.post(v.world+"/faults/toggle", "preset", "500", "back", back).shows(303).header.Get("Location"); !strings.Contains(to, "status=4xx") {
				t.Error(to)
			}
			v.follow(v.post(v.world+"/faults/toggle", "preset", "none")).shows(200, "No fault is on").lacks(on)

			v.post(v.world+"/faults/toggle", "preset", "429-once").shows(303)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(429)
			v.get(v.world+"/faults").shows(200, "No fault is on").lacks(on) // it is used up
			v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			v.post(v.world+"/faults/toggle", "preset", "often").alerts(400, "There is no such preset")
		},
		"preset is for one id": func(t *testing.T, v *visitor) {
			v.follow(v.post(v.world+"/faults/toggle", "preset", "500", "id", "vr_processing", "back", v.world+"/faults?id=vr_processing")).
				shows(200, "Only vr_processing").has(`value="500" aria-pressed="true"`)
			v.get(v.world + "/faults").has(`value="500" aria-pressed="false"`)
			v.ask("GET", "/verification-requests/vr_processing", "").shows(500)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			v.post(v.world+"/faults", "on", "get", "status", "503", "id", "vr_completed").shows(303)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(503)
			v.post(v.world+"/faults", "on", "cancel", "status", "500").shows(303)
			v.get(v.world+"/verification-requests/vr_completed").shows(200, "Also on: every get: 503 Service Unavailable every cancel: 500 Internal Server Error for every request")
			v.get(v.world+"/verification-requests/vr_processing").shows(200, "Also on: every cancel:").lacks("503 Service").has(`value="none" aria-pressed="false"`) // though the later fault is for all
			v.post(v.world+"/faults/remove", "remove", "fault-3").shows(303)
			toggled := v.send("POST", v.world+"/faults/toggle", "preset=none&id=vr_processing", "Content-Type", "application/x-www-form-urlencoded", "HX-Request", "true").
				shows(200).has(`class="fault-toggles"`, `value="500" aria-pressed="false"`).lacks("<h1>")
			if trigger := toggled.header.Get("HX-Trigger"); trigger != "faults" {
				t.Errorf("other parts of the page are told %q", trigger)
			}
			v.get(v.world+"/faults").shows(200, "503 Service Unavailable").lacks("500 Internal")
		},
		"invalid field is named and the form kept": func(t *testing.T, v *visitor) {
			for _, row := range [][]string{
				{`Calls: "3-2" is not a call number`, "on", "get", "status", "429", "calls", "3-2"},
				{"Times: ", "on", "get", "status", "500", "times", "many"},
				{"Times: ", "on", "get", "status", "500", "times", "NaN"},
				{"Every nth: must not be 0", "on", "get", "status", "500", "every", "0"},
				{`Probability: "2" is not a probability`, "on", "get", "status", "500", "probability", "2"},
				{"While the request is: ", "on", "get", "status", "500", "state", "done"},
				{"Error status: ", "on", "get", "status", "42", "message", "x"},
				{`Limit: "x" is not a rate limit: write requests/time, such as 10/s`, "on", "get", "limit", "x"},
				{`Delay: "5" is not a span of time`, "on", "get", "delay", "5"},
				{`Every nth: must be a number, not a string Faults`, "on", "get", "status", "500", "every", "x"},
				{`While the request is: unknown value "zz": must be`, "on", "get", "status", "500", "state", "zz"},
				{"Delay: ", "on", "get", "delay", "5ms-1ms"},
				{`"soon" is not a span of time`, "on", "get", "status", "500", "expires_in", "soon"},
				{"Retry-After: a whole number of seconds", "on", "get", "status", "429", "retry_after", "abc"},
				{"Error status: choose one", "on", "get", "delay", "5ms", "retry_after", "7"},
				{"Error status: choose one", "on", "get", "limit", "5/s", "message", "Slow down"},
				{"Connection fault: ", "on", "get", "status", "500", "fault", "empty"},
				{"What happens: choose", "on", "get"},
				{"Times: the rule below has this itself", "on", "any", "rule", "{on: get, fault: empty}", "times", "2"},
				{"Operation: the rule below has this itself", "on", "get", "rule", "{on: any, fault: empty}"},
				{"The rule is invalid: rule:1:6: unknown value", "on", "any", "rule", "{on: got}"},
				{"Calls: ", "on", "get", "status", "500", "calls", "\xff"},
			} {
				a := v.post(v.world+"/faults", row[1:]...).alerts(400, row[0])
				if !slices.Contains(row, "rule") {
					a.lacks("rule:1:") // of the generated text
				}
			}
			v.post(v.world+"/faults", "on", "get", "status", "429", "calls", "3-2").has(`value="3-2"`, `<option selected>429</option>`)
			v.post(v.world+"/faults", "on", "any", "rule", "{on: got}").has("{on: got}</textarea>", "<details open>")
			v.get(v.world+"/faults").shows(200, "No fault is on")
		},
	}.run(t)
}

// Presets of ugly answers are turned on as all others, and their bodies are text wherever the console shows them.
func TestOutage(t *testing.T) {
	cases{
		"preset is a toggle": func(t *testing.T, v *visitor) {
			v.follow(v.post(v.world+"/faults/toggle", "preset", "outage-200-html", "id", "vr_processing")).has(`value="outage-200-html"`)
			v.ask("GET", "/verification-requests/vr_processing", "").shows(200)
			v.get(v.world + "/faults?id=vr_processing").has(`value="outage-200-html" aria-pressed="true"`)
			v.get(v.world+"/verification-requests/vr_processing").shows(200, "502 in HTML")
		},
		"body is shown as text": func(t *testing.T, v *visitor) {
			rule := `{on: any, respond: {status: 200, content_type: text/html, body: "<script>alert(1)</script>"}}`
			v.post(v.world+"/faults", "rule", rule).shows(303)
			asked := v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			v.get(v.entry(asked)).shows(200, "your fault on every call").has("&lt;script&gt;alert(1)").lacks("<script>alert(1)")
			v.get(v.world + "/faults").shows(200).lacks("<script>alert(1)")
			v.get(prefix + "catalogue/outage-502").shows(200).has("&lt;h1&gt;Error 502&lt;/h1&gt;")
		},
		"answer is tried out in the catalogue": func(t *testing.T, v *visitor) {
			v.post(prefix+"catalogue/outage-502", "send", "read").shows(200, "502").has("&lt;h1&gt;Error 502&lt;/h1&gt;").lacks("<h1>Error")
		},
	}.run(t)
}
