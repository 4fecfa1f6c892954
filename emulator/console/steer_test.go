package console_test

import (
	"bytes"
	"mime/multipart"
	"slices"
	"strings"
	"testing"
)

func TestTheClockMovesOnAndLeadsBack(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.get(v.world+"/clock").says(200, "15 Jan 2025, 09:30:00 UTC frozen", "vr_lifecycle_timed becomes processing at 15 Jan 2025, 10:30:00 UTC")
	back := v.world + "/verification-requests/vr_lifecycle_timed"

	a := v.post(v.world+"/clock/advance", "by", "10m", "back", back)
	if to := a.header.Get("Location"); to != back+"?done=advanced" {
		t.Errorf("leads to %s", to)
	}
	v.follow(a).says(200, "The clock was moved on.", "15 Jan 2025, 09:40:00 UTC", "pending")
	v.follow(v.post(v.world+"/clock/next")).says(200, "15 Jan 2025, 10:30:00 UTC", "vr_lifecycle_timed becomes completed at 16 Jan 2025, 09:30:00 UTC")
	v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00")).says(200, "20 Jan 2025, 12:00:00 UTC", "Nothing here waits for time to pass")
	v.follow(v.post(v.world+"/clock/set", "to", "2025-01-20T12:00:30Z")).says(200, "20 Jan 2025, 12:00:30 UTC")
	v.follow(v.post(v.world+"/clock/run")).says(200, "The clock runs now.", "running")
	v.follow(v.post(v.world+"/clock/freeze")).says(200, "The clock stands now.", "frozen")
	v.get(v.world+"/clock/instant").says(200, "20 Jan 2025", "frozen")
}

func TestAClockThatCannotGoThereSaysWhyAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.post(v.world+"/clock/advance", "by", "a day").alerts(400, "a span of time such as 90s, 10m or 36h").has(`value="a day"`)
	v.post(v.world+"/clock/advance", "by", "-1h").alerts(400, "a positive span of time")
	v.post(v.world+"/clock/set", "to", "2025-01-14T00:00").alerts(409, "does not go back").has(`value="2025-01-14T00:00"`)
	v.post(v.world+"/clock/set", "to", "tomorrow").alerts(400, "one such as 2025-01-15T09:00:00Z")
	v.post(v.world + "/clock/next").says(303)
	v.post(v.world + "/clock/next").says(303)
	v.post(v.world+"/clock/next").alerts(409, "Nothing here waits for time to pass")
}

func TestAClockThatIsMovedFromAPageLeadsBackThereAlsoWhenItStays(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.post(v.world+"/clock/set", "to", "2025-01-20T12:00").says(303)
	back := v.world + "/journal?status=4xx"
	a := v.post(v.world+"/clock/next", "back", back)
	if to := a.header.Get("Location"); to != v.world+"/journal?done=waiting&status=4xx" {
		t.Errorf("leads to %s", to)
	}
	if said := v.follow(a).says(200, "The clock was not moved: nothing here waits for time to pass.").text(); strings.Contains(said, "That did not work") {
		t.Errorf("takes it for a mistake: %s", said)
	}
	v.post(v.world+"/clock/set", "to", "9990-12-31T23:00").says(303)
	v.follow(v.post(v.world+"/clock/advance", "by", "24h", "back", back)).alerts(200, "to the year 9990 at most")
}

func TestASpanThatIsTooLongIsToldFromOneThatIsNone(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for _, span := range []string{"999999999h", "1h99999999999999999999m"} {
		v.post(v.world+"/clock/advance", "by", span).alerts(400, "That is too far")
	}
	v.post(v.world+"/clock/advance", "by", "h").alerts(400, "Say by how much")
	v.post(v.world+"/clock/advance", "by", "2500000h").says(303)
}

