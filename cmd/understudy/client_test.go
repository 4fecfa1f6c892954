package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// steered is an emulator that command lines steer in the world of key.
type steered struct {
	server
	t *testing.T
}

func steer(t *testing.T, args ...string) steered {
	t.Helper()
	return steered{startServer(t, append([]string{"--clock", "2025-01-15T09:00:00Z"}, args...)...), t}
}

// run runs a command line in the world of key.
func (s steered) run(args ...string) result {
	s.t.Helper()
	return understudy(s.t, append(args, "--url", s.url, "--key", key)...)
}

// prints runs a command line in the world of key, and checks its output.
func (s steered) prints(want string, args ...string) {
	s.t.Helper()
	got := s.run(args...)
	if diff := cmp.Diff(want, got.stdout); diff != "" || got.code != exitOK || got.stderr != "" {
		s.t.Errorf("%s: exit code %d, %s\n%s", args, got.code, got.stderr, diff)
	}
}

// fails runs a command line in the world of key, and checks the message of its failure.
func (s steered) fails(want string, args ...string) {
	s.t.Helper()
	got := s.run(args...)
	if diff := cmp.Diff("understudy: "+want+"\n", got.stderr); diff != "" || got.code != exitFailed || got.stdout != "" {
		s.t.Errorf("%s: exit code %d, %s\n%s", args, got.code, got.stdout, diff)
	}
}

func TestClockCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.prints("2025-01-15T09:00:00Z frozen\n", "clock")
	s.prints("2025-01-16T21:00:00Z frozen\n", "clock", "advance", "36h")
	s.prints("2025-03-01T09:00:00Z frozen\n", "clock", "set", "2025-03-01T10:00:00+01:00")
	s.prints(`{"now":"2025-03-01T09:00:00Z","frozen":true}`+"\n", "clock", "--json")
	s.fails("the emulator answers 409: The clock shows 2025-03-01T09:00:00Z and does not go back: reset the world first",
		"clock", "set", "2025-01-01T09:00:00Z")
	understudy(t, "clock", "--url", s.url, "--key", key, "set", "run").want(t, exitOK, " running\n")
	s.prints("2025-04-01T09:00:00Z frozen\n", "clock", "set", "freeze", "2025-04-01T09:00:00Z")
	reset := understudy(t, "reset", "--json", "--url", s.url+"/", "--key", key)
	reset.want(t, exitOK)
	s.prints("world "+decoded[worldStatus](t, reset.stdout).ID+" is reset, its clock is at 2025-01-15T09:00:00Z frozen\n", "reset")
}

func TestFaultsCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.prints("fault-1: every get, 2 times: 500 Internal Server Error\n", "faults", "add", "{on: get, respond: {status: 500}, times: 2}")
	s.prints("fault-2: every cancel: fault connection-reset\n", "faults", "add", "on: cancel\nfault: connection-reset\n", "--for", "10m")
	wantStatus(t, s.api(t).Get("/verification-requests/vr_completed"), http.StatusInternalServerError)
	s.prints(`ID       LEFT  EXPIRES               RULE
fault-1  1     -                     every get, 2 times: 500 Internal Server Error
fault-2  -     2025-01-15T09:10:00Z  every cancel: fault connection-reset
`, "faults")
	s.prints("fault-1 is deleted\n", "faults", "delete", "fault-1")
	s.fails(`the emulator answers 404: There is no fault "fault-1"`, "faults", "delete", "fault-1")
	s.prints("fault-3: every call: 502 Bad Gateway with a body of its own as text/html\n", "faults", "add", "--preset", "outage-502", "--for", "10m")
	s.prints("all faults are deleted\n", "faults", "clear")
	s.prints(`{"items":[],"next":null}`+"\n", "faults", "list", "--json")
}

func TestRequestsCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.wantServing(t) // a read that moves nothing stores nothing
	s.prints("ID  STATE  SCENARIO  CREATED  SESSION\n(none)\n", "requests")
	s.prints(`vr_lifecycle_timed is processing

scenario  lifecycle-timed
created   2025-01-15T09:00:00Z
session   -

STEP     STATE             COMES      AT
past     pending-approval  -          2025-01-15T09:00:00Z
present  processing        after 1h   2025-01-15T09:00:00Z
next     completed         after 23h  2025-01-16T08:00:00Z
`, "requests", "move", "vr_lifecycle_timed", "processing")
	s.prints(`ID                  STATE       SCENARIO         CREATED               SESSION
vr_lifecycle_timed  processing  lifecycle-timed  2025-01-15T09:00:00Z  -
`, "requests", "list", "--state", "processing")
	s.fails("the emulator answers 409: The request cannot become processing: nothing leaves completed, which is a terminal state "+
		"(spec section 3); force it if that is meant", "requests", "move", "vr_completed", "processing")
	s.run("requests", "move", "vr_completed", "processing", "--force").want(t, exitOK, "vr_completed is processing\n")
	s.run("requests", "move", "vr_processing", "canceled", "--reason", "competitor", "--details", "late", "--json").
		want(t, exitOK, `"cancellation_reason":"competitor","cancellation_details":"late"`)
	s.run("requests", "show", "vr_cancel_error_451").want(t, exitOK, "\nRULES\nevery cancel: 451 Unavailable For Legal Reasons\n")
	s.prints("vr_completed is deleted\n", "requests", "delete", "vr_completed")
	s.fails(`the emulator answers 404: No verification request "vr_completed" is stored in this world`, "requests", "forget", "vr_completed")
	s.run("requests", "show", "vr_one_null_member").want(t, exitOK, "\nDIAGNOSIS\nreports.0.paystubs.0.net is missing: the source sent none\n")
	s.fails(`the emulator answers 404: No verification request is "vr_lifecicle": did you mean vr_lifecycle?`, "requests", "show", "vr_lifecicle")
}

func TestWorldsCommand(t *testing.T) {
	t.Parallel()
	s := steer(t, "--control-token", "correct-horse")
	ask := func(args ...string) result {
		return understudy(t, append(args, "--url", s.url, "--control-token", "correct-horse")...)
	}
	const worlds = 3
	for i := range worlds {
		ask("clock", "--key", fmt.Sprintf("svc_sk_test_suite_%04d", i)).want(t, exitOK)
	}
	lines := strings.Split(ask("worlds").stdout, "\n")
	if len(lines) != worlds+2 || !strings.HasPrefix(lines[0], "ID") || !strings.Contains(lines[1], "  svc_sk_test_…000") {
		t.Fatalf("%q", lines)
	}
	id, _, _ := strings.Cut(lines[1], " ")
	if got := ask("clock", "--world", id); got.stdout != "2025-01-15T09:00:00Z frozen\n" {
		t.Errorf("by its id: %+v", got)
	}
	if got := ask("worlds", "--world", id); got.stdout != strings.Join(lines, "\n") { // UNDERSTUDY_WORLD may be set for all commands
		t.Errorf("with a world: %+v", got)
	}
	ask("worlds", "rename", id, "Payroll team").want(t, exitOK, "the name of world "+id+" is Payroll team\n")
	ask("worlds").want(t, exitOK, "  Payroll team  2025-01-15T09:00:00Z  2025-01-15T09:00:00Z frozen  20")
	ask("worlds", "rename", id).want(t, exitOK, "the name of world "+id+" is -\n")
	ask("worlds", "rename", id, "a\tb").want(t, exitUsage, "A world's name has 1 to 64 characters that can be seen")
	ask("worlds", "rename").want(t, exitUsage, "worlds rename takes one or two arguments: say which world")
	if got := ask("worlds", "delete", id); got.stdout != "world "+id+" is deleted\n" {
		t.Errorf("%+v", got)
	}
	ask("clock", "--world", id).want(t, exitFailed, "There is no world", ": correct --world: see understudy worlds list")
	ask("worlds", "delete", id).want(t, exitFailed, "There is no world \""+id+"\": see understudy worlds list\n")
	understudy(t, "worlds", "--url", s.url).want(t, exitUsage, "the emulator requires a control token: give it with --control-token or UNDERSTUDY_CONTROL_TOKEN")
	ask("clock", "--key", "svc_pk_test_suite").want(t, exitUsage, "--key is refused: a publishable key is for the browser: send a secret sandbox key")
	ask("clock", "--key", "sk_test_suite").want(t, exitUsage, "--key is refused: the key must begin with svc_sk_test_")
	understudy(t, "clock", "--key", key, "--url", s.url+"/api").want(t, exitFailed, "the emulator answers 404: Not Found: no operation has this path: did you mean \"/_understudy/v1/clock\"? Leave \"/api\" out of the base URL: correct --url")
	understudy(t, "worlds", "--url", s.url, "--control-token", "x").want(t, exitUsage, "the emulator has another control token: correct --control-token")
}

