package console_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

// flowOf returns the page for the person of a session, with its world or without it.
func (v *visitor) flowOf(session string, world bool) string {
	v.t.Helper()
	path := strings.ReplaceAll(v.ask("GET", prefix+"v1/credentials-sessions/"+session, "").shows(200).find(`"flow_url":"([^"]*)"`), `\u0026`, "&")
	if !world {
		path, _, _ = strings.Cut(path, "&")
	}
	return path
}

// The page for the person who uses the token of a session.
func TestFlow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(t *testing.T, v *visitor){
		"consent is success": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), true)
			v.get(page).shows(200, "Share your employment data?", "You play Ada Sample").lacks("<script")
			v.follow(v.post(page, "employer", "Mill", "login", "ada", "outcome", "success").leads(page)).
				shows(200, "The session is finished", "The outcome is success", "is completed now", "A token can be used once").lacks("<form")
			v.post(page, "outcome", "failure").alerts(409, "is finished: its outcome is success").shows(409, "is completed now")
		},
		"refusal is failure": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), false) // one world has the token
			v.follow(v.post(page, "outcome", "failure")).shows(200, "The outcome is failure", "the person refused, and the service canceled the request", "is canceled now")
		},
		"close is abandoned": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), false)
			v.follow(v.post(page, "outcome", "abandoned")).shows(200, "The outcome is abandoned", "is pending-approval now")
			v.post(v.world+"/clock/advance", "by", "72h").shows(303)
			v.get(page).shows(200, "is invalid now")
		},
		"an unknown outcome is 400": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), true)
			v.post(page, "outcome", "maybe").alerts(400, `unknown value "maybe" for outcome`).has(`id="consent"`)
		},
		"an unknown token says where tokens come from": func(t *testing.T, v *visitor) {
			for _, path := range []string{"", "?token=cst_none", "?token=%20", "?token=cst_none&world=none", "?token=" + strings.Repeat("x", 200)} {
				v.get(prefix+"flow"+path).shows(404, "Unknown token", "POST /credentials/session", "--session-flow manual").has(`id="token"`)
				v.post(prefix+"flow"+path).alerts(404, "No session was finished")
			}
		},
		"several worlds have the token": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), true)
			v.header.Set("Authorization", "Bearer svc_sk_test_other")
			v.session("000-12-3456")
			v.header.Del("Authorization")
			both, _, _ := strings.Cut(page, "&")
			links := v.get(both).shows(200, "Which world?", "last used").all(`<li><a href="([^"]*)"`)
			if len(links) != 2 {
				t.Fatalf("links %q", links)
			}
			v.post(both, "outcome", "success").alerts(404, "No session was finished")
			v.post(prefix+"flow"+links[0], "outcome", "success").shows(303)
			v.get(prefix+"flow"+links[1]).shows(200, "Share your employment data?")
		},
		"the emulator played the person": func(t *testing.T, v *visitor) {
			made := v.ask("POST", "/credentials/session", `{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",
				"target":{"first_name":"Ada","last_name":"Sample","social_security_number":"000-77-0001","date_of_birth":"1990-02-28"}}`)
			v.get(prefix+"flow?token="+made.find(`"token":"([^"]*)"`)).shows(200, "The emulator played this person", "is completed now", "--session-flow manual")
		},
		"a canceled request": func(t *testing.T, v *visitor) {
			id := v.session("000-12-3456")
			page := v.flowOf(id, true)
			request := v.ask("GET", prefix+"v1/credentials-sessions/"+id, "").find(`"verification_request_id":"([^"]*)"`)
			v.ask("PUT", "/verification-requests/"+request+"/cancel", `{"cancellation_reason":"other"}`).shows(200)
			v.get(page).shows(200, "Nobody can use this token any more", "is canceled now")
			v.post(page, "outcome", "success").alerts(409, "is canceled: a session is finished while")
		},
		"a page of another origin is 403": func(t *testing.T, v *visitor) {
			page := v.flowOf(v.session("000-12-3456"), true)
			v.header.Set("Sec-Fetch-Site", "cross-site")
			v.post(page, "outcome", "success").shows(403, "A web page of another origin may not drive")
		},
		"is small": func(t *testing.T, v *visitor) {
			if size := len(v.get(v.flowOf(v.session("000-12-3456"), true)).body); size > 3<<10 {
				t.Errorf("%d bytes", size)
			}
		},
		"the session's own page finishes it": func(t *testing.T, v *visitor) {
			page := v.world + "/credentials-sessions/" + v.session("000-12-3456")
			v.get(page).shows(200, "It waits, without end, for a person", "Nobody has used the token").has(`href="` + prefix + `flow?token=`)
			v.follow(v.post(page, "do", "finish", "outcome", "failure").leads(page)).shows(200, "Session finished.", "The outcome is failure.").lacks(`value="abandoned"`)
			v.post(page, "do", "finish", "outcome", "success").alerts(409, "is finished: its outcome is failure")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, visit(t, emulator.WithSessionFlow("manual")))
		})
	}
}

// A token is all that the page needs: no login where the control plane has a token of its own.
func TestFlowBesideControlToken(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithSessionFlow("manual"), emulator.WithControlToken("correct-horse"))
	v.header.Set("Understudy-Control-Token", "correct-horse")
	session := v.session("000-12-3456")
	page := v.flowOf(session, true)
	v.header.Del("Understudy-Control-Token")
	v.get(v.world).shows(401, "The token, please")
	v.get(page).shows(200, "Share your employment data?").lacks("console")
	v.follow(v.post(page, "outcome", "success")).shows(200, "The outcome is success")
	v.get(v.world+"/credentials-sessions/"+session).shows(401, "The token, please")
}

// A person goes through the page, which has no scripts, in a browser.
func TestBrowserFlow(t *testing.T) {
	t.Parallel()
	b := look(t, emulator.WithSessionFlow("manual"))
	b.expect("404", "409")
	for _, tt := range []struct{ press, outcome, state string }{
		{"I refuse", "failure", "canceled"}, // without an employer and a login
		{"Close without an answer", "abandoned", "pending-approval"},
		{"I consent", "success", "completed"},
	} {
		b.open(b.flowOf(b.session("000-12-3456"), true))
		if tt.outcome == "success" {
			b.press("I consent")
			b.until(`document.querySelector("#employer:invalid") === document.activeElement`)
			b.fill("#employer", "Example Mill")
			b.fill("#login", "ada")
			b.fill("#password", "secret")
		}
		b.follow(tt.press)
		b.reads("#outcome", tt.outcome)
		b.reads("#state", tt.state)
		b.counts(0, "form")
	}
	if !ci {
		return
	}
	done := value[string](b, "location.pathname + location.search")
	page := b.flowOf(b.session("000-12-3456"), true)
	b.header.Set("Authorization", "Bearer svc_sk_test_other")
	b.session("000-12-3456")
	several, _, _ := strings.Cut(page, "&")
	for _, path := range []string{page, done, several, prefix + "flow"} {
		b.open(path)
		b.isAccessible()
		b.fits()
	}
}
