package lab

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// PlayScripts plays each script as a subtest in a world of its own, on one emulator.
func PlayScripts(t *testing.T, scripts map[string]string, options ...emulator.Option) {
	t.Helper()
	url := Serve(t, options...)
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			PlayScript(t, apitest.New(t, url, WorldKey(name)), script)
		})
	}
}

// WorldKey returns a key for the world of a name.
func WorldKey(name string) string { return "svc_sk_test_w" + notOfKeys.ReplaceAllString(name, "_") }

var (
	notOfKeys = regexp.MustCompile(`[^A-Za-z0-9]+`)
	// expectation matches KEY=VALUE.
	expectation = regexp.MustCompile(`([a-z0-9_.#]+)=("[^"]*"|\S+)`)
	sessionFor  = regexp.MustCompile(`SESSION\(([^)]*)\)`)
	MadeID      = regexp.MustCompile(`^\{"id":"([a-z]+_[0-9A-Za-z]+)"`)
)

// PlayScript sends the requests of a script and checks the answers. A line is one of
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
func PlayScript(t *testing.T, c *apitest.Client, script string) {
	t.Helper()
	next, made := c, strings.NewReplacer()
	for line := range strings.Lines(script) {
		line = made.Replace(WithSessions(strings.TrimSpace(line)))
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "":
		case word == "advance":
			WantStatus(t, c.Post(Control+"clock/advance", fmt.Sprintf(`{"by":%q}`, rest)), 200, "")
		case word == "move":
			id, state, _ := strings.Cut(rest, " ")
			WantStatus(t, c.Send("PATCH", Control+"verification-requests/"+id, fmt.Sprintf(`{"state":%q}`, state)), 200, "")
		case strings.HasSuffix(word, ":"):
			next = next.With(strings.TrimSuffix(word, ":"), rest)
		default:
			ask, want, ok := strings.Cut(line, " → ")
			if !ok {
				t.Fatalf("%s: → is missing", line)
			}
			r := playLine(t, next, ask, want)
			if id := MadeID.FindSubmatch(r.Body); r.Status == 201 && id != nil {
				shown := c.Get(Control + "credentials-sessions/" + string(id[1]))
				made = strings.NewReplacer("{vr}", cmp.Or(RequestIn(shown.Body), string(id[1])), "{cs}", string(id[1]))
			}
			next = c
		}
	}
}

// WithSessions replaces SESSION(number) by the body of a session.
func WithSessions(line string) string {
	return sessionFor.ReplaceAllStringFunc(line, func(found string) string { return Session(sessionFor.FindStringSubmatch(found)[1]) })
}

// SplitRequest splits METHOD PATH BODY.
func SplitRequest(ask string) (method, path, body string) {
	method, rest, _ := strings.Cut(ask, " ")
	path, body, _ = strings.Cut(rest, " ")
	if !strings.HasPrefix(path, "/") {
		path = Control + path
	}
	return method, path, body
}

func playLine(t *testing.T, c *apitest.Client, ask, want string) *apitest.Response {
	t.Helper()
	method, path, body := SplitRequest(ask)
	r := c.Send(method, path, BodyOf(body))
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
		WantKeys(t, ask, r.Body, want)
	}
	return r
}

// WantKeys checks KEY=VALUE pairs, as in a script, against a JSON body.
func WantKeys(t *testing.T, ask string, text []byte, want string) {
	t.Helper()
	var body any
	NoError(t, json.Unmarshal(text, &body))
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

// BodyOf returns the body to send, nil for "".
func BodyOf(text string) any {
	if text == "" {
		return nil
	}
	return text
}
