package console_test

import (
	"cmp"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

const (
	key    = "svc_sk_test_console-tests"
	prefix = "/_understudy/"
)

var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// visitor is a browser without JavaScript, as far as tests need one. Redirects are not followed.
type visitor struct {
	t      testing.TB
	url    string
	client *http.Client
	world  string      // the page of the world of key
	header http.Header // of all its requests
}

// visit starts an emulator, makes the world of key, and returns a visitor of its console.
func visit(t testing.TB, options ...emulator.Option) *visitor {
	t.Helper()
	s := emulatortest.Run(t, append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(epoch))}, options...)...)
	jar, _ := cookiejar.New(nil) // it never fails
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v := &visitor{t: t, url: s.URL, header: http.Header{}, client: &http.Client{Jar: jar, CheckRedirect: stay}}
	v.world = prefix + "worlds/" + v.ask("GET", "/verification-requests/vr_lifecycle_timed", "").header.Get("Understudy-World")
	return v
}

// cases are test cases by name, each with an emulator of its own.
type cases map[string]func(t *testing.T, v *visitor)

func (c cases) run(t *testing.T, options ...emulator.Option) {
	t.Parallel()
	for name, test := range c {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, visit(t, options...))
		})
	}
}

// send sends a request with headers, as name, value, name, value.
func (v *visitor) send(method, path, body string, header ...string) answer {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for name, values := range v.header {
		r.Header[name] = values
	}
	r.Host = cmp.Or(r.Header.Get("Host"), r.Host)
	got, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer got.Body.Close()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	shown := answer{v.t, got.StatusCode, got.Header, resolved(string(text), path), string(text)}
	if to := got.Header.Get("Location"); to != "" {
		got.Header.Set("Location", resolved(` href="`+to, path)[len(` href="`):])
	}
	return shown
}

var relative = regexp.MustCompile(`( (?:href|src|action|formaction|hx-get|hx-post|data-schema)=")((?:\.\./)+|\./)`)

// resolved resolves the relative links of a page at a path, as a browser does.
func resolved(page, path string) string {
	at, err := url.Parse(path)
	return relative.ReplaceAllStringFunc(page, func(link string) string {
		name, up, _ := strings.Cut(link, `"`)
		if err != nil {
			return link
		}
		return name + `"` + at.ResolveReference(&url.URL{Path: up}).Path
	})
}

func (v *visitor) get(path string) answer { v.t.Helper(); return v.send("GET", path, "") }

// post sends a form, as name, value, name, value.
func (v *visitor) post(path string, fields ...string) answer {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return v.send("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// ask sends a request to the emulated API, with the key.
func (v *visitor) ask(method, path, body string) answer {
	v.t.Helper()
	return v.send(method, path, body, "Authorization", "Bearer "+key, "Content-Type", "application/json")
}

// session creates a credentials session for a test person, and returns its id.
func (v *visitor) session(ssn string) string {
	v.t.Helper()
	return v.ask("POST", "/credentials/session", `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
		"target":{"first_name":"Ada","last_name":"Sample","social_security_number":"`+ssn+`","date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`).
		shows(201).find(`"id":"([^"]*)"`)
}

// requestOf returns the page of a session's verification request.
func (v *visitor) requestOf(session string) string {
	v.t.Helper()
	return v.request(v.get(v.world + "/credentials-sessions/" + session).find(`/verification-requests/([^"]*)"`))
}

// request returns the page of a verification request.
func (v *visitor) request(id string) string { return v.world + "/verification-requests/" + id }

// entry returns the page of an answer's request in the journal.
func (v *visitor) entry(a answer) string {
	return v.world + "/journal/" + a.header.Get("Understudy-Request-Id")
}

// follow returns the page that an answer leads to.
func (v *visitor) follow(a answer) answer {
	v.t.Helper()
	page := v.get(a.shows(303).header.Get("Location"))
	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if strings.Contains(cookie.Name, "_done_") && cookie.Value != "" && !strings.Contains(page.body, `class="notice"`) && !strings.Contains(page.body, `role="alert"`) {
			v.t.Errorf("no room has a notice for %q, which the form has done", cookie.Value)
		}
	}
	return page
}

// answer is what a visitor got. Its methods check it, and return it.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string // with its links resolved
	raw    string // as it came
}

var tags = regexp.MustCompile(`(?s)<head>.*</head>|<[^>]*>`)

// text returns what a person reads, in one line.
func (a answer) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(a.body, " "))), " ")
}

// shows checks a status and parts of what a person reads.
func (a answer) shows(status int, parts ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.text())
	}
	for _, part := range parts {
		if !strings.Contains(a.text(), part) {
			a.t.Errorf("does not say %q: %s", part, a.text())
		}
	}
	return a
}

// has checks that the page's source has parts.
func (a answer) has(parts ...string) answer {
	a.t.Helper()
	for _, part := range parts {
		if !strings.Contains(a.body, part) {
			a.t.Errorf("has no %s:\n%s", part, a.body)
		}
	}
	return a
}

// lacks checks that the page's source is without parts.
func (a answer) lacks(parts ...string) answer {
	a.t.Helper()
	for _, part := range parts {
		if strings.Contains(a.body, part) {
			a.t.Errorf("has %s:\n%s", part, a.body)
		}
	}
	return a
}

// counts checks how often the page's source has a part.
func (a answer) counts(want int, part string) answer {
	a.t.Helper()
	if n := strings.Count(a.body, part); n != want {
		a.t.Errorf("has %d times %s, want %d:\n%s", n, part, want, a.body)
	}
	return a
}

// find returns the first group of a pattern in the page's source.
func (a answer) find(pattern string) string {
	a.t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(a.body)
	if found == nil {
		a.t.Fatalf("has nothing like %s:\n%s", pattern, a.body)
	}
	return html.UnescapeString(found[1])
}

// alerts checks a page that says what was wrong with a form.
func (a answer) alerts(status int, message string) answer {
	a.t.Helper()
	return a.shows(status, "That did not work. ", message).has(`role="alert"`)
}

// leads checks where an answer sends the browser.
func (a answer) leads(to string) answer {
	a.t.Helper()
	if got := a.shows(303).header.Get("Location"); got != to {
		a.t.Errorf("leads to %s, want %s", got, to)
	}
	return a
}

// all returns the first group of all matches of a pattern in the page's source.
func (a answer) all(pattern string) (found []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(a.body, -1) {
		found = append(found, html.UnescapeString(match[1]))
	}
	return found
}
