package console_test

import "testing"

func TestClock(t *testing.T) {
	cases{
		"moves on": func(t *testing.T, v *visitor) {
			v.get(v.world+"/clock").shows(200, "15 Jan 2025, 09:30:00 UTC frozen", "15 Jan 2025, 10:30:00 UTC vr_lifecycle_timed becomes processing", "Requests of this world are answered at its time")
			back := v.world + "/verification-requests/vr_lifecycle_timed"

			v.follow(v.post(v.world+"/clock/advance", "by", "10m", "back", back).leads(back)).shows(200, "Clock advanced.", "15 Jan 2025, 09:40:00 UTC", "pending")
			v.follow(v.post(v.world+"/clock/next")).shows(200, "15 Jan 2025, 10:30:00 UTC", "16 Jan 2025, 09:30:00 UTC vr_lifecycle_timed becomes completed")
			v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00")).shows(200, "20 Jan 2025, 12:00:00 UTC", "No request is waiting for the clock")
			v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00:30Z")).shows(200, "20 Jan 2025, 12:00:30 UTC")
			v.follow(v.post(v.world+"/clock/run")).shows(200, "Clock running.", "running")
			v.follow(v.post(v.world+"/clock/freeze")).shows(200, "Clock frozen.", "frozen")
			v.get(v.world+"/clock/instant").shows(200, "20 Jan 2025", "frozen")
		},
		"refused move keeps the form": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/advance", "by", "a day").alerts(400, "a span of time such as 90s, 10m, 48h or 7d").has(`value="a day"`)
			v.post(v.world+"/clock/advance", "by", "-1h").alerts(400, "A clock does not go back")
			v.post(v.world+"/clock/set", "to", "2025-01-14T00:00").alerts(409, "does not go back").has(`value="2025-01-14T00:00"`)
			v.post(v.world+"/clock/set", "to", "tomorrow").alerts(400, "an instant such as 2025-01-15T09:00:00Z")
			v.post(v.world + "/clock/next").shows(303)
			v.post(v.world + "/clock/next").shows(303)
			v.post(v.world+"/clock/next").alerts(409, "No verification request in this world is waiting for the clock")
		},
		"form of another page redirects back": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/set", "to", "2025-01-20T12:00").shows(303)
			back := v.world + "/journal/?status=4xx"
			v.follow(v.post(v.world+"/clock/next", "back", back).leads(v.world+"/journal/?status=4xx")).
				shows(200, "The clock was not moved: no request here is waiting for it.").lacks("That did not work")
			v.post(v.world+"/clock/set", "to", "9990-12-31T23:00").shows(303)
			v.follow(v.post(v.world+"/clock/advance", "by", "24h", "back", back)).alerts(200, "to the year 9990 at most")
		},
		"steps that are due": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/advance", "by", "30m").shows(303)
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_later","scenario":"lifecycle-timed"}`).shows(201)
			v.ask("GET", "/verification-requests/vr_later", "").shows(200)
			v.get(v.world+"/clock").shows(200, "10:30:00 UTC vr_lifecycle_timed becomes processing", "UTC vr_later becomes processing").
				find("(?s)(vr_lifecycle_timed.*vr_later)")
			at := v.get(v.world + "/clock").find(`value="([^"]*)" aria-label="Move there: vr_later becomes processing"`)
			v.follow(v.post(v.world+"/clock/set", "to", at)).shows(200, "vr_later becomes completed")
		},
		"script is answered with an event": func(t *testing.T, v *visitor) {
			a := v.send("POST", v.world+"/clock/advance", "by=10m", "Content-Type", "application/x-www-form-urlencoded", "HX-Request", "true").shows(204)
			if a.header.Get("HX-Trigger") != "clock, live" {
				t.Error(a.header)
			}
			v.get(v.world+"/clock/instant?frozen=true").shows(200, "09:40:00 UTC").lacks("hx-swap-oob")
			v.get(v.world+"/clock/instant?frozen=false").has(`<span id="freeze" hx-swap-oob="true">`, "Run the clock") // the button has changed
			v.post(v.world+"/clock/set", "to", "2025-01-20T12:00").shows(303)
			a = v.send("POST", v.world+"/clock/next", "back="+v.world, "Content-Type", "application/x-www-form-urlencoded", "HX-Request", "true").shows(204)
			if a.header.Get("HX-Redirect") != v.world {
				t.Error(a.header)
			}
			v.get(v.world).shows(200, "The clock was not moved: no request here is waiting")
		},
		"too long and malformed spans": func(t *testing.T, v *visitor) {
			for _, span := range []string{"999999999h", "1h99999999999999999999m"} {
				v.post(v.world+"/clock/advance", "by", span).alerts(400, "too long a span of time")
			}
			v.post(v.world+"/clock/advance", "by", "h").alerts(400, "is not a span of time")
			v.post(v.world+"/clock/advance", "by", "2500000h").shows(303)
		},
	}.run(t)
}
