package console_test

import (
	"bufio"
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestTheJournalShowsTheLatestFirstAndWhatAFilterWants(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.ask("GET", "/verification-requests/vr_complted", "")
	v.ask("PUT", "/verification-requests/vr_processing/cancel", `{"cancellation_reason":"immediate"}`)
	text := v.get(v.world+"/journal").says(200, "did you mean vr_completed?", "lifecycle-timed").text()
	if strings.Index(text, "/cancel") > strings.Index(text, "vr_complted") {
		t.Error("the latest does not come first")
	}
	for query, want := range map[string]int{
		"": 3, "?status=4xx": 1, "?status=200": 2, "?operation=cancelVerificationRequest": 1, "?path=/verification-requests/*": 2, "?status=0": 0,
	} {
		if rows := strings.Count(v.get(v.world+"/journal"+query).body, `<tr id="entry-`); rows != want {
			t.Errorf("%s: %d rows, want %d", query, rows, want)
		}
	}
	v.get(v.world+"/journal?status=0").says(200, "No request is like that")
	v.get(v.world+"/journal?status=many").alerts(400, "The status is not a status").has(`value="many"`)
	v.get(v.world+"/journal?operation=cancel").alerts(400, "There is no operation")
	v.get(v.world+"/journal?path=[").alerts(400, "is not a path")
	v.follow(v.post(v.world+"/journal/clear")).says(200, "The journal is empty.", "No request yet", "curl")
}

func TestTheJournalGoesOnOverPages(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for range 60 {
		v.ask("GET", "/verification-requests/vr_completed", "")
	}
	next := regexp.MustCompile(`href="([^"]*after=[^"]*)"`)
	first := v.get(v.world+"/journal?status=200").says(200, "Next page")
	if rows := strings.Count(first.body, `<tr id="entry-`); rows != 50 {
		t.Errorf("%d rows", rows)
	}
	second := v.get(strings.ReplaceAll(next.FindStringSubmatch(first.body)[1], "&amp;", "&")).says(200)
	if rows := strings.Count(second.body, `<tr id="entry-`); rows != 11 || strings.Contains(second.body, "sse-connect") {
		t.Errorf("%d rows: %s", rows, second.body)
	}
}

func TestAnEntryShowsRequestAndAnswerAndWhatDecided(t *testing.T) {
	t.Parallel()
	v := visit(t)
	id := v.ask("PUT", "/verification-requests/vr_cancel_error_451/cancel?x=1", `{"cancellation_reason":"immediate","cancellation_details":"it's late"}`).header.Get("Understudy-Request-Id")
	a := v.get(v.world+"/journal/"+id).says(200, "451 PUT /verification-requests/vr_cancel_error_451/cancel?x=1", "cancelVerificationRequest",
		"cancel-error-451", "answers so, by its rule at", "Content-Type application/json", `"cancellation_details": "it's late"`,
		"Authorization: Bearer svc_sk_test_YOUR-KEY", "--data-raw '{\"cancellation_reason\":\"immediate\",\"cancellation_details\":\"it'\\''s late\"}'")
	a.has(`href="`+prefix+"catalogue/cancel-error-451?world="+strings.TrimPrefix(v.world, prefix+"worlds/")+"#rule-", `href="`+v.world+`/verification-requests/vr_cancel_error_451"`)
	if strings.Contains(a.body, key) {
		t.Error("shows the key")
	}
	rule := regexp.MustCompile(`\?world=[0-9a-f]+#(rule-\d+)"`).FindStringSubmatch(a.body)[1]
	v.get(prefix + "catalogue/cancel-error-451").has(`id="` + rule + `"`)

	fine := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
	v.get(v.world+"/journal/"+fine).says(200, "The resource answered, as the scenario completed has it. Also: no version was asked for: send Accept", "Older")
}

func TestAnEntryThatAFaultDecidedLeadsToTheFault(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.post(v.world+"/faults", "on", "get", "status", "503").says(303)
	id := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
	v.get(v.world+"/journal/"+id).says(200, "503").has(`href="` + v.world + `/faults#fault-1"`)
}

func TestAJournalThatIsOffSaysHowItIsTurnedOn(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithJournalSize(0))
	v.get(v.world+"/journal").says(200, "The journal is off", "--journal-size")
	v.get(v.world+"/journal/stream").says(409, "The journal is off")
	v.get(v.world+"/journal/x").says(409, "The journal is off")
}