func TestAFaultIsPutOnByItsFieldsAndTakenOff(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.get(v.world+"/faults").says(200, "No fault is on")
	v.follow(v.post(v.world+"/faults", "on", "get", "calls", "", "every", "", "probability", "", "state", "", "status", "429",
		"message", "Slow down", "retry_after", "7", "fault", "", "limit", "", "delay", "", "times", "2", "expires_in", "10m", "rule", "")).
		says(200, "The fault is on.", "fault-1", "every get, 2 times: 429 Too Many Requests", "after 2 more calls, or at 15 Jan 2025, 09:40:00 UTC")
	a := v.ask("GET", "/verification-requests/vr_completed", "")
	if a.status != 429 || a.header.Get("Retry-After") != "7" || !strings.Contains(a.body, "Slow down") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	v.get(v.world+"/faults").says(200, "after 1 more call, or")

	for words, fields := range map[string][]string{
		"calls 2-3 of cancel while processing: held back for": {"on", "cancel", "calls", "2-3", "state", "processing", "delay", "10ms-20ms"},
		"every 3rd call: fault empty":                         {"on", "any", "every", "3", "fault", "empty"},
		"every update above 5/1s: 429 Too Many Requests":      {"on", "update", "limit", "5/s"},
		"every create, with probability 0.5: held back":       {"on", "create", "probability", "0.5", "delay", "5ms"},
		"every call: fault truncated":                         {"rule", "{on: any, fault: truncated}"},
	} {
		v.follow(v.post(v.world+"/faults", fields...)).says(200, words)
	}
	v.follow(v.post(v.world+"/faults/remove", "id", "fault-1")).says(200, "The fault is off.")
	v.post(v.world+"/faults/remove", "id", "fault-1").alerts(404, "There is no fault")
	v.follow(v.post(v.world+"/faults/remove")).says(200, "All faults are off.", "No fault is on")
}

func TestAFaultThatIsNotRightNamesTheFieldAndKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for name, tt := range map[string]struct {
		fields  []string
		message string
	}{
		"calls that are none":             {[]string{"on", "get", "status", "429", "calls", "3-2"}, `Calls: "3-2" is not a call number`},
		"times that are no number":        {[]string{"on", "get", "status", "500", "times", "many"}, "Times: "},
		"times that no JSON has":          {[]string{"on", "get", "status", "500", "times", "NaN"}, "Times: "},
		"a number of calls that is none":  {[]string{"on", "get", "status", "500", "every", "0"}, "Every nth: must not be 0"},
		"a probability above 1":           {[]string{"on", "get", "status", "500", "probability", "2"}, `Probability: "2" is not a probability`},
		"a state that an update has not":  {[]string{"on", "get", "status", "500", "state", "done"}, "While the request is: "},
		"a status that is no error":       {[]string{"on", "get", "status", "42", "message", "x"}, "Error status: "},
		"a limit that is none":            {[]string{"on", "get", "limit", "x"}, `Limit: "x" is not a rate limit`},
		"a delay without a unit":          {[]string{"on", "get", "delay", "5"}, `Delay: "5" is not a span of time`},
		"a span of delays backwards":      {[]string{"on", "get", "delay", "5ms-1ms"}, "Delay: "},
		"a span of time that is none":     {[]string{"on", "get", "status", "500", "expires_in", "soon"}, "Expires in: a span of the world's time, such as 10m"},
		"Retry-After in words":            {[]string{"on", "get", "status", "429", "retry_after", "abc"}, "Retry-After: a whole number of seconds"},
		"Retry-After without an error":    {[]string{"on", "get", "delay", "5ms", "retry_after", "7"}, "Error status: choose one"},
		"a message without an error":      {[]string{"on", "get", "limit", "5/s", "message", "Slow down"}, "Error status: choose one"},
		"two things that happen":          {[]string{"on", "get", "status", "500", "fault", "empty"}, "Connection fault: "},
		"nothing that happens":            {[]string{"on", "get"}, "What happens: choose"},
		"a rule, and a field beside":      {[]string{"on", "any", "rule", "{on: get, fault: empty}", "times", "2"}, "Times: the rule is written below"},
		"a rule, and an operation beside": {[]string{"on", "get", "rule", "{on: any, fault: empty}"}, "Operation: the rule is written below"},
		"a rule that is not one":          {[]string{"on", "any", "rule", "{on: got}"}, "The rule is not right: rule:1:6: unknown value"},
		"a text that is no UTF-8":         {[]string{"on", "get", "status", "500", "calls", "\xff"}, "Calls: "},
	} {
		t.Run(name, func(t *testing.T) {
			a := v.post(v.world+"/faults", tt.fields...)
			a.t = t
			if a.alerts(400, tt.message); !slices.Contains(tt.fields, "rule") && strings.Contains(a.text(), "rule:1:") {
				t.Errorf("speaks of a text that nobody wrote: %s", a.text())
			}
		})
	}
	v.post(v.world+"/faults", "on", "get", "status", "429", "calls", "3-2").has(`value="3-2"`, `<option selected>429</option>`)
	v.post(v.world+"/faults", "on", "any", "rule", "{on: got}").has("{on: got}</textarea>", "<details open>")
	v.get(v.world+"/faults").says(200, "No fault is on")
}

