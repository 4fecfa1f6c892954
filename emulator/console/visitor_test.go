package console_test

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
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
	world  string // the page of the world of key
	header http.Header
}

// visit starts an emulator, makes the world of key, and returns a visitor of its console.
func visit(t testing.TB, options ...emulator.Option) *visitor {
	t.Helper()
	e, err := emulator.New(append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(epoch))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		server.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, url: server.URL, header: http.Header{}, client: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}
	v.world = prefix + "worlds/" + v.ask("GET", "/verification-requests/vr_lifecycle_timed", "").header.Get("Understudy-World")
	return v
}

// answer is what a visitor got.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   string
}

func (v *visitor) do(r *http.Request) answer {
	v.t.Helper()
	for name, values := range v.header {
		r.Header[name] = values
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	got, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{v.t, got.StatusCode, got.Header, string(body)}
}

func (v *visitor) send(method, path, contentType, body string) answer {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return v.do(r)
}

func (v *visitor) get(path string) answer { v.t.Helper(); return v.send("GET", path, "", "") }

// post sends a form, as name, value, name, value.
func (v *visitor) post(path string, fields ...string) answer {
	v.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return v.send("POST", path, "application/x-www-form-urlencoded", form.Encode())
}

// ask sends a request to the emulated API, with the key.
func (v *visitor) ask(method, path, body string) answer {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.url+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	return v.do(r)
}

// follow returns the page that an answer leads to.
func (v *visitor) follow(a answer) answer {
	v.t.Helper()
	if a.status != http.StatusSeeOther {
		v.t.Fatalf("status %d, want a redirect: %s", a.status, a.text())
	}
	return v.get(a.header.Get("Location"))
}

var tags = regexp.MustCompile(`(?s)<head>.*</head>|<[^>]*>`)

// text returns what a person reads, in one line.
func (a answer) text() string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(a.body, " "))), " ")
}

// says checks a status and parts of what a person reads.
func (a answer) says(status int, parts ...string) answer {
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

// alerts checks a page that says what was wrong with a form.
func (a answer) alerts(status int, message string) answer {
	a.t.Helper()
	return a.says(status, "That did not work. ", message).has(`role="alert"`)
}
