package emulator_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// playScripts plays each script as a subtest in a world of its own, on one emulator.
func playScripts(t *testing.T, scripts map[string]string, options ...emulator.Option) {
	t.Helper()
	url := serve(t, options...)
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playScript(t, apitest.New(t, url, worldKey(name)), script)
		})
	}
}

// worldKey returns a key for the world of a name.
func worldKey(name string) string { return "svc_sk_test_w" + notOfKeys.ReplaceAllString(name, "_") }

var (
	notOfKeys = regexp.MustCompile(`[^A-Za-z0-9]+`)
	// expectation matches KEY=VALUE.
	expectation = regexp.MustCompile(`([a-z0-9_.#]+)=("[^"]*"|\S+)`)
	sessionFor  = regexp.MustCompile(`SESSION\(([^)]*)\)`)
	madeID      = regexp.MustCompile(`^\{"id":"([a-z]+_[0-9A-Za-z]+)"`)
)

// playScript sends the requests of a script and checks the answers. A line is one of
//
//	METHOD PATH BODY → STATUS WANT | DIAGNOSIS
//	Header: of the next request
//	advance SPAN
//	move ID STATE
//
// A path that does not begin with / is one of the control plane. WANT is the message of an error; or the whole body; or
// KEY=VALUE for some of its keys, such as reports.0.id=1, metadata=* (neither null nor empty), items.#=2 (their number); or …
// and a part of the body. DIAGNOSIS is a part of the diagnosis. SESSION(number) is the body of a credentials session, {vr}
// and {cs} are the ids that the last session has made.
func playScript(t *testing.T, c *apitest.Client, script string) {
	t.Helper()
	next, made := c, strings.NewReplacer()
	for line := range strings.Lines(script) {
		line = made.Replace(withSessions(strings.TrimSpace(line)))
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case word == "advance":
			wantStatus(t, c.Post(control+"clock/advance", fmt.Sprintf(`{"by":%q}`, rest)), 200, "")
		case word == "move":
			id, state, _ := strings.Cut(rest, " ")
			wantStatus(t, c.Send("PATCH", control+"verification-requests/"+id, fmt.Sprintf(`{"state":%q}`, state)), 200, "")
		case strings.HasSuffix(word, ":"):
			next = next.With(strings.TrimSuffix(word, ":"), rest)
		default:
			ask, want, ok := strings.Cut(line, " → ")
			if !ok {
				t.Fatalf("%s: → is missing", line)
			}
			r := playLine(t, next, ask, want)
			if id := madeID.FindSubmatch(r.Body); r.Status == 201 && id != nil {
				shown := c.Get(control + "credentials-sessions/" + string(id[1]))
				made = strings.NewReplacer("{vr}", cmp.Or(requestIn(shown.Body), string(id[1])), "{cs}", string(id[1]))
			}
			next = c
		}
	}
}

// withSessions replaces SESSION(number) by the body of a session.
func withSessions(line string) string {
	return sessionFor.ReplaceAllStringFunc(line, func(found string) string { return session(sessionFor.FindStringSubmatch(found)[1]) })
}

// splitRequest splits METHOD PATH BODY.
func splitRequest(ask string) (method, path, body string) {
	method, rest, _ := strings.Cut(ask, " ")
	path, body, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(path, "/") {
		path = control + path
	}
	return method, path, body
}

func playLine(t *testing.T, c *apitest.Client, ask, want string) *apitest.Response {
	t.Helper()
	method, path, body := splitRequest(ask)
	r := c.Send(method, path, bodyOf(body))
	want, diagnosis, _ := strings.Cut(want, " | ")
	status, want, _ := strings.Cut(want, " ")
	if strconv.Itoa(r.Status) != status {
		t.Errorf("%s: %d %s, want %s (%s)", ask, r.Status, r.Body, status, r.Header.Get("Understudy-Diagnosis"))
		return r
	}
	if got := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(got, diagnosis) {
		t.Errorf("%s: diagnosis %q, want %q", ask, got, diagnosis)
	}
	switch part, partly := strings.CutPrefix(want, "…"); {
	case want == "":
	case partly:
		if !strings.Contains(string(r.Body), part) {
			t.Errorf("%s: %s, want %s in it", ask, r.Body, part)
		}
	case strings.ContainsAny(want[:1], "{["):
		if string(r.Body) != want {
			t.Errorf("%s: %s, want %s", ask, r.Body, want)
		}
	case r.Status >= 400 && !strings.HasPrefix(want, "error."):
		if got := r.ErrorMessage(); got != want {
			t.Errorf("%s: %q, want %q", ask, got, want)
		}
	default:
		wantKeys(t, ask, r.Body, want)
	}
	return r
}

func wantKeys(t *testing.T, ask string, text []byte, want string) {
	t.Helper()
	var body any
	noError(t, json.Unmarshal(text, &body))
	expected := expectation.FindAllStringSubmatch(want, -1)
	if len(expected) == 0 {
		t.Errorf("%s: nothing can be compared with %s", ask, want)
	}
	for _, e := range expected {
		got := at(body, e[1])
		shown := fmt.Sprint(got)
		if is := shown == strings.Trim(e[2], `"`) || e[2] == "null" && got == nil || e[2] == "*" && got != nil && shown != "" && shown != "[]"; !is {
			t.Errorf("%s: %s is %v, want %s", ask, e[1], got, e[2])
		}
	}
}

