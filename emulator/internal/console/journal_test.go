package console_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestJournal(t *testing.T) {
	cases{
		"latest first, filtered": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_complted", "")
			v.ask("PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"immediate"}`)
			text := v.get(v.world+"/journal/").shows(200, "did you mean vr_completed?", "200 request vr_lifecycle_timed", "All 3", "2xx 2", "4xx 1", "request 2", "cancel 1").text()
			if strings.Index(text, "200 cancel") > strings.Index(text, "vr_complted") {
				t.Error("the latest does not come first")
			}
			for query, want := range map[string]int{
				"": 3, "?status=4xx": 1, "?status=200": 2, "?operation=cancelVerificationRequest": 1, "?path=/verification-requests/*": 2, "?status=0": 0,
				"?q=vr_complted": 1, "?q=lifecycle-timed": 1, "?q=vr_&status=4xx": 1, "?status=fault": 0,
			} {
				v.get(v.world+"/journal/"+query).counts(want, `<li id="entry-`)
			}
			v.get(v.world+"/journal/?status=0").shows(200, "No such request", "See all")
			v.get(v.world+"/journal/?status=many").alerts(400, `The status "many" is neither one`).counts(3, `<li id="entry-`).lacks(`> <span class="count">`)
			v.get(v.world+"/journal/?operation=cancel").alerts(400, "There is no operation")
			v.get(v.world+"/journal/?path=[").alerts(400, "is not a path")
			v.follow(v.post(v.world+"/journal/clear")).shows(200, "Journal cleared.", "No request yet", "curl")
		},
		// A chip takes its filter away when it is set, and keeps the others.
		"chips": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_error_451", "")
			v.post(v.world+"/faults", "rule", "{on: get, fault: truncated, times: 1}").shows(303)
			v.post(v.entry(v.ask("PUT", "/tenant-properties/tp_default", `{"name":"a"}`)), "do", "send", "method", "GET", "target", "/verification-requests/vr_completed").shows(303)
			chip := func(query, name string) string {
				return v.get(v.world + "/journal/" + query).find(`<a class="chip" href="[^"?]*([^"]*)"[^>]*>` + name + " ")
			}
			for _, tt := range []struct{ at, name, leads string }{
				{"", "4xx", "?status=4xx"},
				{"?q=vr&status=4xx", "4xx", "?q=vr"},
				{"?q=vr&status=4xx", "request", "?operation=getVerificationRequest&q=vr&status=4xx"},
				{"?status=4xx&with=x", "All", "?with=x"},
				{"?status=451", "451", ""},
				{"", "Fault", "?status=fault"},
			} {
				if leads := chip(tt.at, tt.name); leads != tt.leads {
					t.Errorf("at %s, %s leads to %s, want %s", tt.at, tt.name, leads, tt.leads)
				}
			}
			v.get(v.world+"/journal/?status=fault").counts(1, `<li id="entry-`).shows(200, "truncated")
		},
		"pages": func(t *testing.T, v *visitor) {
			for i := range 60 {
				v.ask("GET", fmt.Sprintf("/verification-requests/vr_page_%02d", i), "")
			}
			next := v.get(v.world+"/journal/?status=400").shows(200, "Next page").counts(50, `<li id="entry-`).find(`href="([^"]*after=[^"]*)"`)
			v.get(next).shows(200, "The latest requests").counts(10, `<li id="entry-`).lacks("live from:body")
			v.send("GET", next, "", "HX-Target", "more").shows(200).counts(10, `<li id="entry-`).lacks("<html")
			oldest := v.get(next).find(`(?s).*<li id="entry-([^"]*)"`)
			v.get(v.world+"/journal/"+oldest).shows(200, "The latest requests").counts(1, `<li id="entry-`+oldest).counts(1, `aria-current="true">
<span class="status refused">`)
		},
		"neighbours alike fold": func(t *testing.T, v *visitor) {
			for range 6 {
				v.ask("GET", "/verification-requests/vr_completed", "")
			}
			for range 3 { // the states of the last two are the same
				v.ask("GET", "/verification-requests/vr_lifecycle", "")
			}
			v.ask("GET", "/verification-requests/vr_nowhere", "")
			v.ask("GET", "/verification-requests/vr_nowhere?fields=x", "")
			list := v.get(v.world+"/journal/").shows(200, "200 request vr_completed", "× 6", "All 12").counts(7, `<li id="entry-`)
			unfold := list.find(`class="times" href="([^"]*)"[^>]*>× 6<`)
			v.get(unfold).counts(7, `<li id="entry-`).counts(5, `<li id="same-`).has(`class="times" href="` + v.world + `/journal/"`)
			v.ask("GET", "/verification-requests/vr_completed", "")
			v.get(unfold).counts(5, `<li id="same-`) // it stays unfolded
			v.get(v.world+"/journal/?sort=slowest").counts(13, `<li id="entry-`)
		},
		"times": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_error_451", "")
			list := v.get(v.world+"/journal/?from=5m").shows(200, "2 in 5 min, 50% errors").has(`href="` + v.world + `/journal/?from=5m&amp;status=%3E%3D400%2C0"`)
			bar := list.find(`<a href="([^"]*from=2[^"]*)" data-tip`)
			v.get(bar).shows(200, "All 2").counts(2, `<li id="entry-`)
			v.get(v.world+"/journal/?from=2000-01-01T00:00&to=2000-01-01T01:00:00").shows(200, "No such request")
			v.get(v.world+"/journal/?to=2999-01-01T00:00").counts(2, `<li id="entry-`)
			v.get(v.world+"/journal/?q=status%3E%3D400").counts(1, `<li id="entry-`)
			v.get(v.world+"/journal/?q=400,-406+-451").shows(200, "No such request")
			v.get(v.world+"/journal/?from=soon").alerts(400, `from "soon" is neither an instant`).counts(2, `<li id="entry-`)
			v.get(v.world+"/journal/?q=status%3E4").alerts(400, `The status ">4" is neither one`)
		},
		"slowest first": func(t *testing.T, v *visitor) {
			slow := v.ask("GET", "/verification-requests/vr_multiple_reports", "").header.Get("Understudy-Request-Id")
			for range 3 {
				v.ask("GET", "/verification-requests/vr_multiple_reports", "")
			}
			took := v.get(v.world + "/journal/?sort=slowest").has(slow).all(`<span class="took">([0-9.]+) ms`)
			slowestFirst := slices.IsSortedFunc(took, func(a, b string) int {
				x, _ := strconv.ParseFloat(a, 64)
				y, _ := strconv.ParseFloat(b, 64)
				return cmp.Compare(y, x)
			})
			if len(took) != 5 || !slowestFirst {
				t.Errorf("%v", took)
			}
		},
		// An open page asks for the list again, and learns how many requests came after its first one.
		"new requests": func(t *testing.T, v *visitor) {
			newest := func(a answer) string { return a.find(`id="above" name="above" value="([^"]*)"`) }
			page := v.get(v.world + "/journal/?status=2xx")
			ask := page.find(`id="newer"[^>]* hx-get="([^"]*)"`) + "&above="
			update := func(first, fresh string) answer {
				return v.send("GET", ask+first, "", "HX-Target", "found").shows(200).lacks("<html").has(`data-fresh="` + fresh + `"`)
			}
			first := newest(page)
			update(first, "0")
			v.ask("GET", "/verification-requests/vr_error_451", "")
			id := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
			next := newest(update(first, "1").counts(2, `<li id="entry-`).has(`<li id="entry-` + id))
			v.post(v.world + "/journal/clear").shows(303)
			v.ask("GET", "/verification-requests/vr_processing", "")
			update(next, "1").counts(1, `<li id="entry-`).has("vr_processing")
		},
		"entry shows request, answer and reason": func(t *testing.T, v *visitor) {
			asked := v.ask("PUT", "/verification-requests/vr_cancel_error_451/cancel?x=1", `{"cancellation_reason":"immediate","cancellation_details":"it's late"}`)
			a := v.get(v.entry(asked)).has("data-copy-link").shows(200, "451 cancel vr_cancel_error_451?x=1", "PUT /verification-requests/vr_cancel_error_451/cancel?x=1",
				"cancel-error-451", "451 by vr_cancel_error_451 (The social security number is frozen).", "Also: no version was asked for", "Content-Type application/json", `"cancellation_details": "it's late"`,
				"every cancel: 451 Unavailable For Legal Reasons", "Authorization: Bearer svc_sk_test_YOUR-KEY", "--data-raw '{\"cancellation_reason\":\"immediate\",\"cancellation_details\":\"it'\\''s late\"}'")
			a.has(`href="`+prefix+"catalogue/cancel-error-451?world="+strings.TrimPrefix(v.world, prefix+"worlds/")+"#rule-", `href="`+v.request("vr_cancel_error_451")+`"`).lacks(key)
			v.get(prefix + "catalogue/cancel-error-451").has(`id="` + a.find(`\?world=[0-9a-f]+#(rule-\d+)"`) + `"`)
			v.get(v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))).
				shows(200, "The resource answered, as the scenario completed has it. Also: no version was asked for: send Accept", "Older")
		},
		"entry of a fault links to the fault": func(t *testing.T, v *visitor) {
			v.post(v.world+"/faults", "rule", "{on: get, respond: {status: 503}}").shows(303)
			v.get(v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))).shows(200, "503", "every get: 503").has(`href="` + v.world + `/faults#fault-1"`)
			v.post(v.world + "/faults/remove").shows(303)
			to := v.post(v.entry(v.ask("PUT", "/tenant-properties/tp_default", `{"name":"a"}`)), "do", "send", "method", "GET", "target", "/verification-requests/vr_fault_truncated")
			v.follow(to).shows(200, "the rule “", "fault truncated").has("catalogue/fault-truncated?world=")
		},
		"entry keeps the filters": func(t *testing.T, v *visitor) {
			first := v.ask("GET", "/verification-requests/vr_error_451", "")
			v.ask("GET", "/verification-requests/vr_completed", "")
			last := v.ask("GET", "/verification-requests/vr_invalid", "")
			v.ask("GET", "/verification-requests/vr_error_451", "")
			v.ask("GET", "/verification-requests/vr_completed", "")
			a := v.get(v.entry(last)+"?status=200").counts(4, `<li id="entry-`).counts(1, `aria-current="true">`+"\n")
			a.has(`href="`+v.world+`/journal/?status=200#entry-`+last.header.Get("Understudy-Request-Id")+`"`).shows(200, "Older", "Newer").lacks(v.entry(first) + "?status=200")
			v.send("GET", v.entry(last)+"?status=200", "", "HX-Target", "detail").shows(200, "vr_invalid").has("<title>").lacks("<html", "<ol id")
		},
	}.run(t)
}

