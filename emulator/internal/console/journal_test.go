package console_test

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestJournal(t *testing.T) {
	cases{
		"latest first, filtered": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_complted", "")
			v.ask("PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"immediate"}`)
			text := v.get(v.world+"/journal").shows(200, "did you mean vr_completed?", "lifecycle-timed").text()
			if strings.Index(text, "/cancel") > strings.Index(text, "vr_complted") {
				t.Error("the latest does not come first")
			}
			for query, want := range map[string]int{
				"": 3, "?status=4xx": 1, "?status=200": 2, "?operation=cancelVerificationRequest": 1, "?path=/verification-requests/*": 2, "?status=0": 0,
			} {
				v.get(v.world+"/journal"+query).counts(want, `<tr id="entry-`)
			}
			v.get(v.world+"/journal?status=0").shows(200, "No such request")
			v.get(v.world+"/journal?status=many").alerts(400, "The status is not a status").has(`value="many"`)
			v.get(v.world+"/journal?operation=cancel").alerts(400, "There is no operation")
			v.get(v.world+"/journal?path=[").alerts(400, "is not a path")
			v.follow(v.post(v.world+"/journal/clear")).shows(200, "The journal is empty.", "No request yet", "curl")
		},
		"pages": func(t *testing.T, v *visitor) {
			for range 60 {
				v.ask("GET", "/verification-requests/vr_completed", "")
			}
			next := v.get(v.world+"/journal?status=200").shows(200, "Next page").counts(50, `<tr id="entry-`).find(`href="([^"]*after=[^"]*)"`)
			v.get(next).shows(200).counts(11, `<tr id="entry-`).lacks("sse-connect")
		},
		"entry shows request, answer and reason": func(t *testing.T, v *visitor) {
			asked := v.ask("PUT", "/verification-requests/vr_cancel_error_451/cancel?x=1", `{"cancellation_reason":"immediate","cancellation_details":"it's late"}`)
			a := v.get(v.entry(asked)).shows(200, "451 PUT /verification-requests/vr_cancel_error_451/cancel?x=1", "cancelVerificationRequest",
				"cancel-error-451", "Scenario cancel-error-451 answers so, by its rule at", "Also: no version was asked for", "Content-Type application/json", `"cancellation_details": "it's late"`,
				"Authorization: Bearer svc_sk_test_YOUR-KEY", "--data-raw '{\"cancellation_reason\":\"immediate\",\"cancellation_details\":\"it'\\''s late\"}'")
			a.has(`href="`+prefix+"catalogue/cancel-error-451?world="+strings.TrimPrefix(v.world, prefix+"worlds/")+"#rule-", `href="`+v.request("vr_cancel_error_451")+`"`).lacks(key)
			v.get(prefix + "catalogue/cancel-error-451").has(`id="` + a.find(`\?world=[0-9a-f]+#(rule-\d+)"`) + `"`)
			v.get(v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))).
				shows(200, "The resource answered, as the scenario completed has it. Also: no version was asked for: send Accept", "Older")
		},
		"entry of a fault links to the fault": func(t *testing.T, v *visitor) {
			v.post(v.world+"/faults", "on", "get", "status", "503").shows(303)
			v.get(v.entry(v.ask("GET", "/verification-requests/vr_completed", ""))).shows(200, "503").has(`href="` + v.world + `/faults#fault-1"`)
		},
	}.run(t)
}

func TestJournalOff(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithJournalSize(0))
	v.get(v.world+"/journal").shows(200, "The journal is off", "--journal-size")
	v.get(v.world+"/journal/stream").shows(409, "The journal is off")
	v.get(v.world+"/journal/x").shows(409, "The journal is off")
}

// onlyPauses ends pauses between two reads of the journal at once; heartbeats never come.
func onlyPauses(ctx context.Context, span time.Duration) error {
	if span >= 5*time.Second {
		<-ctx.Done()
	}
	return context.Cause(ctx)
}

// listen opens the stream after a request. It returns a function that reads the next event, which must begin with want,
// in one line.
func (v *visitor) listen(path, last string) (next func(want string) string) {
	v.t.Helper()
	r, _ := http.NewRequestWithContext(v.t.Context(), "GET", v.url+path, nil) // of a valid URL
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	got, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { got.Body.Close() })
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.Header.Get("Content-Security-Policy") != policy {
		v.t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	lines := bufio.NewScanner(got.Body)
	next = func(want string) string {
		v.t.Helper()
		event := ""
		for lines.Scan() && lines.Text() != "" {
			event += strings.TrimSpace(strings.TrimPrefix(lines.Text(), "data:")) + " "
		}
		if !strings.HasPrefix(event, want) {
			v.t.Fatalf("hears %q, want %q (%v)", event, want, lines.Err())
		}
		return event
	}
	next(": the journal of world ")
	return next
}

