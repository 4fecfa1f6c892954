package surface_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// An answer that its journal entry does not reach is a plain 500: no header of the answer before it stays, and no document.
func TestUnwrittenAnswerHeaders(t *testing.T) {
	t.Parallel()
	s := &lab.Mute{Store: lab.Opened(t, "temp")}
	c := lab.Start(t, emulator.WithStore(s)).Without(apitest.Headers)
	lab.PlayScript(t, c, `
		POST faults {"rule":{"on":"get","respond":{"status":403,"headers":{"X-Queue":"long","Retry-After":"9"}}}} → 201
		POST faults {"rule":{"on":"update","respond":{"content_type":"text/plain"}}} → 201`)
	s.Down.Store(true)
	for _, r := range []*apitest.Response{c.Get("/verification-requests/vr_completed"), c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`)} {
		lab.WantStatus(t, r, 500, "Internal server error")
		if r.Header.Get("X-Queue")+r.Header.Get("Retry-After") != "" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the answer has %v", r.Header)
		}
	}
}

// A header that a rule sets replaces that of its refusal, whose other ones stay.
func TestRefusalHeaders(t *testing.T) {
	t.Parallel()
	c := lab.Start(t).Without(apitest.Headers, apitest.Challenge, apitest.RetryAfter)
	for respond, want := range map[string]string{
		`{"status":401,"headers":{"X-Queue":"long"}}`:                   "401 /long/Bearer",
		`{"status":429,"headers":{"Retry-After":"9"}}`:                  "429 9//",
		`{"status":429,"headers":{"X-Queue":"long"}}`:                   "429 1/long/",
		`{"status":429,"headers":{"Retry-After":"9","X-Queue":"long"}}`: "429 9/long/",
	} {
		lab.PlayScript(t, c, `DELETE faults → 204`+"\n"+`POST faults {"rule":{"on":"get","respond":`+respond+`}} → 201`)
		r := c.Get("/verification-requests/vr_completed")
		challenge, _, _ := strings.Cut(r.Header.Get("WWW-Authenticate"), " ")
		if got := fmt.Sprintf("%d %s/%s/%s", r.Status, r.Header.Get("Retry-After"), r.Header.Get("X-Queue"), challenge); got != want {
			t.Errorf("%s: %s, want %s", respond, got, want)
		}
	}
}

// The answer of a rule is not greased.
func TestRefusalUngreased(t *testing.T) {
	t.Parallel()
	c := lab.Start(t, emulator.WithGrease("on")).Ungreased()
	lab.PlayScript(t, c, `POST faults {"rule":{"on":"get","respond":{"status":403}}} → 201`)
	if r := c.Get("/verification-requests/vr_completed"); string(r.Sent) != `{"error":{"message":"`+lab.Message403+`"}}` {
		t.Errorf("%d %s", r.Status, r.Sent)
	}
}