func TestJournalOff(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithJournalSize(0))
	v.get(v.world+"/journal/").shows(200, "The journal is off", "--journal-size")
	v.get(v.world+"/journal/x").shows(409, "The journal is off")
}

// The requests that reached no world have the list and the page of the others, without what acts in a world.
func TestJournalOutside(t *testing.T) {
	cases{
		"none": func(t *testing.T, v *visitor) {
			v.get(prefix+"worlds/none/journal/").shows(200, "Outside any world", "Every request reached a world")
		},
		"list and detail": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_completed", "")
			stray := v.send("GET", "/verification-requests/vr_stray?x=1", "", "Authorization", "Bearer acme_sk_test_x").shows(401)
			id := stray.header.Get("Understudy-Request-Id")
			list := v.get(prefix+"worlds/none/journal/").shows(200, "Understudy Outside any world Outside any world console-tests", "All 1", "4xx 1", "401 request vr_stray?x=1").counts(1, `<li id="entry-`).lacks("Clear…")
			list.has(`href="` + prefix + "worlds/none/journal/" + id + `"`)
			v.get(prefix+"worlds/none/journal/"+id).shows(200, "GET /verification-requests/vr_stray?x=1", "the key must begin with svc_sk_test_", "As code").
				lacks("Resend", "Fail next", "by the world's clock")
			v.get(prefix+"worlds/none/journal/?q=nothing").shows(200, "outside any world passes the filters")
			v.get(prefix).has(`href="` + prefix + "worlds/none/journal/" + id + `"`)
		},
		"nothing else of a world": func(t *testing.T, v *visitor) {
			for _, path := range []string{"", "/clock", "/faults", "/journal/clear", "/reset", "/snapshot"} {
				v.get(prefix + "worlds/none" + path).shows(404)
			}
			v.post(prefix + "worlds/none/journal/clear").shows(404)
		},
	}.run(t)
	t.Run("without a journal", func(t *testing.T) {
		visit(t, emulator.WithJournalSize(0)).get(prefix+"worlds/none/journal/").shows(200, "The journal is off")
	})
}
