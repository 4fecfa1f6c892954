package emulator_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// fuzzed is an emulator that is asked without a network. Its answers, journal and log are searched for secrets; pauses take
// no time.
type fuzzed struct {
	emulator *emulator.Emulator
	log      bytes.Buffer
}

func newFuzzed(f testing.TB, options ...emulator.Option) *fuzzed {
	f.Helper()
	z := new(fuzzed)
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}
	z.emulator = lab.Launch(f, append(options,
		(&lab.Pauses{}).Option(),
		emulator.WithLogger(slog.New(slog.NewTextHandler(&z.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))),
		emulator.WithJournalSize(50),
	)...)
	return z
}

// reset begins an input in a new world, so that an input that fails also fails alone.
func (z *fuzzed) reset(t testing.TB) {
	t.Helper()
	z.steer(t, "POST", "reset", "")
	z.log.Reset()
}

// ask sends a request in wire format and returns its answer: nil when it is no valid request or a rule broke the
// connection. It fails the test when the answer fails a check of [apitest.Client], is an internal error, or has a secret in
// a header, an error or the log. Without apitest.Document the body may be a rule's and is not searched.
func (z *fuzzed) ask(t testing.TB, wire string, without ...apitest.Check) *apitest.Response {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire)))
	if err != nil || !validHeader(r.Header) {
		return nil
	}
	if body, err := io.ReadAll(r.Body); err == nil { // the client checks what is accepted
		r.Body, r.GetBody = io.NopCloser(bytes.NewReader(body)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	recorded := z.serve(r)
	if recorded == nil {
		return nil
	}
	without = append(without, apitest.SSN) // an answer may show the values that a resource was given
	answer := apitest.New(t, "http://localhost", "").Via(recorded).Without(without...).Do(r)
	z.wantNoSecret(t, answer)
	text := string(answer.Body)
	if strings.HasPrefix(r.URL.Path, lab.Control) { // a problem with a scenario file shows a line of the file
		text = withoutMagic(text)
	}
	if found := secret(text); answer.Status >= 400 && found != "" && !slices.Contains(without, apitest.Document) {
		t.Errorf("the error contains %s: %s", found, answer.Body)
	}
	return answer
}

// serve returns nil when the connection is broken.
func (z *fuzzed) serve(r *http.Request) (answered answered) {
	defer func() {
		if cause := recover(); cause != nil {
			if cause != http.ErrAbortHandler {
				panic(cause)
			}
			answered = nil
		}
	}()
	w := httptest.NewRecorder()
	z.emulator.ServeHTTP(w, r)
	result := w.Result()
	return func() *http.Response { return result }
}

// answered is a sender that returns a recorded answer.
type answered func() *http.Response

func (a answered) Do(*http.Request) (*http.Response, error) { return a(), nil }

// steer sends a request to the control plane.
func (z *fuzzed) steer(t testing.TB, method, path, body string) *apitest.Response {
	t.Helper()
	return z.ask(t, request(method, lab.Control+path, lab.Key, body))
}

// request returns a request in wire format.
func request(method, target, key, body string, header ...string) string {
	var lines strings.Builder
	for _, line := range header {
		fmt.Fprintf(&lines, "%s\r\n", line)
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		method, target, key, &lines, len(body), body)
}

// validHeader reports whether a server accepts a header.
func validHeader(header http.Header) bool {
	for _, values := range header {
		if slices.ContainsFunc(values, func(value string) bool { return strings.ContainsFunc(value, isControl) }) {
			return false
		}
	}
	return true
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

var (
	// ids, instants and escapes for one character look like SSNs by chance
	machines = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{24}|\.[0-9]+Z|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}`)
	number   = regexp.MustCompile(`[0-9]{9}|[0-9]{3}-[0-9]{2}-[0-9]{4}`)
	digits   = regexp.MustCompile(`[0-9](?:[-–. /_]?[0-9])*`)
	anyKey   = regexp.MustCompile(`_[sp]k_[A-Za-z0-9_-]*`)
)

// withoutMagic replaces by # the numbers that the quoted line of a scenario file may contain: SSNs that were never issued,
// and numbers that are no SSNs.
func withoutMagic(text string) string {
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		plain := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, found)
		if ssn, err := api.ParseSSN(plain); err == nil && ssn.CouldBeReal() != "" {
			return found
		}
		return "#"
	})
}

// secret returns the first SSN or API key of a text, or "".
func secret(text string) string {
	if !digitsInRow(text, 9) && !strings.Contains(text, "k_") {
		return "" // the expressions below are slow
	}
	text = machines.ReplaceAllString(text, " ")
	for _, found := range number.FindAllString(text, -1) {
		if found != "000-00-0000" && found != "100000000" { // the form of an SSN, and the highest pay
			return found
		}
	}
	for _, found := range anyKey.FindAllString(text, -1) {
		if found != "_sk_test_" && found != "_sk_" && found != "_pk_" {
			return found
		}
	}
	return ""
}

// digitsInRow reports whether a text has at least wanted digits and dashes in a row.
func digitsInRow(text string, wanted int) bool {
	row := 0
	for i := range len(text) {
		if c := text[i]; c != '-' && (c < '0' || c > '9') {
			row = 0
		} else if row++; row == wanted {
			return true
		}
	}
	return false
}

// wantNoSecret searches the headers of an answer and the log since the last answer.
func (z *fuzzed) wantNoSecret(t testing.TB, answer *apitest.Response) {
	t.Helper()
	if strings.Contains(z.log.String(), "level=ERROR") {
		t.Errorf("an error of the emulator's own:\n%s", &z.log)
	}
	if found := secret(z.log.String()); found != "" {
		t.Errorf("the log has %s:\n%s", found, &z.log)
	}
	z.log.Reset()
	for name, values := range answer.Header {
		for _, value := range values {
			if found := secret(value); found != "" || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%s: %q", name, value)
			}
		}
	}
}

// wantNoSecretInJournal searches the journal entry of an answer's request.
func (z *fuzzed) wantNoSecretInJournal(t testing.TB, answer *apitest.Response) {
	t.Helper()
	if answer == nil || answer.Header.Get("Understudy-World") == "" {
		return // it reached no world
	}
	entry := z.steer(t, "GET", "journal/"+answer.Header.Get("Understudy-Request-Id")+"?world="+answer.Header.Get("Understudy-World"), "")
	if entry.Status != http.StatusOK {
		t.Fatalf("the journal does not have it: %s", entry.Body)
	}
	if found := secret(string(entry.Body)); found != "" {
		t.Errorf("the journal has %s: %s", found, entry.Body)
	}
}

func TestFuzzSecretPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"of 123456789.":                          "123456789",
		"123-45-6789":                            "123-45-6789",
		"svc_sk_test_abc":                        "_sk_test_abc",
		"svc_sk_live":                            "_sk_live",
		`\u0010` + "37567":                       "",
		"svc_sk_********":                        "",
		"send svc_sk_test_... or ***-**-6789":    "",
		"01KADE3V9HGWM123456789ABCD 000-00-0000": "",
	} {
		if got := secret(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// wholeSnapshot is the snapshot of a world that stores one value; NAMED stands for it.
const wholeSnapshot = `{"understudy_snapshot":2,"seed":1,"created":"2025-01-15T09:30:00Z","now":"2025-01-15T09:30:00Z","frozen":true,` +
	`"scenarios":[],"scenarios_made":0,"faults":[],"faults_made":0}` + "\nNAMED\n" + `{"key":"end","value":{"journal_dropped":0}}`

// seedSnapshots adds a snapshot, and one snapshot for each value that it contains.
func (z *fuzzed) seedSnapshots(f *testing.F) {
	f.Helper()
	z.reset(f)
	z.steer(f, "PUT", "scenarios/mine", lab.OwnLifecycle)
	z.steer(f, "POST", "faults", `{"rule":{"on":"update","respond":{"status":500},"times":1}}`)
	z.live(f)
	text := z.steer(f, "GET", "snapshot", "").Body
	f.Add(string(text), "", "")
	for line := range bytes.Lines(text) {
		var stored struct {
			Key   string
			Value json.RawMessage
		}
		if err := json.Unmarshal(line, &stored); err != nil {
			f.Fatal(err)
		}
		f.Add(wholeSnapshot, stored.Key, string(stored.Value))
	}
}

// A snapshot that is accepted makes a world that serves every operation and of which another snapshot can be taken.
func FuzzSnapshots(f *testing.F) {
	z := newFuzzed(f)
	z.seedSnapshots(f)
	f.Add(strings.Replace(wholeSnapshot, `"frozen":true`, `"frozen":false`, 1), "vr/vr_lifecycle", `{"scenario":"lifecycle"}`)
	f.Add(strings.Replace(wholeSnapshot, `:2,"seed"`, `:1,"seed"`, 1), "svc_sk_test_abc", `"123-45-6789"`)
	for name, value := range map[string]string{
		"tp/tp_default": `{"id":"other","name":""}`, "scenario/mine": `"name: mine"`, "calls/vr_flaky": `{"calls":{"get":-1}}`, "sessions": `-1`,
		"limit": `"0001-01-01T00:00:00Z"`, "created": `9223372036854775807`, "qc/qc_qualified": `{}`, "vr/": `{"progress":{"state":"completed"}}`,
	} {
		f.Add(wholeSnapshot, name, value)
	}
	f.Fuzz(func(t *testing.T, text, name, value string) {
		z.reset(t)
		text = strings.Replace(text, "NAMED", `{"key":"`+name+`","value":`+value+"}", 1)
		if z.steer(t, "PUT", "snapshot", text).Status != 200 {
			return
		}
		z.live(t)
		if kind, id, ok := strings.Cut(name, "/"); ok && kind == "vr" {
			z.ask(t, request("GET", "/verification-requests/"+url.PathEscape(id), lab.Key, ""))
		}
		if taken := z.steer(t, "GET", "snapshot", ""); taken.Status != 200 || z.steer(t, "PUT", "snapshot", string(taken.Body)).Status != 200 {
			t.Errorf("what was taken of it is refused: %s", taken.Body)
		}
	})
}

// consoleForms are the actions of the console's forms; WORLD stands for the world's id.
var consoleForms = []string{
	"worlds", "login", "worlds/WORLD/reset", "worlds/WORLD/delete", "worlds/WORLD/clock/set", "worlds/WORLD/clock/advance",
	"worlds/WORLD/faults", "worlds/WORLD/faults/remove", "worlds/WORLD/snapshot", "worlds/WORLD/snapshot/copy", "worlds/WORLD/name", "new-world", "worlds/WORLD/verification-requests/vr_lifecycle",
	"worlds/WORLD/qualification-checks/qc_qualified", "worlds/WORLD/tenant-properties/tp_default", "worlds/WORLD/journal/clear",
}

// Whatever is posted to the console, the answer is a page or a redirect to one, and the world serves every operation.
func FuzzForms(f *testing.F) {
	for i := range consoleForms {
		for _, body := range []url.Values{
			{"key": {lab.Key}}, {"token": {"svc_sk_test_abc"}, "back": {"//page.example\r\nX: y"}}, {"to": {"2025-01-20T12:00"}},
			{"by": {"1h"}, "back": {"/_understudy/worlds"}}, {"rule": {`{on: get, respond: {status: 429, message: "123-45-6789\r\n", headers: {X: "\r\nY"}}}`}},
			{"do": {"set"}, "fields": {`{"metadata":{"a":"123-45-6789"}}`}}, {"do": {"move"}, "state": {"svc_sk_test_abc"}, "force": {"yes"}},
			{"do": {"cancel"}, "reason": {"other"}, "details": {"123456789"}}, {"do": {"advance"}, "at": {"9990-12-31T23:59:59Z"}}, {"id": {"fault-1", "%"}}, {"name": {"123-45-6789"}},
		} {
			f.Add(byte(i), false, body.Encode())
		}
		f.Add(byte(i), true, "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"s\"\r\n\r\n{\"understudy_snapshot\":1}\r\n--b--\r\n")
		f.Add(byte(i), false, "%zz;&=")
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, form byte, file bool, body string) {
		z.reset(t)
		z.warm()
		kind := "application/x-www-form-urlencoded"
		if file {
			kind = "multipart/form-data; boundary=b"
		}
		answer := z.post(t, consoleForms[int(form)%len(consoleForms)], kind, body)
		if answer != nil && !slices.Contains([]int{200, 303, 400, 401, 403, 404, 409, 413}, answer.Status) {
			t.Errorf("it is answered %d", answer.Status)
		}
		if answer != nil && answer.Status == 303 {
			page := &url.URL{Scheme: "http", Host: "localhost", Path: "/_understudy/" + consoleForms[int(form)%len(consoleForms)]}
			to, err := page.Parse(answer.Header.Get("Location"))
			if err != nil || to.Host != page.Host || !strings.HasPrefix(to.Path, "/_understudy/") {
				t.Errorf("it leads to %v, %v", to, err)
			}
		}
		z.live(t)
	})
}

// post sends a form to the console, in the world of key. The page may repeat the input, so only its headers and the log are
// searched.
func (z *fuzzed) post(t testing.TB, path, kind, body string) *apitest.Response {
	t.Helper()
	world := z.steer(t, "GET", "clock", "").Header.Get("Understudy-World")
	wire := fmt.Sprintf("POST /_understudy/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		strings.ReplaceAll(path, "WORLD", world), kind, len(body), body)
	return z.ask(t, wire, apitest.Document, apitest.Envelope, apitest.Headers, apitest.Challenge, apitest.RetryAfter)
}
