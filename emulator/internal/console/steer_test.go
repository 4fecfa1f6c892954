package console_test

import (
	"slices"
	"testing"
)

func TestClock(t *testing.T) {
	cases{
		"moves on": func(t *testing.T, v *visitor) {
			v.get(v.world+"/clock").shows(200, "15 Jan 2025, 09:30:00 UTC frozen", "vr_lifecycle_timed becomes processing at 15 Jan 2025, 10:30:00 UTC")
			back := v.world + "/verification-requests/vr_lifecycle_timed"

			v.follow(v.post(v.world+"/clock/advance", "by", "10m", "back", back).leads(back+"?done=advanced")).shows(200, "The clock was moved on.", "15 Jan 2025, 09:40:00 UTC", "pending")
			v.follow(v.post(v.world+"/clock/next")).shows(200, "15 Jan 2025, 10:30:00 UTC", "vr_lifecycle_timed becomes completed at 16 Jan 2025, 09:30:00 UTC")
			v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00")).shows(200, "20 Jan 2025, 12:00:00 UTC", "Nothing here waits for time to pass")
			v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00:30Z")).shows(200, "20 Jan 2025, 12:00:30 UTC")
			v.follow(v.post(v.world+"/clock/run")).shows(200, "The clock runs.", "running")
			v.follow(v.post(v.world+"/clock/freeze")).shows(200, "The clock is frozen.", "frozen")
			v.get(v.world+"/clock/instant").shows(200, "20 Jan 2025", "frozen")
		},
		"refused move keeps the form": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/advance", "by", "a day").alerts(400, "a span of time such as 90s, 10m or 36h").has(`value="a day"`)
			v.post(v.world+"/clock/advance", "by", "-1h").alerts(400, "a positive span of time")
			v.post(v.world+"/clock/set", "to", "2025-01-14T00:00").alerts(409, "does not go back").has(`value="2025-01-14T00:00"`)
			v.post(v.world+"/clock/set", "to", "tomorrow").alerts(400, "an instant such as 2025-01-15T09:00:00Z")
			v.post(v.world + "/clock/next").shows(303)
			v.post(v.world + "/clock/next").shows(303)
			v.post(v.world+"/clock/next").alerts(409, "Nothing here waits for time to pass")
		},
		"form of another page redirects back": func(t *testing.T, v *visitor) {
			v.post(v.world+"/clock/set", "to", "2025-01-20T12:00").shows(303)
			back := v.world + "/journal?status=4xx"
			v.follow(v.post(v.world+"/clock/next", "back", back).leads(v.world+"/journal?done=waiting&status=4xx")).
				shows(200, "The clock was not moved: nothing here waits for time to pass.").lacks("That did not work")
			v.post(v.world+"/clock/set", "to", "9990-12-31T23:00").shows(303)
			v.follow(v.post(v.world+"/clock/advance", "by", "24h", "back", back)).alerts(200, "to the year 9990 at most")
		},
		"too long and malformed spans": func(t *testing.T, v *visitor) {
			for _, span := range []string{"999999999h", "1h99999999999999999999m"} {
				v.post(v.world+"/clock/advance", "by", span).alerts(400, "That is too far")
			}
			v.post(v.world+"/clock/advance", "by", "h").alerts(400, "Enter a span of time")
			v.post(v.world+"/clock/advance", "by", "2500000h").shows(303)
		},
	}.run(t)
}

func TestFault(t *testing.T) {
	cases{
		"is added by its fields and removed": func(t *testing.T, v *visitor) {
			v.get(v.world+"/faults").shows(200, "No fault is on")
			v.follow(v.post(v.world+"/faults", "on", "get", "calls", "", "every", "", "probability", "", "state", "", "status", "429",
				"message", "Slow down", "retry_after", "7", "fault", "", "limit", "", "delay", "", "times", "2", "expires_in", "10m", "rule", "")).
				shows(200, "The fault is on.", "fault-1", "every get, 2 times: 429 Too Many Requests", "after 2 more calls, or at 15 Jan 2025, 09:40:00 UTC")
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
			v.follow(v.post(v.world+"/faults/remove", "id", "fault-1")).shows(200, "The fault is off.")
			v.post(v.world+"/faults/remove", "id", "fault-1").alerts(404, "There is no fault")
			v.follow(v.post(v.world+"/faults/remove")).shows(200, "All faults are off.", "No fault is on")
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
				{"Expires in: a span of the world's time, such as 10m", "on", "get", "status", "500", "expires_in", "soon"},
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
