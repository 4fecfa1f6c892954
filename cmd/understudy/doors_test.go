package main

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// What one door refuses, all doors refuse, with the same words. A door that has no way to send the input is left empty.
func TestDoors(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	e, err := emulator.New()
	commandtest.NoError(t, err)
	t.Cleanup(func() { commandtest.NoError(t, e.Close()) })
	w, err := e.World(commandtest.Key)
	commandtest.NoError(t, err)
	reset := commandtest.Understudy(t, "reset", "--url", s.URL, "--key", commandtest.Key, "--json")
	page := s.URL + emulator.ControlPrefix + "worlds/" + commandtest.Decoded[struct{ ID string }](t, reset.Stdout).ID
	verify := func(x emulator.Expectation) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Verify(ctx, x); return err }
	}
	list := func(f emulator.JournalFilter) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.Journal(ctx, f); return err }
	}
	fault := func(rule string, options ...emulator.FaultOption) func(context.Context) error {
		return func(ctx context.Context) error { _, err := w.AddFault(ctx, rule, options...); return err }
	}
	const misspelled = `No operation has the path "/verification-requests/vr_1/cancle": did you mean "/verification-requests/vr_1/cancel"?`
	for name, d := range map[string]struct {
		message string
		golang  func(context.Context) error
		http    string // method, path and body
		command string // with | between arguments
		console string // page, or page and form
	}{
		"operation": {
			`There is no operation "getVerificationReq": did you mean getVerificationRequest?`, list(emulator.JournalFilter{Operation: "getVerificationReq"}),
			"GET journal?operation=getVerificationReq", "journal|--operation|getVerificationReq", "/journal?operation=getVerificationReq",
		},
		"operation of an expectation": {
			`There is no operation "getVerificationReq": did you mean getVerificationRequest?`, verify(emulator.Expectation{Operation: "getVerificationReq", Times: emulator.Times{Exactly: new(0)}}),
			`POST journal/verify {"operation":"getVerificationReq","times":{"exactly":0}}`, "journal|verify|--operation|getVerificationReq|--exactly|0", "",
		},
		"status": {
			`The status "9xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`, list(emulator.JournalFilter{Status: "9xx"}),
			"GET journal?status=9xx", "journal|--status|9xx", "/journal?status=9xx",
		},
		"status of an expectation": {
			`The status "1xx" is neither one from 200 to 599, nor a class such as 4xx, nor 0 for a broken connection, nor made of them as in >=400, 400,406 and -200`, verify(emulator.Expectation{Match: emulator.Match{Status: "1xx"}}),
			`POST journal/verify {"match":{"status":"1xx"}}`, "journal|verify|--status|1xx", "",
		},
		"path": {
			misspelled, list(emulator.JournalFilter{Path: "/verification-requests/vr_1/cancle"}), "GET journal?path=/verification-requests/vr_1/cancle",
			"journal|--path|/verification-requests/vr_1/cancle", "/journal?path=/verification-requests/vr_1/cancle",
		},
		"path of an expectation": {
			misspelled, verify(emulator.Expectation{Match: emulator.Match{Path: &emulator.TextMatcher{Equals: new("/verification-requests/vr_1/cancle")}}, Times: emulator.Times{Exactly: new(0)}}),
			`POST journal/verify {"match":{"path":"/verification-requests/vr_1/cancle"},"times":{"exactly":0}}`, "journal|verify|--path|/verification-requests/vr_1/cancle|--exactly|0", "",
		},
		"counts": {
			"The times are exactly n, at_least n, at_most n, or at_least n and at_most m, where 0 <= n <= m", verify(emulator.Expectation{Times: emulator.Times{Exactly: new(-1)}}),
			`POST journal/verify {"times":{"exactly":-1}}`, "journal|verify|--exactly=-1", "",
		},
		"state": {
			`unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`,
			func(ctx context.Context) error {
				_, err := w.Move(ctx, "vr_processing", emulator.Move{State: "done"})
				return err
			},
			`PATCH verification-requests/vr_processing {"state":"done"}`, "requests|move|vr_processing|done", "/verification-requests/vr_processing do=move&state=done",
		},
		"state of a list": {
			`unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`, nil,
			"GET verification-requests?state=done", "requests|list|--state|done", "?state=done",
		},
		"id": {
			`No verification request is "vr_lifecicle": did you mean vr_lifecycle?`,
			func(ctx context.Context) error { _, err := w.VerificationRequest(ctx, "vr_lifecicle"); return err },
			"GET verification-requests/vr_lifecicle", "requests|show|vr_lifecicle", "/verification-requests/vr_lifecicle",
		},
		"id of a fault": {
			"Invalid resource id: an id has 1 to 128 of A-Z a-z 0-9 . _ ~ -", fault("{on: get, fault: empty}", emulator.OnlyFor("a b")),
			`POST faults {"rule":{"on":"get","fault":"empty"},"resource":"a b"}`, "", "/faults rule={on:+get,+fault:+empty}&id=a+b",
		},
		"rule": {
			`The rule is invalid: rule:1:6: unknown value "gt" for on: must be one of any, get, `, fault("{on: gt, fault: empty}"),
			`POST faults {"rule":"{on: gt, fault: empty}"}`, "faults|add|{on: gt, fault: empty}", "/faults rule={on:+gt,+fault:+empty}",
		},
		"rule whose warning stands before its error": {
			"The rule is invalid: rule:1:44: the header Content-Type has a key of its own: write content_type: text/html",
			fault("{on: get, respond: {status: 502, headers: {Content-Type: text/html}}}"),
			`POST faults {"rule":"{on: get, respond: {status: 502, headers: {Content-Type: text/html}}}"}`,
			"faults|add|{on: get, respond: {status: 502, headers: {Content-Type: text/html}}}", "/faults rule={on:+get,+respond:+{status:+502,+headers:+{Content-Type:+text/html}}}",
		},
		"preset": {
			`"outage-52" is neither a rule, such as {on: get, respond: {status: 500}}, nor a preset: did you mean outage-502?`, fault("outage-52"),
			`POST faults {"rule":"outage-52"}`, "faults|add|--preset|outage-52", "/faults rule=outage-52",
		},
		"span": {
			`"soon" is not a span of time such as 90s, 10m, 48h or 7d`, nil,
			`POST clock/advance {"by":"soon"}`, "clock|advance|soon", "/clock/advance by=soon",
		},
		"span of a fault": {
			"A fault lasts for a span of time such as 10m, not -1h0m0s", fault("{on: get, fault: empty}", emulator.Lasting(-time.Hour)),
			`POST faults {"rule":{"on":"get","fault":"empty"},"expires_in":"-1h"}`, "faults|add|{on: get, fault: empty}|--for=-1h", "/faults rule={on:+get,+fault:+empty}&expires_in=-1h",
		},
		"clock": {
			"A clock does not go back: advance it by a span of time such as 36h",
			func(ctx context.Context) error { _, err := w.Advance(ctx, -time.Hour); return err },
			`POST clock/advance {"by":"-1h"}`, "clock|advance|--|-1h", "/clock/advance by=-1h",
		},
		"scenario": {
			`There is no scenario "lifecicle": did you mean lifecycle?`,
			func(ctx context.Context) error {
				_, err := w.CreateVerificationRequest(ctx, "{scenario: lifecicle}")
				return err
			},
			`POST verification-requests {"scenario":"lifecicle"}`, "requests|create|{scenario: lifecicle}", "",
		},
		"name": {
			"A world name has 1 to 64 visible characters, without leading or trailing space",
			func(ctx context.Context) error { _, err := w.Rename(ctx, " a "); return err },
			"PATCH worlds/{world} " + `{"name":" a "}`, "worlds|rename|{world}| a ", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refuses := func(door, answer string, refused bool) {
				t.Helper()
				if !refused || !strings.Contains(answer, d.message) {
					t.Errorf("%s: %s\nwant %s", door, answer, d.message)
				}
			}
			if d.golang != nil {
				err := d.golang(t.Context())
				_, refused := err.(*api.Error)
				refuses("Go", strings.TrimSpace(errorText(err)), refused)
			}
			inWorld := strings.NewReplacer("{world}", page[strings.LastIndex(page, "/")+1:])
			method, rest, _ := strings.Cut(inWorld.Replace(d.http), " ")
			path, body, _ := strings.Cut(rest, " ")
			r := s.API(t).Send(method, emulator.ControlPrefix+"v1/"+path, body)
			refuses("HTTP", r.ErrorMessage(), r.Status >= 400)
			if d.command != "" {
				args := strings.Split(inWorld.Replace(d.command), "|")
				got := commandtest.Understudy(t, append([]string{args[0], "--url", s.URL, "--key", commandtest.Key}, args[1:]...)...)
				refuses("command", got.Stderr, got.Code != command.ExitOK)
			}
			if path, form, filled := strings.Cut(d.console, " "); d.console != "" {
				send := func() (*http.Response, error) { return http.Get(page + path) }
				if filled {
					send = func() (*http.Response, error) {
						values, err := url.ParseQuery(form)
						commandtest.NoError(t, err)
						return http.PostForm(page+path, values)
					}
				}
				answer, err := send()
				commandtest.NoError(t, err)
				defer answer.Body.Close()
				text, err := io.ReadAll(answer.Body)
				commandtest.NoError(t, err)
				refuses("console", html.UnescapeString(string(text)), answer.StatusCode >= 400)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}
