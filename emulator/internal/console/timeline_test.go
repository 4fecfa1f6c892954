package console_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// timeline returns what a person reads on the timeline of a page.
func (a answer) timeline() string {
	a.t.Helper()
	a.body = a.find(`(?s)<ol class="events">(.*?)</section>`)
	return a.text()
}

func TestTimeline(t *testing.T) {
	cases{
		// States, requests, faults and moves of the clock are one list, the latest first.
		"merges states, requests, faults and the clock": func(t *testing.T, v *visitor) { // which has read vr_lifecycle_timed once
			page := v.request("vr_lifecycle_timed")
			v.post(v.world+"/faults", "rule", "{on: get, respond: {status: 429}, times: 1}").shows(303)
			hit := v.ask("GET", "/verification-requests/vr_lifecycle_timed", "").shows(429)
			v.post(v.world+"/clock/advance", "by", "1h30m").shows(303)
			read := v.ask("GET", "/verification-requests/vr_lifecycle_timed", "").shows(200)
			v.ask("GET", "/verification-requests/vr_completed", "").shows(200) // another one
			shown := v.get(page).shows(200).has(`href="`+v.entry(hit)+`"`, `href="`+v.entry(read)+`"`, `href="`+v.world+`/faults#fault-1"`)
			want := "completed next 16 Jan 09:30:00 after 23h 200 Read 15 Jan 11:00:00 processing now 15 Jan 10:30:00 after 1h Clock moved on by 1 h 30 min " +
				"429 Read fault 15 Jan 09:30:00 429 once, your fault on every get 200 Read 15 Jan 09:30:00 pending approval past 15 Jan 09:30:00"
			if got := shown.timeline(); got != want {
				t.Errorf("the timeline is\n%s, want\n%s", got, want)
			}
		},
		"state follows the request that is the first to show it": func(t *testing.T, v *visitor) {
			for range 3 {
				v.ask("GET", "/verification-requests/vr_lifecycle", "").shows(200)
			}
			instants := regexp.MustCompile(` 15 Jan 09:30:00| after \d+ reads?`)
			want := "completed now 200 Read processing past 200 Read 200 Read pending approval past"
			if got := instants.ReplaceAllString(v.get(v.request("vr_lifecycle")).timeline(), ""); got != want {
				t.Errorf("the timeline is %q, want %q", got, want)
			}
			v.ask("PUT", "/verification-requests/vr_action_required/cancel", `{"cancellation_reason":"other"}`).shows(200)
			if got := v.get(v.request("vr_action_required")).timeline(); !strings.HasPrefix(got, "canceled now 15 Jan 09:30:00 put there from outside its scenario 200 Cancel 15 Jan 09:30:00 action required past") {
				t.Errorf("the timeline is %q", got)
			}
		},
		"many reads are folded": func(t *testing.T, v *visitor) {
			for range 14 {
				v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			}
			v.get(v.request("vr_completed")).shows(200, "14 reads 200").counts(15, `<li class="request">`)
			for range 100 {
				v.ask("GET", "/verification-requests/vr_completed", "").shows(200)
			}
			v.get(v.request("vr_completed")).shows(200, "100 reads 200", "14 earlier").has(`href="` + v.world + `/journal/?q=vr_completed"`)
		},
		"other resources": func(t *testing.T, v *visitor) {
			v.ask("PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).shows(200)
			v.get(v.world+"/tenant-properties/tp_default").shows(200, "200 Update")
			v.get(v.world+"/qualification-checks/qc_qualified").shows(200, "Nothing has asked for it yet.")
			v.ask("GET", "/qualification-checks/qc_qualified", "").shows(200)
			v.get(v.world+"/qualification-checks/qc_qualified").shows(200, "200 Read")
			id := v.session("000-00-1001")
			v.session("000-00-1001")
			for _, page := range []string{v.world + "/credentials-sessions/" + id, v.requestOf(id)} {
				v.get(page).shows(200, "201 Created with its session").counts(1, "Created with its session")
			}
		},
	}.run(t)
}

func TestTimelineRunningClock(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{}))
	v.post(v.world+"/clock/advance", "by", "36h").shows(303)
	v.get(v.request("vr_lifecycle_timed")).shows(200, "Clock moved on by 1 d 12 h")
}

func TestTimelineWithoutJournal(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithJournalSize(0))
	v.get(v.request("vr_lifecycle_timed")).shows(200, "pending approval now").lacks("moved on by")
}