// at returns the part of a JSON value at a path such as reports.0.employee.
func at(value any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			index, err := strconv.Atoi(step)
			switch {
			case step == "#":
				value = len(v)
			case err != nil || index >= len(v):
				return nil
			default:
				value = v[index]
			}
		default:
			return nil
		}
	}
	return value
}

// bodyOf returns the body to send, nil for "".
func bodyOf(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// journey is a list of requests, METHOD PATH BODY, that depend on each other and cover every operation and every kind of
// change. {cs} is the last session, {vr} the verification request of the session that was shown last.
const journey = `
	DELETE journal
	GET /verification-requests/vr_lifecycle_timed
	POST clock/advance {"by":"1h"}
	GET /verification-requests/vr_lifecycle_timed
	POST /credentials/session SESSION(000-12-3456)
	GET credentials-sessions/{cs}
	GET /verification-requests/{vr}?income_analytics=1
	POST /credentials/session SESSION(666-12-3456)
	GET /verification-requests/{vr}
	GET /verification-requests/vr_lifecycle?income_analytics=true
	GET /verification-requests/vr_lifecycle
	GET /verification-requests/vr_lifecycle
	POST clock/advance {"by":"23h"}
	GET /verification-requests/vr_lifecycle_timed?income_analytics=true
	GET /verification-requests/vr_completed
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
	GET /verification-requests/vr_processing
	PUT /tenant-properties/tp_default {"name":"Quay"}
	PUT /tenant-properties/tp_default {"name":"Quay"}
	PUT /tenant-properties/tp_default {"name":"Quay"}
	GET tenant-properties/tp_default
	GET /qualification-checks/qc_qualified
	GET /qualification-checks/qc_nothing
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_mine
	GET /verification-requests/vr_mine
	POST /credentials/session SESSION(000-00-7001)
	GET credentials-sessions/{cs}
	GET /verification-requests/{vr}
	PATCH verification-requests/vr_completed {"set":{"loan_id":"7"}}
	GET /verification-requests/vr_completed?fields=loan_id,state
	PATCH verification-requests/vr_completed {"state":"processing","force":true}
	GET /verification-requests/vr_completed?fields=loan_id,state
	DELETE verification-requests/vr_completed
	GET /verification-requests/vr_completed?fields=loan_id,state
	POST faults {"rule":{"on":"get","times":2,"respond":{"status":503}}}
	GET /verification-requests/vr_completed?fields=state
	GET faults
	GET /qualification-checks/qc_qualified
	GET /qualification-checks/qc_qualified
	DELETE faults
	PUT scenarios/own {"name":"own","title":"own","magic":{"verification_request":"vr_own"},"verification_request":{"timeline":[{"state":"processing"}]}}
	GET /verification-requests/vr_own?fields=state
	DELETE scenarios/own
	GET /verification-requests/vr_own?fields=state
	GET verification-requests
	POST journal/verify {"times":{"exactly":ASKED}}
	POST reset
	GET /verification-requests/vr_completed?fields=state
	GET /verification-requests/vr_lifecycle?fields=state
	GET clock
`

// travel sends each request of the journey to all urls, in the world of a key, after advancing its clock by late. It returns
// the answers without the parts that depend on the key or the request id.
func travel(client *http.Client, key string, late time.Duration, urls ...string) string {
	var answers strings.Builder
	asked, cs, vr := 0, "", ""
	for line := range strings.Lines(fmt.Sprintf("POST clock/advance {\"by\":%q}\n", late) + strings.TrimSpace(journey)) {
		line = strings.NewReplacer("{cs}", cs, "{vr}", vr, "ASKED", fmt.Sprint(asked)).Replace(withSessions(strings.TrimSpace(line)))
		method, path, body := splitRequest(line)
		for _, url := range urls {
			answer, err := client.Do(requestTo(method, url+path, key, body))
			if err != nil {
				return err.Error()
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if path == control+"reset" {
				text = nil // it shows the key
			}
			if fmt.Fprintln(&answers, line, answer.StatusCode, string(text), err); !strings.HasPrefix(path, control) {
				asked++
				fmt.Fprintln(&answers, answer.Header.Get("Date"), answer.Header["Understudy-Scenario"], answer.Header["Understudy-Diagnosis"])
			}
			if id := madeID.FindSubmatch(text); answer.StatusCode == 201 && id != nil {
				cs = string(id[1])
			}
			vr = cmp.Or(requestIn(text), vr)
		}
	}
	return answers.String()
}

// manyClients returns a client for many goroutines.
func manyClients(t *testing.T) *http.Client {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// fence matches the fenced blocks of a Markdown page.
var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// Each example of scenarios/README.md is a scenario file and the answers that it leads to.
func TestREADMEScenarioExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../scenarios/README.md")
	noError(t, err)
	var file string
	played := 0
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		switch kind, text := block[1], block[2]; {
		case kind == "yaml":
			if file != "" {
				t.Errorf("there are no requests behind\n%s", file)
			}
			file = text
		case kind == "" && file != "":
			name, _, _ := strings.Cut(file, "\n")
			option := scenarioFile(t, file)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c := start(t, (&pauses{}).option(), option).With("Accept", "application/json")
				if name == "name: gateway" {
					c = c.Without(ugly...)
				}
				playScript(t, c, text)
			})
			played++
			file = ""
		}
	}
	if played < 10 {
		t.Errorf("only %d examples were found", played)
	}
}
