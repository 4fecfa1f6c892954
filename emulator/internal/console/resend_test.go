package console_test

import (
	"strings"
	"testing"
)

func TestResend(t *testing.T) {
	cases{
		// A resent request is one of the world: it has an entry, and steps its resource on.
		"as it was": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_lifecycle?fields=state", "")
			to := v.post(v.entry(asked)+"?status=2xx", "do", "resend").shows(303).header.Get("Location")
			if to == v.entry(asked) || !strings.HasPrefix(to, v.world+"/journal/") || !strings.HasSuffix(to, "?status=2xx") {
				t.Errorf("leads to %s", to)
			}
			v.get(to).shows(200, "?fields=state").has("&#34;processing&#34;").lacks(key)
			v.get(v.world+"/journal/").counts(3, `<li id="entry-`)
		},
		"with a body": func(t *testing.T, v *visitor) {
			asked := v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay <House>"}`)
			v.follow(v.post(v.entry(asked), "do", "resend")).shows(200, "200 property tp_default", `"name":"Quay <House>"`)
		},
		"session of a test person": func(t *testing.T, v *visitor) {
			v.session("000-00-1001")
			entry := v.get(v.world + "/journal/").find(`<li id="entry-[^"]*"><a href="([^"]*)"`)
			v.follow(v.post(entry, "do", "resend")).shows(200, "201 session")
		},
		"edited": func(t *testing.T, v *visitor) {
			entry := v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))
			a := v.follow(v.post(entry, "do", "send", "method", "PUT", "target", "/tenant-properties/tp_default",
				"headers", "Content-Type: application/json\r\nX-Request-Id: 77\r\n\r\nAuthorization: Bearer "+key+"\r\n", "body", `{"name":"Edited"}`))
			a.shows(200, "200 property tp_default", "X-Request-Id 77", `"name": "Edited"`).lacks(key)
		},
		"edited, and refused": func(t *testing.T, v *visitor) {
			entry := v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))
			for _, tt := range []struct{ method, target, headers, message string }{
				{"GET", "verification-requests/vr_completed", "", "That cannot be sent"},
				{"G T", "/verification-requests/vr_completed", "", "That cannot be sent"},
				{"GET", prefix + "v1/worlds", "", "That cannot be sent"},
				{"GET", "/verification-requests/vr_completed", "no colon", "A header is written as Name: value"},
				{"GET", "/verifications/vr_completed", "", "It reached no world: 404"},
				{"DELETE", "/verification-requests/vr_completed", "", "It reached no world: 405"},
			} {
				v.post(entry, "do", "send", "method", tt.method, "target", tt.target, "headers", tt.headers, "body", "typed").alerts(400, tt.message).has(">typed</textarea>")
			}
			v.get(v.world+"/journal/").counts(2, `<li id="entry-`)
		},
		"body is not recorded whole": func(t *testing.T, v *visitor) {
			asked := v.ask("PUT", "/tenant-properties/tp_default", `{"name":"`+strings.Repeat("x", 20<<10)+`"}`)
			v.get(v.entry(asked)).shows(200, "of which the beginning is recorded")
			v.post(v.entry(asked), "do", "resend").alerts(400, "The body is not recorded as a whole text")
		},
		// One click makes the next request like this one fail, once; others are answered.
		"fails next time": func(t *testing.T, v *visitor) {
			for how, outcome := range map[string]string{"500": "500", "429": "429", "reset": "none", "outage-200-empty": "200"} {
				entry := v.entry(v.ask("GET", "/verification-requests/vr_completed", "").shows(200))
				v.follow(v.post(entry, "fail", how)).shows(200, "The next matching request will fail once.")
				v.ask("GET", "/verification-requests/vr_processing", "").shows(200)
				v.ask("PUT", "/tenant-properties/tp_default", `{"name":"a"}`).shows(200)
				v.follow(v.post(entry, "do", "resend")).shows(200, outcome+" request vr_completed", " once, your fault on vr_completed.", "Decided by the rule “")
				v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			}
			v.post(v.entry(v.ask("GET", "/verification-requests/vr_completed", "")), "fail", "none").alerts(400, "has no such button")
		},
		"compared": func(t *testing.T, v *visitor) {
			first := v.ask("GET", "/verification-requests/vr_lifecycle", "")
			second := v.ask("GET", "/verification-requests/vr_lifecycle", "")
			id := first.header.Get("Understudy-Request-Id")
			choose := v.get(v.entry(first)+"?with="+id).shows(200, "Choose the other request")
			choose.has(`href="` + v.entry(second) + "?with=" + id + `"`)
			v.get(v.entry(second)+"?with="+id).shows(200, "Compared", "Request: the same", "equal lines", "Stop comparing").
				has(`<div class="differs"><code>  &#34;state&#34;: &#34;pending-approval&#34;,</code><code>  &#34;state&#34;: &#34;processing&#34;,</code></div>`)
			v.get(v.entry(second) + "?with=gone").shows(200).lacks("Stop comparing")
		},
	}.run(t)
}
