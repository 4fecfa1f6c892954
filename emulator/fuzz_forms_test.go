package emulator_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// consoleForms are what pages of the console post to; WORLD stands for the world's id.
var consoleForms = []string{
	"worlds", "login", "catalogue/flaky", "worlds/WORLD/reset", "worlds/WORLD/delete", "worlds/WORLD/clock/set", "worlds/WORLD/clock/advance",
	"worlds/WORLD/faults", "worlds/WORLD/faults/remove", "worlds/WORLD/snapshot", "worlds/WORLD/verification-requests/vr_lifecycle",
	"worlds/WORLD/qualification-checks/qc_qualified", "worlds/WORLD/tenant-properties/tp_default", "worlds/WORLD/journal/clear",
}

// The console's forms: whatever is posted, it is a page or leads to one, and the world serves on.
func FuzzForms(f *testing.F) {
	for i := range consoleForms {
		for _, body := range []url.Values{
			{"key": {key}}, {"token": {"svc_sk_test_abc"}, "back": {"//page.example\r\nX: y"}}, {"try": {"read"}}, {"to": {"2025-01-20T12:00"}},
			{"by": {"1h"}, "back": {"/_understudy/worlds"}}, {"on": {"get"}, "status": {"429"}, "message": {"123-45-6789\r\n"}, "header": {"X: \r\nY"}},
			{"do": {"set"}, "fields": {`{"metadata":{"a":"123-45-6789"}}`}}, {"do": {"move"}, "state": {"svc_sk_test_abc"}, "force": {"yes"}},
			{"do": {"cancel"}, "reason": {"other"}, "details": {"123456789"}}, {"do": {"advance"}, "at": {"9990-12-31T23:59:59Z"}}, {"id": {"fault-1", "%"}},
		} {
			f.Add(byte(i), false, body.Encode())
		}
		f.Add(byte(i), true, "--b\r\nContent-Disposition: form-data; name=\"snapshot\"; filename=\"s\"\r\n\r\n{\"understudy_snapshot\":1}\r\n--b--\r\n")
		f.Add(byte(i), false, "%zz;&=")
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, form byte, file bool, body string) {
		z.again(t)
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
			if to := answer.Header.Get("Location"); !strings.HasPrefix(to, "/_understudy/") {
				t.Errorf("it leads to %q", to)
			}
		}
		z.live(t)
	})
}

// post sends a form to the console, in the world of key. It may answer with what somebody typed, to who typed it: its
// headers and the log are looked through as of others.
func (z *fuzzed) post(t testing.TB, path, kind, body string) *apitest.Response {
	t.Helper()
	world := z.steer(t, "GET", "clock", "").Header.Get("Understudy-World")
	wire := fmt.Sprintf("POST /_understudy/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		strings.ReplaceAll(path, "WORLD", world), kind, len(body), body)
	return z.ask(t, wire, apitest.Document, apitest.Envelope, apitest.Headers, apitest.Challenge, apitest.RetryAfter)
}