// Commands fetch all pages of a list.
func TestListPages(t *testing.T) {
	t.Parallel()
	paged := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.RawQuery {
		case "limit=1000":
			fmt.Fprint(w, `{"items":[{"id":"a"},{"id":"b"}],"next":"b"}`)
		case "after=b&limit=1000":
			fmt.Fprint(w, `{"items":[{"id":"c"}],"next":null}`)
		}
	}))
	t.Cleanup(paged.Close)
	if got := understudy(t, "worlds", "--json", "--url", paged.URL); got.stdout != `{"items":[{"id":"a"},{"id":"b"},{"id":"c"}],"next":null}`+"\n" {
		t.Errorf("%+v", got)
	}
}

func TestOtherServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer string
		want   string
	}{
		"another server":  {"HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>", "is not an emulator of this version: it answers 404 Not Found: name the address of one with --url"},
		"a broken answer": {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n{", "broke off"},
		"another JSON":    {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]", "is not an emulator of this version: its answer cannot be decoded: "},
		"no HTTP":         {"hello\r\n\r\n", "no emulator answers at"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Fprint(conn, tt.answer)
				conn.Close()
			}))
			t.Cleanup(other.Close)
			understudy(t, "clock", "--url", other.URL, "--key", key).want(t, exitFailed, tt.want)
		})
	}
	t.Run("https of a server without TLS", func(t *testing.T) {
		t.Parallel()
		plain := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(plain.Close)
		secure := "https" + strings.TrimPrefix(plain.URL, "http")
		want := secure + " serves http, not https: correct --url: " + plain.URL
		understudy(t, "clock", "--url", secure, "--key", key).want(t, exitFailed, want)
		understudy(t, "healthcheck", "--url", secure).want(t, exitFailed, want)
	})
}

func TestSnapshotCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.sendRequests()
	file := filepath.Join(t.TempDir(), "arranged.json")
	s.run("snapshot", "save", file).want(t, exitOK, "the world is saved in "+file+", ")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the snapshot has the mode %v, error %v", info.Mode(), err)
	}
	document := string(readFile(t, file))
	s.prints(document, "snapshot", "save", "-")
	s.run("clock", "advance", "1h")
	s.run("snapshot", "restore", file).want(t, exitOK, " is restored, its clock is at 2025-01-15T09:00:00Z frozen\n")
	s.prints(document, "snapshot", "save", "-")
	s.fails("the emulator answers 400: The snapshot is refused, and nothing is changed: understudy_snapshot must be 1, as this release writes it, and is 7",
		"snapshot", "restore", newFile(t, "seven.json", `{"understudy_snapshot":7}`))
}

func TestScenariosPut(t *testing.T) {
	t.Parallel()
	s := steer(t)
	file := newFile(t, "late.yaml", "name: my-late\ntitle: It comes late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n")
	s.prints("SCENARIO  MAGIC VALUES  TITLE\nmy-late   vr_late       It comes late\n", "scenarios", "put", file)
	several := newFile(t, "several.yaml", "name: first\ntitle: First\nmagic: {verification_request: vr_first}\n---\nmatrix: {state: [processing, invalid]}\nname: in-<state>\ntitle: In <state>\n"+
		"magic: {verification_request: vr_<state>_here}\nverification_request:\n  timeline: [{state: <state>}]\n")
	s.prints("SCENARIO       MAGIC VALUES        TITLE\nfirst          vr_first            First\nin-processing  vr_processing_here  In processing\n"+
		"in-invalid     vr_invalid_here     In invalid\n", "scenarios", "put", several)
	s.prints("the scenario in-invalid is deleted\n", "scenarios", "delete", "in-invalid")
	for id, status := range map[string]int{"vr_first": 200, "vr_processing_here": 200, "vr_invalid_here": 400} {
		if r := s.api(t).Get("/verification-requests/" + id); r.Status != status {
			t.Errorf("%s: %d %s", id, r.Status, r.Body)
		}
	}
	if r := s.api(t).Get("/verification-requests/vr_late?fields=state"); r.Status != 200 || string(r.Body) != `{"state":"processing"}` {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.prints("the scenario my-late is deleted\n", "scenarios", "delete", "my-late")
	s.fails(`the emulator answers 404: The world has no scenario of its own that is named "my-late"`, "scenarios", "delete", "my-late")
	for text, want := range map[string]string{"name: late\ntitel: x\n": "late.yaml:2:1: unknown key \"titel\"", "": "late.yaml:1:1: warning: has no scenario in it"} {
		if got := s.run("scenarios", "put", newFile(t, "late.yaml", text)); got.code != exitFailed || !strings.Contains(got.stderr, want) {
			t.Errorf("%+v", got)
		}
	}
}
