package console_test

import (
	"strings"
	"testing"
)

func TestFault(t *testing.T) {
	cases{
		"is added by its rule and removed": func(t *testing.T, v *visitor) {
			page := v.get(v.world+"/faults").shows(200, "No fault is on")
			v.follow(v.post(v.world+"/faults", "rule", `{on: get, respond: {status: 429, headers: {Retry-After: "7"}}, times: 2}`, "expires_in", "10m")).
				shows(200, "Fault added.", "fault-1", "every get, 2 times: 429 Too Many Requests", "after 2 more calls, or at 15 Jan 2025, 09:40:00 UTC")
			if a := v.ask("GET", "/verification-requests/vr_completed", "").shows(429); a.header.Get("Retry-After") != "7" {
				t.Errorf("%v", a.header)
			}
			v.get(v.world+"/faults").shows(200, "after 1 more call, or")
			examples := page.all(`<a class="chip" href="(\?rule=[^"]*)#another"`)
			if len(examples) < 5 {
				t.Errorf("%d rules to begin with", len(examples))
			}
			for _, example := range examples {
				rule := v.get(v.world + "/faults" + example).find(`(?s)<textarea name="rule"[^>]*>(.+)</textarea>`)
				v.follow(v.post(v.world+"/faults", "rule", rule)).shows(200, "Fault added.")
			}
			v.follow(v.post(v.world+"/faults/remove", "remove", "fault-1")).shows(200, "Fault removed.")
			v.post(v.world+"/faults/remove", "remove", "fault-1").alerts(404, "There is no fault")
			v.follow(v.post(v.world+"/faults/remove")).shows(200, "All faults removed.", "No fault is on")
		},
		"preset is turned on and off": func(t *testing.T, v *visitor) {
			on := `value="429-once" aria-pressed="true"`
			back := v.world + "/journal/?status=4xx"
			v.get(v.world+"/faults").has(`value="429-once" aria-pressed="false"`, `value="none" aria-pressed="true"`).
				find(`(?s)value="wrong-type".*(<h3>Webhooks</h3>).*value="webhook-twice"`)
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
			v.post(v.world+"/faults", "id", "vr_completed", "rule", "{on: get, respond: {status: 503}}").shows(303)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(503)
			v.post(v.world+"/faults", "rule", "{on: cancel, respond: {status: 500}}").shows(303)
			v.get(v.world+"/verification-requests/vr_completed").shows(200, "Also on: every get: 503 Service Unavailable every cancel: 500 Internal Server Error for every request")
			v.get(v.world+"/verification-requests/vr_processing").shows(200, "Also on: every cancel:").lacks("503 Service").has(`value="none" aria-pressed="false"`) // though the later fault is for all
			v.post(v.world+"/faults/remove", "remove", "fault-3").shows(303)
			v.follow(v.post(v.world+"/faults/toggle", "preset", "none", "id", "vr_processing", "back", v.request("vr_processing"))).has(`value="500" aria-pressed="false"`)
			v.get(v.world+"/faults").shows(200, "503 Service Unavailable").lacks("500 Internal")
		},
		"invalid rule is kept": func(t *testing.T, v *visitor) {
			v.post(v.world+"/faults", "rule", "{on: got}").alerts(400, "The rule is invalid: rule:1:6: unknown value").has("{on: got}</textarea>")
			v.post(v.world+"/faults", "rule", "{on: get, fault: empty}", "expires_in", "soon").alerts(400, `"soon" is not a span of time`)
			v.post(v.world+"/faults").alerts(400, "")
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
	}.run(t)
}