func TestJournalStream(t *testing.T) {
	cases{
		"request is a row of the table": func(t *testing.T, v *visitor) {
			live := v.get(v.world + "/journal?status=4xx").find(`sse-connect="([^"]*)"`)
			row := func(a answer) string {
				id := a.header.Get("Understudy-Request-Id")
				return "event: request id: " + id + ` <tr id="entry-` + id + `" class="new"> <td><span class="status refused">400</span></td>`
			}
			between := v.ask("GET", `/verification-requests/%3Cscript%3E`, "") // after the page, before the stream
			next := v.listen(live, "")
			if got := next(row(between)); strings.Contains(got, "<script>") || !strings.HasSuffix(got, "</tr> ") {
				t.Errorf("the path is not text, or the row is not whole: %s", got)
			}
			v.ask("GET", "/verification-requests/vr_completed", "") // filtered out
			next(row(v.ask("GET", "/verification-requests/none", "")))
			v.post(v.world + "/reset").shows(303)
			next(`event: reset <tr class="gap">`)
		},
		"reconnected page gets the missed requests": func(t *testing.T, v *visitor) {
			last := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
			missed := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
			v.listen(v.world+"/journal/stream?behind=none", last)("event: request id: " + missed)
			v.listen(v.world+"/journal/stream?behind=unknown", "")(`event: gap <tr class="gap">`)
		},
		"burst is cut to its last requests": func(t *testing.T, v *visitor) {
			for range 40 {
				v.ask("GET", "/verification-requests/vr_completed", "")
			}
			next := v.listen(v.world+"/journal/stream?behind=none", "")
			if got := next("event: gap"); !strings.Contains(got, "21 more requests are not shown") { // with the one that created the world
				t.Errorf("hears %s", got)
			}
			for range 20 {
				next("event: request")
			}
		},
	}.run(t, emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: onlyPauses}))
}

// live finds the link that an open page polls.
const live = `hx-get="([^"]*/live[^"]*)"`

func TestOpenPage(t *testing.T) {
	cases{
		"is updated once": func(t *testing.T, v *visitor) {
			ask := v.get(v.request("vr_lifecycle_timed")).find(live)
			v.get(ask).shows(204)
			v.post(v.world+"/clock/advance", "by", "10m").shows(303)
			ask = v.get(ask).shows(200, "It becomes processing in 50 min").lacks("This has changed").find(live) // only the clock has moved
			v.get(ask).shows(204)
			v.post(v.world + "/clock/next").shows(303)
			moved := v.get(ask).shows(200, "processing now", "This has changed since it was opened. Reload").
				has(`<span id="state" hx-swap-oob="true">`, `<div id="changed" hx-swap-oob="innerHTML">`)
			v.get(moved.find(live)).shows(204)
		},
		"resource is deleted": func(t *testing.T, v *visitor) {
			v.ask("POST", prefix+"v1/verification-requests", `{"id":"vr_mine","scenario":"lifecycle"}`).shows(201)
			v.get(v.request("vr_mine")).shows(200)
			v.post(v.request("vr_mine"), "do", "delete").shows(303)
			v.get(v.request("vr_mine")+"/live?content=1&live=2").shows(200, "The world no longer has this.").lacks("hx-get")
		},
		"field is set": func(t *testing.T, v *visitor) {
			for page, fields := range map[string]string{"/tenant-properties/tp_default": `{"name":"Quay"}`, "/qualification-checks/qc_qualified": `{"metadata":{"unit":"4B"}}`} {
				ask := v.get(v.world + page).find(live)
				v.get(ask).shows(204)
				v.post(v.world+page, "do", "set", "fields", fields).shows(303)
				v.get(ask).shows(200, "This has changed since it was opened.")
			}
		},
		"session follows its request": func(t *testing.T, v *visitor) {
			page := v.get(v.world+"/credentials-sessions/"+v.session("000-00-1001")).shows(200, "pending approval now")
			v.get(page.find(live)).shows(204)
			for range 2 {
				v.ask("GET", page.find(`(/verification-requests/[^"/]+)">`), "").shows(200)
			}
			v.get(page.find(live)).shows(200, "processing now")
		},
	}.run(t)
}
