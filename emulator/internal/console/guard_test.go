package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

func TestGuard(t *testing.T) {
	cases{
		"page of another origin is 403": func(t *testing.T, v *visitor) {
			for _, header := range []http.Header{
				{"Sec-Fetch-Site": {"cross-site"}}, {"Sec-Fetch-Site": {"same-site"}}, {"Origin": {"https://page.example"}}, {"Origin": {"null"}},
			} {
				v.header = header
				for _, path := range []string{v.world + "/reset", v.world + "/clock/advance", v.world + "/faults", v.world + "/delete", v.world + "/snapshot", prefix + "catalogue/flaky", prefix + "login"} {
					v.post(path, "by", "1h", "send", "read", "rule", "{on: any, respond: {status: 500}}").shows(403, "A web page of another origin may not drive")
				}
			}
			v.header = http.Header{"Sec-Fetch-Site": {"same-origin"}}
			v.post(v.world+"/clock/advance", "by", "1h").shows(303)
			v.header = http.Header{"Origin": {v.url}} // where the browser sends no fetch metadata
			v.post(v.world+"/clock/advance", "by", "1h").shows(303)
		},
		"foreign host is 403": func(t *testing.T, v *visitor) {
			all := walked(pages(v))
			v.header.Set("Host", "page.example")
			for _, path := range all {
				v.get(path).shows(403, "may be that of a web page")
			}
			v.header.Set("Host", "localhost:8080")
			v.get(prefix).shows(200, "http://localhost:8080")
		},
		"no login without a token": func(t *testing.T, v *visitor) {
			v.get(prefix + "login").shows(303)
			v.get(prefix).shows(200).lacks("Log out")
			if jar := v.client.Jar.Cookies(&url.URL{Scheme: "http", Host: "127.0.0.1"}); len(jar) > 0 {
				t.Errorf("keeps %v", jar)
			}
		},
	}.run(t)
}

// With --control-token, pages need a login.
func TestToken(t *testing.T) {
	t.Parallel()
	const token = "correct-horse"
	v := visit(t, emulator.WithControlToken(token))
	for _, path := range append(walked(pages(v)), prefix+"nothing", prefix+"live", v.world+"/snapshot/file") {
		v.get(path).shows(401, "The token, please").lacks("vr_flaky", "…") // and no world
	}
	v.post(v.world+"/reset").shows(401, "The token, please")
	v.get(prefix+"login").shows(200, "The token, please")

	v.post(prefix+"login", "token", "correct-hors").shows(401, "That is not the token").lacks("Log out")
	v.post(prefix+"login", "token", "").shows(401, "That is not the token")
	v.get(prefix).shows(401)

	cookie := v.post(prefix+"login", "token", token, "back", v.world+"/clock").leads(v.world + "/clock").header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=" + prefix} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie is not %s: %s", part, cookie)
		}
	}
	if strings.Contains(cookie, token) || strings.Contains(cookie, "Secure") {
		t.Errorf("the cookie: %s", cookie)
	}
	v.get(v.world+"/clock").shows(200, "Log out")
	v.get(prefix).shows(200, "metrics at /_understudy/metrics with the token").lacks(`href="/_understudy/metrics"`) // a browser cannot send the token
	v.get(prefix + "login").shows(303)

	v.post(prefix + "logout").shows(303)
	v.get(v.world + "/clock").shows(401)
	name, _, _ := strings.Cut(cookie, "=")
	v.header.Set("Cookie", name+"="+token)
	v.get(v.world + "/clock").shows(401)
}

// Cookies of a host are sent to all its ports (RFC 6265, 8.5).
func TestTokenOfTwoConsoles(t *testing.T) {
	t.Parallel()
	first, second := visit(t, emulator.WithControlToken("correct-horse")), visit(t, emulator.WithControlToken("battery-staple"))
	second.client.Jar = first.client.Jar
	first.post(prefix+"login", "token", "correct-horse").shows(303)
	second.post(prefix+"login", "token", "battery-staple").shows(303)
	first.get(prefix+"worlds").shows(200, "Log out")
	second.get(prefix+"worlds").shows(200, "Log out")
	second.post(prefix + "logout").shows(303)
	first.get(prefix + "worlds").shows(200)
}

func TestTokenUnderTLS(t *testing.T) {
	t.Parallel()
	r := httptest.NewRequest("POST", "https://localhost"+prefix+"login", strings.NewReader("token=correct-horse"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	emulatortest.Run(t, emulator.WithControlToken("correct-horse")).Emulator.ServeHTTP(w, r)
	if cookie := w.Header().Get("Set-Cookie"); w.Code != 303 || !strings.Contains(cookie, "; Secure") {
		t.Errorf("%d %s", w.Code, cookie)
	}
}

func TestLoginRedirect(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithControlToken("correct-horse"))
	for _, back := range []string{"https://page.example/", "//page.example/", "/verification-requests/x", `/_understudy/\page.example`, "/_understudy/login", "/_understudy/logout", "",
		"/_understudy/../evil", "/_understudy/%2e%2e/evil", "/_understudy/worlds/../../evil", "/_understudy/./login", "/_understudy/%zz"} {
		v.post(prefix+"login", "token", "correct-horse", "back", back).leads(prefix)
	}
}
