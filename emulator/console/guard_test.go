package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestAPageOfAnotherOriginCannotPost(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for name, header := range map[string]map[string]string{
		"told by fetch metadata": {"Sec-Fetch-Site": "cross-site"},
		"of the same site":       {"Sec-Fetch-Site": "same-site"},
		"told by its origin":     {"Origin": "https://page.example"},
		"without an origin":      {"Origin": "null"},
	} {
		v.header = http.Header{}
		for name, value := range header {
			v.header.Set(name, value)
		}
		for _, path := range []string{v.world + "/reset", v.world + "/clock/advance", v.world + "/faults", v.world + "/delete", v.world + "/snapshot", prefix + "catalogue/flaky", prefix + "login"} {
			a := v.post(path, "by", "1h", "try", "read", "on", "any", "status", "500")
			if a.status != 403 || !strings.Contains(a.text(), "A web page of another origin may not drive") {
				t.Errorf("%s, %s: %d %s", name, path, a.status, a.text())
			}
		}
	}
	v.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
	v.post(v.world+"/clock/advance", "by", "1h").says(303)
	v.header = http.Header{"Origin": {v.url}} // where the browser sends no fetch metadata
	v.post(v.world+"/clock/advance", "by", "1h").says(303)
}

func TestOnALoopbackAddressTheConsoleIsReachedByLoopbackNames(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.header.Set("Host", "page.example")
	for _, path := range pages(v) {
		v.get(prefix+path).says(403, "On a loopback address")
	}
	v.header.Set("Host", "localhost:8080")
	v.get(prefix).says(200, "http://localhost:8080")
}

// Contract 2, --control-token.
func TestTheTokenIsAskedForOnce(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	v := visit(t, emulator.WithControlToken(token))
	for _, path := range append(pages(v), "nothing", strings.TrimPrefix(v.world, prefix)+"/journal/stream", strings.TrimPrefix(v.world, prefix)+"/snapshot/file") {
		a := v.get(prefix+path).says(401, "The token, please")
		if strings.Contains(a.body, "vr_lifecycle") || strings.Contains(a.body, "…") {
			t.Errorf("%s tells of worlds:\n%s", path, a.body)
		}
	}
	v.post(v.world+"/reset").says(401, "The token, please")
	v.get(prefix+"login").says(200, "The token, please")

	if page := v.post(prefix+"login", "token", "correct-hors").says(401, "That is not the token"); strings.Contains(page.text(), "Log out") {
		t.Error("who is not in is offered a way out")
	}
	v.post(prefix+"login", "token", "").says(401, "That is not the token")
	v.get(prefix).says(401)

	a := v.post(prefix+"login", "token", token, "back", v.world+"/clock").says(303)
	if to := a.header.Get("Location"); to != v.world+"/clock" {
		t.Errorf("leads to %s", to)
	}
	kept := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=" + prefix} {
		if !strings.Contains(kept, part) {
			t.Errorf("the cookie is not %s: %s", part, kept)
		}
	}
	if strings.Contains(kept, token) || strings.Contains(kept, "Secure") {
		t.Errorf("the cookie: %s", kept)
	}
	v.get(v.world+"/clock").says(200, "Log out")
	if page := v.get(prefix).says(200, "Figures for Prometheus at /_understudy/metrics"); strings.Contains(page.body, `href="/_understudy/metrics"`) {
		t.Error("leads to figures that a browser cannot have")
	}
	v.get(prefix + "login").says(303)

	v.post(prefix + "logout").says(303)
	v.get(v.world + "/clock").says(401)
	name, _, _ := strings.Cut(kept, "=")
	v.header.Set("Cookie", name+"="+token)
	v.get(v.world + "/clock").says(401)
}

// Cookies of a host are sent to all its ports (RFC 6265, 8.5).
func TestTwoConsolesOnAHostKeepTheirVisitors(t *testing.T) {
	t.Parallel()
	first, second := visit(t, emulator.WithControlToken("correct-horse")), visit(t, emulator.WithControlToken("battery-staple"))
	second.client.Jar = first.client.Jar
	first.post(prefix+"login", "token", "correct-horse").says(303)
	second.post(prefix+"login", "token", "battery-staple").says(303)
	first.get(prefix+"worlds").says(200, "Log out")
	second.get(prefix+"worlds").says(200, "Log out")
	second.post(prefix + "logout").says(303)
	first.get(prefix + "worlds").says(200)
}

func TestUnderTLSTheCookieIsForTLSAlone(t *testing.T) {
	t.Parallel()
	e, err := emulator.New(emulator.WithControlToken("correct-horse"))
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "https://localhost"+prefix+"login", strings.NewReader("token=correct-horse"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if kept := w.Header().Get("Set-Cookie"); w.Code != 303 || !strings.Contains(kept, "; Secure") {
		t.Errorf("%d %s", w.Code, kept)
	}
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestALoginLeadsToPagesOfTheConsoleOnly(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithControlToken("correct-horse"))
	for _, back := range []string{"https://page.example/", "//page.example/", "/verification-requests/x", `/_understudy/\page.example`, "/_understudy/login", "/_understudy/logout", "",
		"/_understudy/../evil", "/_understudy/%2e%2e/evil", "/_understudy/worlds/../../evil", "/_understudy/./login", "/_understudy/%zz"} {
		a := v.post(prefix+"login", "token", "correct-horse", "back", back).says(303)
		if to := a.header.Get("Location"); to != prefix {
			t.Errorf("%q leads to %q", back, to)
		}
	}
}

func TestWithoutATokenNobodyIsAsked(t *testing.T) {
	t.Parallel()
	v := visit(t)
	v.get(prefix + "login").says(303)
	a := v.get(prefix).says(200)
	if strings.Contains(a.text(), "Log out") {
		t.Error("offers a way out")
	}
	if jar := v.client.Jar.Cookies(&url.URL{Scheme: "http", Host: "127.0.0.1"}); len(jar) > 0 {
		t.Errorf("keeps %v", jar)
	}
}
