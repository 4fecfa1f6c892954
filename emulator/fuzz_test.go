package emulator_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// fuzzed is an emulator that is asked without a network, and whose answers, journal and log are looked through. Pauses of
// its rules take no time.
type fuzzed struct {
	emulator *emulator.Emulator
	log      bytes.Buffer
}

func newFuzzed(f *testing.F) *fuzzed {
	f.Helper()
	z := new(fuzzed)
	withoutTime := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "took" {
			return slog.Attr{}
		}
		return a
	}
	z.emulator = launch(f,
		emulator.WithClock(emulator.Clock{Frozen: epoch, Pause: func(context.Context, time.Duration) error { return nil }}),
		emulator.WithLogger(slog.New(slog.NewTextHandler(&z.log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))),
		emulator.WithJournalSize(20),
	)
	return z
}

// again begins an input, in a world as new, so that one that fails does so again alone.
func (z *fuzzed) again(t testing.TB) {
	t.Helper()
	z.steer(t, "POST", "reset", "")
	z.log.Reset()
}

// ask sends a request as it is written, and returns what was answered: nil when a server would not have taken it for a
// request, or a rule broke the connection. It fails the test when the answer breaks what [apitest.Client] checks, is of
// an error of the emulator's own, or tells a secret in a header, an error or the log. Without the check of the document
// the answer may be a rule's, which says what it likes.
func (z *fuzzed) ask(t testing.TB, wire string, without ...apitest.Check) *apitest.Response {
	t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire)))
	if err != nil || !validHeader(r.Header) {
		return nil
	}
	recorded := z.serve(r)
	if recorded == nil {
		return nil
	}
	without = append(without, apitest.SSN) // an answer may show what a resource was given; the rest is looked through here
	answer := apitest.New(t, "http://localhost", "").Via(recorded).Without(without...).Do(r)
	z.wantNoSecret(t, answer)
	said := string(answer.Body)
	if strings.HasPrefix(r.URL.Path, control) { // where a text in the language of scenario files is explained
		said = withoutMagic(said)
	}
	if found := secret(said); answer.Status >= 400 && found != "" && !slices.Contains(without, apitest.Document) {
		t.Errorf("the error tells %s: %s", found, answer.Body)
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

// answered is a sender that knows the answer.
type answered func() *http.Response

func (a answered) Do(*http.Request) (*http.Response, error) { return a(), nil }

// steer sends a request to the control plane.
func (z *fuzzed) steer(t testing.TB, method, path, body string) *apitest.Response {
	t.Helper()
	return z.ask(t, request(method, control+path, key, body))
}

// request writes a request.
func request(method, target, key, body string, header ...string) string {
	var lines strings.Builder
	for _, line := range header {
		fmt.Fprintf(&lines, "%s\r\n", line)
	}
	return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s",
		method, target, key, &lines, len(body), body)
}

// validHeader reports whether a server takes a header for one.
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
	// ids, instants and escapes for one character, which look like numbers by chance
	machines = regexp.MustCompile(`[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{24}|\.[0-9]+Z|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}`)
	number   = regexp.MustCompile(`[0-9]{9}|[0-9]{3}-[0-9]{2}-[0-9]{4}`)
	digits   = regexp.MustCompile(`[0-9](?:[-–. /_]?[0-9])*`)
	anyKey   = regexp.MustCompile(`_[sp]k_[A-Za-z0-9_-]*`)
)

// withoutMagic writes # in a problem with a scenario file, which shows a line of it, for the numbers that may stand there:
// those that were never issued to anybody, and those that are no social security numbers.
func withoutMagic(text string) string {
	return digits.ReplaceAllStringFunc(text, func(found string) string {
		plain := strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, found)
		if ssn, err := api.ParseSSN(plain); err == nil && ssn.CouldBeReal() {
			return found
		}
		return "#"
	})
}

// secret returns what a text has of a social security number or an API key, "" for nothing.
func secret(text string) string {
	if !digitsInRow(text, 9) && !strings.Contains(text, "k_") {
		return "" // as most are: the expressions are slow
	}
	text = machines.ReplaceAllString(text, " ")
	for _, found := range number.FindAllString(text, -1) {
		if found != "000-00-0000" && found != "100000000" { // which stand for the form, and for the highest pay
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

// digitsInRow reports whether a text has so many digits and dashes in a row.
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

// wantNoSecret looks through the headers of an answer, and what was logged since the last one.
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

// wantNoSecretKept looks at what the journal has of an answer's request.
func (z *fuzzed) wantNoSecretKept(t testing.TB, answer *apitest.Response) {
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

func TestTheFuzzTargetsKnowASecret(t *testing.T) {
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
