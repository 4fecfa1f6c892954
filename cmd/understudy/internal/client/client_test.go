package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

func TestClockCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	s.Prints("2025-01-15T09:00:00Z frozen\n", "clock")
	s.Prints("2025-01-16T21:00:00Z frozen\n", "clock", "advance", "36h")
	s.Prints("2025-03-01T09:00:00Z frozen\n", "clock", "set", "2025-03-01T10:00:00+01:00")
	s.Prints(`{"now":"2025-03-01T09:00:00Z","frozen":true}`+"\n", "clock", "--json")
	s.Fails("the emulator answers 409: The clock shows 2025-03-01T09:00:00Z and does not go back: reset the world first",
		"clock", "set", "2025-01-01T09:00:00Z")
	commandtest.Understudy(t, "clock", "--url", s.URL, "--key", commandtest.Key, "set", "run").Want(t, command.ExitOK, " running\n")
	s.Prints("2025-04-01T09:00:00Z frozen\n", "clock", "set", "freeze", "2025-04-01T09:00:00Z")
	s.Prints("2025-04-04T00:00:00Z frozen\n", "clock", "advance", "--to", "next-payday", "vr_frequency_monthly")
	reset := commandtest.Understudy(t, "reset", "--json", "--url", s.URL+"/", "--key", commandtest.Key)
	reset.Want(t, command.ExitOK)
	s.Prints("world "+commandtest.Decoded[struct{ ID string }](t, reset.Stdout).ID+" is reset, its clock is at 2025-01-15T09:00:00Z frozen\n", "reset")
}

func TestFaultsCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	s.Prints("fault-1: every get, 2 times: 500 Internal Server Error\n", "faults", "add", "{on: get, respond: {status: 500}, times: 2}")
	s.Prints("fault-2: every cancel: fault connection-reset\n", "faults", "add", "on: cancel\nfault: connection-reset\n", "--for", "10m")
	commandtest.WantStatus(t, s.API(t).Get("/verification-requests/vr_completed"), http.StatusInternalServerError)
	s.Prints(`ID       LEFT  EXPIRES               RULE
fault-1  1     -                     every get, 2 times: 500 Internal Server Error
fault-2  -     2025-01-15T09:10:00Z  every cancel: fault connection-reset
`, "faults")
	s.Prints("fault-1 is deleted\n", "faults", "delete", "fault-1")
	s.Fails(`the emulator answers 404: There is no fault "fault-1": the list of faults has the ids`, "faults", "delete", "fault-1")
	s.Prints("fault-3: every call: 502 Bad Gateway with a body of its own as text/html\n", "faults", "add", "--preset", "outage-502", "--for", "10m")
	s.Prints("all faults are deleted\n", "faults", "clear")
	s.Prints(`{"items":[],"next":null}`+"\n", "faults", "list", "--json")
}

func TestRequestsCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	s.WantServing(t) // a read that moves nothing stores nothing
	s.Prints("ID  STATE  SCENARIO  CREATED  SESSION\n(none)\n", "requests")
	s.Prints(`vr_lifecycle_timed is processing

scenario  lifecycle-timed
created   2025-01-15T09:00:00Z
session   -

STEP     STATE             COMES      AT
past     pending-approval  -          2025-01-15T09:00:00Z
present  processing        after 1h   2025-01-15T09:00:00Z
next     completed         after 23h  2025-01-16T08:00:00Z
`, "requests", "move", "vr_lifecycle_timed", "processing")
	s.Prints(`ID                  STATE       SCENARIO         CREATED               SESSION
vr_lifecycle_timed  processing  lifecycle-timed  2025-01-15T09:00:00Z  -
`, "requests", "list", "--state", "processing")
	s.Fails("the emulator answers 409: The request cannot become processing: nothing leaves completed, which is a terminal state "+
		"(spec section 3); force it if that is meant", "requests", "move", "vr_completed", "processing")
	s.Run("requests", "move", "vr_completed", "processing", "--force").Want(t, command.ExitOK, "vr_completed is processing\n")
	s.Run("requests", "move", "vr_processing", "canceled", "--reason", "competitor", "--details", "late", "--json").
		Want(t, command.ExitOK, `"cancellation_reason":"competitor","cancellation_details":"late"`)
	s.Run("requests", "show", "vr_cancel_error_451").Want(t, command.ExitOK, "\nRULES\nevery cancel: 451 Unavailable For Legal Reasons\n")
	s.Prints("vr_completed is deleted\n", "requests", "delete", "vr_completed")
	s.Fails(`the emulator answers 404: No verification request "vr_completed" is stored in this world`, "requests", "delete", "vr_completed")
	s.Run("requests", "show", "vr_one_null_member").Want(t, command.ExitOK, "\nDIAGNOSIS\nreports.0.paystubs.0.net is missing: the source sent none\n")
	s.Fails(`the emulator answers 404: No verification request is "vr_lifecicle": did you mean vr_lifecycle?`, "requests", "show", "vr_lifecicle")
}

func TestWorldsCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t, "--control-token", "correct-horse")
	ask := func(args ...string) commandtest.Result {
		return commandtest.Understudy(t, append(args, "--url", s.URL, "--control-token", "correct-horse")...)
	}
	const worlds = 3
	for i := range worlds {
		ask("clock", "--key", fmt.Sprintf("svc_sk_test_suite_%04d", i)).Want(t, command.ExitOK)
	}
	lines := strings.Split(ask("worlds").Stdout, "\n")
	if len(lines) != worlds+2 || !strings.HasPrefix(lines[0], "ID") || !strings.Contains(lines[1], "  svc_sk_test_…000") {
		t.Fatalf("%q", lines)
	}
	id, _, _ := strings.Cut(lines[1], " ")
	if got := ask("clock", "--world", id); got.Stdout != "2025-01-15T09:00:00Z frozen\n" {
		t.Errorf("by its id: %+v", got)
	}
	if got := ask("worlds", "--world", id); got.Stdout != strings.Join(lines, "\n") { // UNDERSTUDY_WORLD may be set for all commands
		t.Errorf("with a world: %+v", got)
	}
	ask("worlds", "rename", id, "Payroll team").Want(t, command.ExitOK, "the name of world "+id+" is Payroll team\n")
	ask("worlds").Want(t, command.ExitOK, "  Payroll team  2025-01-15T09:00:00Z  2025-01-15T09:00:00Z frozen  20")
	ask("worlds", "rename", id).Want(t, command.ExitOK, "the name of world "+id+" is -\n")
	ask("worlds", "rename", id, "a\tb").Want(t, command.ExitUsage, "A world name has 1 to 64 visible characters")
	ask("worlds", "rename").Want(t, command.ExitUsage, "worlds rename takes ID [NAME]: say which world")
	if got := ask("worlds", "delete", id); got.Stdout != "world "+id+" is deleted\n" {
		t.Errorf("%+v", got)
	}
	ask("clock", "--world", id).Want(t, command.ExitFailed, "the emulator answers 404: There is no world \""+id)
	ask("worlds", "delete", id).Want(t, command.ExitFailed, "the emulator answers 404: There is no world \""+id)
	commandtest.Understudy(t, "worlds", "--url", s.URL).Want(t, command.ExitUsage, "the emulator answers 401: The control plane has a token (--control-token): send it as ")
	ask("clock", "--key", "svc_pk_test_suite").Want(t, command.ExitUsage, "Forbidden: a publishable key is for the browser: send a secret sandbox key")
	ask("clock", "--key", "sk_test_suite").Want(t, command.ExitUsage, "Authorization is missing, invalid or expired: the key must begin with svc_sk_test_")
	commandtest.Understudy(t, "clock", "--key", commandtest.Key, "--url", s.URL+"/api").Want(t, command.ExitFailed, "the emulator answers 404: Not Found: no operation has this path: did you mean \"/_understudy/v1/clock\"? Leave \"/api\" out of the base URL")
	commandtest.Understudy(t, "worlds", "--url", s.URL, "--control-token", "x").Want(t, command.ExitUsage, "the emulator answers 401: The control plane has a token (--control-token): send it as ")
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
	if got := commandtest.Understudy(t, "worlds", "--json", "--url", paged.URL); got.Stdout != `{"items":[{"id":"a"},{"id":"b"},{"id":"c"}],"next":null}`+"\n" {
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
			commandtest.Understudy(t, "clock", "--url", other.URL, "--key", commandtest.Key).Want(t, command.ExitFailed, tt.want)
		})
	}
	t.Run("https of a server without TLS", func(t *testing.T) {
		t.Parallel()
		plain := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(plain.Close)
		secure := "https" + strings.TrimPrefix(plain.URL, "http")
		want := secure + " serves http, not https: correct --url: " + plain.URL
		commandtest.Understudy(t, "clock", "--url", secure, "--key", commandtest.Key).Want(t, command.ExitFailed, want)
		commandtest.Understudy(t, "healthcheck", "--url", secure).Want(t, command.ExitFailed, want)
	})
}

func TestSnapshotCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	sendRequests(s)
	file := filepath.Join(t.TempDir(), "arranged.ndjson")
	s.Run("snapshot", "save", file).Want(t, command.ExitOK, "the world is saved in "+file+", ")
	if info, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the snapshot has the mode %v, error %v", info.Mode(), err)
	}
	document := string(commandtest.ReadFile(t, file))
	s.Prints(document, "snapshot", "save", "-")
	s.Run("clock", "advance", "1h")
	s.Run("snapshot", "restore", file).Want(t, command.ExitOK, " is restored, its clock is at 2025-01-15T09:00:00Z frozen\n")
	s.Prints(document, "snapshot", "save", "-")
	s.Fails("the emulator answers 400: The snapshot is refused, and nothing is changed: understudy_snapshot must be 2, as this release writes it, and is 7: restore it by the release that took it",
		"snapshot", "restore", commandtest.NewFile(t, "seven.ndjson", `{"understudy_snapshot":7}`))
}

func TestScenariosPut(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	file := commandtest.NewFile(t, "late.yaml", "name: my-late\ntitle: It comes late\nmagic: {verification_request: vr_late}\nverification_request: {timeline: [{state: processing}]}\n")
	s.Prints("SCENARIO  MAGIC VALUES  TITLE\nmy-late   vr_late       It comes late\n", "scenarios", "put", file)
	several := commandtest.NewFile(t, "several.yaml", "name: first\ntitle: First\nmagic: {verification_request: vr_first}\n---\nmatrix: {state: [processing, invalid]}\nname: in-<state>\ntitle: In <state>\n"+
		"magic: {verification_request: vr_<state>_here}\nverification_request:\n  timeline: [{state: <state>}]\n")
	s.Prints("SCENARIO       MAGIC VALUES        TITLE\nfirst          vr_first            First\nin-processing  vr_processing_here  In processing\n"+
		"in-invalid     vr_invalid_here     In invalid\n", "scenarios", "put", several)
	s.Prints("the scenario in-invalid is deleted\n", "scenarios", "delete", "in-invalid")
	for id, status := range map[string]int{"vr_first": 200, "vr_processing_here": 200, "vr_invalid_here": 400} {
		if r := s.API(t).Get("/verification-requests/" + id); r.Status != status {
			t.Errorf("%s: %d %s", id, r.Status, r.Body)
		}
	}
	if r := s.API(t).Get("/verification-requests/vr_late?fields=state"); r.Status != 200 || string(r.Body) != `{"state":"processing"}` {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	s.Prints("the scenario my-late is deleted\n", "scenarios", "delete", "my-late")
	s.Fails(`the emulator answers 404: The world has no scenario of its own that is named "my-late": the list of scenarios marks its own`, "scenarios", "delete", "my-late")
	for text, want := range map[string]string{"name: late\ntitel: x\n": "late.yaml:2:1: unknown key \"titel\"", "": "late.yaml:1:1: warning: has no scenario in it"} {
		if got := s.Run("scenarios", "put", commandtest.NewFile(t, "late.yaml", text)); got.Code != command.ExitFailed || !strings.Contains(got.Stderr, want) {
			t.Errorf("%+v", got)
		}
	}
}