func TestWhatCannotBeUndoneAsksFirst(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.get(v.world+"/reset").says(200, "Reset this world?", "This cannot be undone")
	v.get(v.world).says(200, "vr_lifecycle_timed")
	v.follow(v.post(v.world+"/reset")).says(200, "The world is as new.", "No verification request yet")
	v.get(v.world+"/journal").says(200, "No request yet")

	v.get(v.world + "/journal").has(`href="` + v.world + `/journal/clear"`)
	v.get(v.world+"/journal/clear").says(200, "Clear this world's journal?", "This cannot be undone").has(`action="` + v.world + `/journal/clear"`)

	v.get(v.world+"/delete").says(200, "Delete this world?")
	v.follow(v.post(v.world+"/delete")).says(200, "The world is forgotten.", "No request yet")
	v.get(v.world).says(404, "There is no world")
	v.post(v.world+"/delete").says(404, "There is no world")
}

// upload sends a file as a form of the snapshot page does, with the boxes that are checked.
func (v *visitor) upload(name, text string, boxes ...string) answer {
	v.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("snapshot", name)
	if err != nil {
		v.t.Fatal(err)
	}
	part.Write([]byte(text))
	for _, box := range boxes {
		if err := form.WriteField(box, "yes"); err != nil {
			v.t.Fatal(err)
		}
	}
	form.Close()
	return v.send("POST", v.world+"/snapshot", form.FormDataContentType(), body.String())
}

func TestASnapshotGoesOutAndInAgain(t *testing.T) {
	t.Parallel()
	v := visit(t)
	taken := v.get(v.world + "/snapshot/file")
	if got := taken.header.Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="understudy-`) || !strings.HasSuffix(got, `-20250115T093000Z.json"`) {
		t.Errorf("Content-Disposition: %s", got)
	}
	v.post(v.world + "/reset").says(303)
	v.get(v.world).says(200, "No verification request yet")
	v.follow(v.upload("world.json", taken.body, "sure")).says(200, "The world is what the snapshot says.", "vr_lifecycle_timed")
	v.get(v.world+"/journal").says(200, "/verification-requests/vr_lifecycle_timed")
	if again := v.get(v.world + "/snapshot/file"); again.body != taken.body {
		t.Errorf("the world is another: %s", again.body)
	}
}

func TestWhatIsNoSnapshotIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.upload("world.json", "{}", "sure").alerts(400, "snapshot")
	v.upload("world.json", "", "sure").alerts(400, "")
	for text, what := range map[string]string{
		`[]`: "it must be an object, not an array", `PK`: "not valid JSON at byte 0: a value, or a key in quotes, must begin here",
		`{"journal":{"entries":[3]}}`:               `"/journal/entries/0" must be an object, not a number`,
		`{"journal":{"entries":[{"status":"x"}]}}`:  `"/journal/entries/0/status" must be a number, not a string`,
		`{"journal":{"entries":[{"time":"noon"}]}}`: `"/journal/entries/0/time" is not an instant such as 2025-01-15T09:00:00Z`,
		`{"journal":{"entries":[{"x":1}]}}`:         `unknown key at "/journal/entries/0/x"`,
		`{"understudy_snapshot":1.5}`:               `"/understudy_snapshot" must be a whole number`,
	} {
		v.upload("world.json", text, "sure").alerts(400, "it cannot be read: "+what)
	}
	v.upload("", "{}", "sure").alerts(400, "No file was chosen")
	v.upload("world.json", v.get(v.world+"/snapshot/file").body).alerts(400, "replaces everything in this world: check the box")
	v.post(v.world+"/snapshot", "snapshot", "{}").alerts(400, "The form has no file")
	v.get(v.world).says(200, "vr_lifecycle_timed")
}

func TestAResourceIsOpenedByItsId(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for id, page := range map[string]string{
		"vr_completed": "/verification-requests/vr_completed", "qc_qualified": "/qualification-checks/qc_qualified",
		"tp_default": "/tenant-properties/tp_default", "cs_1": "/credentials-sessions/cs_1", "mine": "/tenant-properties/mine",
		"a/b": "/tenant-properties/a%2Fb",
	} {
		a := v.get(v.world + "/open?kind=tenant-properties&id=" + id).says(303)
		if to := a.header.Get("Location"); to != v.world+page {
			t.Errorf("%s leads to %s", id, to)
		}
	}
	v.get(v.world+"/open?id=+").alerts(400, "an id such as vr_completed")
}
