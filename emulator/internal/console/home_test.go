package console_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
)

func TestHome(t *testing.T) {
	cases{
		"latest requests of all worlds": func(t *testing.T, v *visitor) {
			asked := v.ask("GET", "/verification-requests/vr_error_451", "")
			v.send("GET", "/verification-requests/vr_nowhere", "", "Authorization", "Bearer svc_sk_test_other")
			home := v.get(prefix).shows(200, "3 errors 67%", "400 request vr_nowhere no verification request", "451 request vr_error_451 451 by vr_error_451 (The social security number is frozen)").
				has(`<a href="`+v.entry(asked)+`">`, `data-tip="3 requests, 2 errors, `)
			if first, second := strings.Index(home.body, "vr_nowhere"), strings.Index(home.body, "vr_error_451"); first > second {
				t.Error("the latest is not the first")
			}
			v.get(prefix+"home/live").shows(200, "451 request vr_error_451").lacks("<html")
		},
		"a plain answer needs no reason": func(t *testing.T, v *visitor) {
			v.ask("GET", "/verification-requests/vr_completed", "")
			v.get(prefix + "home/live").has(`<td class="why ok"></td>`)
		},
		"a deleted world has no requests": func(t *testing.T, v *visitor) {
			v.post(v.world + "/delete").shows(303)
			v.get(prefix).shows(200, "Listening…")
		},
		"many requests are counted since the first that is looked at": func(t *testing.T, v *visitor) {
			for range 1300 {
				v.ask("GET", "/verification-requests/vr_completed", "")
			}
			v.get(prefix+"home/live").shows(200, "1000 errors 0%").shows(200, "× 1000").counts(1, "<tr><td>").lacks("requests in 5 min")
		},
	}.run(t)
}

func TestHomeOfAnEmulator(t *testing.T) {
	t.Parallel()
	v := visit(t, emulator.WithSeed(7), emulator.WithVersion("v1.2.3"), emulator.WithJournalSize(12))
	v.get(prefix).shows(200, v.url, "svc_sk_test_console", "curl '"+v.url+"/verification-requests/vr_completed'", "Requests of all worlds ready",
		"Seed 7", "Clock of new worlds 2025-01-15T09:30:00Z", "Store temp", "the last 12 requests", "v1.2.3")
	v = visit(t, emulator.WithJournalSize(0))
	v.get(prefix).shows(200, "Requests are not recorded", "--journal-size")
	v.get(prefix + "home/live").shows(200)
}

// A request that reaches no world says why, and what to do.
func TestHomeOutside(t *testing.T) {
	t.Parallel()
	const path = "/verification-requests/vr_completed"
	for name, tt := range map[string]struct{ method, path, authorization, reason, fix string }{
		"no header":        {"GET", path, "", "There is no Authorization header", "Send Authorization: Bearer svc_sk_test_..."},
		"wrong scheme":     {"GET", path, "Basic abc", "The scheme must be Bearer", "Send Authorization: Bearer"},
		"no scheme":        {"GET", path, key, "The scheme must be Bearer", "Send Authorization: Bearer"},
		"wrong key prefix": {"GET", path, "Bearer acme_sk_test_x", "The key must begin with svc_sk_test_", "Put svc in place of acme, or serve with --key-prefix acme."},
		"variable not set": {"GET", path, "Bearer undefined", "The key is empty or undefined", "Is its variable set?"},
		"production key":   {"GET", path, "Bearer svc_sk_live", "A production key is never accepted here", "Send a sandbox key"},
		"unlike any key":   {"GET", path, "Bearer something", "The key must begin with svc_sk_test_", " --key-prefix sets the first part."},
		"wrong path":       {"GET", "/verification-request/vr_completed", "Bearer " + key, "No operation has this path", `Did you mean "/verification-requests/vr_completed"?`},
		"path with prefix": {"GET", "/v1" + path, "Bearer " + key, "No operation has this path", `Leave "/v1" out of the base URL.`},
		"wrong method":     {"POST", path, "Bearer " + key, "This path allows GET only", ""},
		"not described":    {"POST", "/tenant-properties", "Bearer " + key, "The specification does not describe this operation", "takes the magic id tp_default"},
		"hostile":          {"GET", "/v1" + path + "?a=<img%20src=x>", "Bearer " + key, "No operation has this path", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := visit(t)
			for range 3 {
				if tt.authorization == "" {
					v.send(tt.method, tt.path, "")
				} else {
					v.send(tt.method, tt.path, "", "Authorization", tt.authorization)
				}
			}
			v.get(prefix+"home/live").shows(200, tt.method+" "+strings.ReplaceAll(tt.path, "%20", " ")[:10], "× 3", tt.reason, tt.fix).
				lacks("<img src", "acme_sk_test_x").counts(1, `<p class="reason">`)
		})
	}
}

func TestHomeReadsFewWorlds(t *testing.T) {
	t.Parallel()
	v := visit(t)
	for i := range 30 {
		v.send("GET", "/verification-requests/vr_completed", "", "Authorization", fmt.Sprintf("Bearer svc_sk_test_%04d", i))
	}
	v.get(prefix+"home/live").shows(200, "12 errors 0%").counts(12, "<tr><td>")
}