// onlyPauses waits for pauses between two looks at the journal; signs of life never come.
func onlyPauses(ctx context.Context, span time.Duration) error {
	if span >= 5*time.Second {
		<-ctx.Done()
	}
	return context.Cause(ctx)
}

// listen opens what a page hears of more by, and returns what reads the next event, in one line.
func (v *visitor) listen(path, last string) (next func() string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), "GET", v.url+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
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
	next = func() string {
		v.t.Helper()
		var event []string
		for lines.Scan() && lines.Text() != "" {
			event = append(event, strings.TrimSpace(strings.TrimPrefix(lines.Text(), "data:")))
		}
		if len(event) == 0 {
			v.t.Fatalf("it ends: %v", lines.Err())
		}
		return strings.Join(event, " ")
	}
	if first := next(); !strings.HasPrefix(first, ": the journal of world ") {
		v.t.Errorf("begins with %s", first)
	}
	return next
}

func TestThePageHearsOfRequestsAsRowsOfItsTable(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: onlyPauses}))
	live := regexp.MustCompile(`sse-connect="([^"]*)"`).FindStringSubmatch(v.get(v.world + "/journal?status=4xx").body)
	if live == nil {
		t.Fatal("the page does not listen")
	}
	between := v.ask("GET", `/verification-requests/%3Cscript%3E`, "").header.Get("Understudy-Request-Id") // after the page, before it listens
	next := v.listen(strings.ReplaceAll(live[1], "&amp;", "&"), "")
	wants := func(got, id string) {
		t.Helper()
		if !strings.HasPrefix(got, "event: request id: "+id+` <tr id="entry-`+id+`" class="new"> <td><span class="status refused">400</span></td>`) || !strings.HasSuffix(got, "</tr>") {
			t.Errorf("%s", got)
		}
	}
	row := next()
	if wants(row, between); strings.Contains(row, "<script>") {
		t.Errorf("the path is not text: %s", row)
	}
	v.ask("GET", "/verification-requests/vr_completed", "") // not wanted
	later := v.ask("GET", "/verification-requests/none", "").header.Get("Understudy-Request-Id")
	wants(next(), later)
	v.post(v.world + "/reset").says(303)
	if got := next(); !strings.HasPrefix(got, `event: reset <tr class="gap">`) {
		t.Errorf("after a reset: %s", got)
	}
}

func TestAPageThatComesBackHearsOfWhatItMissed(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: onlyPauses}))
	last := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
	missed := v.ask("GET", "/verification-requests/vr_completed", "").header.Get("Understudy-Request-Id")
	if got := v.listen(v.world+"/journal/stream?behind=none", last)(); !strings.HasPrefix(got, "event: request id: "+missed) {
		t.Errorf("hears %s", got)
	}
	if got := v.listen(v.world+"/journal/stream?behind=unknown", "")(); !strings.HasPrefix(got, `event: gap <tr class="gap">`) {
		t.Errorf("hears %s", got)
	}
}

func TestOfARushThePageHearsTheLast(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: onlyPauses}))
	for range 40 {
		v.ask("GET", "/verification-requests/vr_completed", "")
	}
	next := v.listen(v.world+"/journal/stream?behind=none", "")
	if got := next(); !strings.HasPrefix(got, "event: gap") || !strings.Contains(got, "21 more requests came") { // with the one that made the world
		t.Errorf("hears %s", got)
	}
	for range 20 {
		if got := next(); !strings.HasPrefix(got, "event: request") {
			t.Errorf("hears %s", got)
		}
	}
}
