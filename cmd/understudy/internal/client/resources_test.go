package client

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
)

// Every kind that the control plane creates is listed, shown, created, patched and deleted by the same commands.
func TestResourceCommands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, create, id, patch, patched, row string }{
		"requests": {"verification-requests", "{scenario: processing, id: vr_mine}", "vr_mine", `{set: {loan_id: "7"}}`, `"loan_id":"7"`,
			"ID       STATE       SCENARIO    CREATED               SESSION\nvr_mine  processing  processing  2025-01-15T09:00:00Z  -\n"},
		"properties": {"tenant-properties", "{id: tp_mine, tenant_property: {set: {name: Quay House, city: null}}}", "tp_mine", "{set: {name: Mill}}", `"name":"Mill"`,
			"ID       NAME  CITY  STATUS\ntp_mine  Mill  -     active\n"},
		"checks": {"qualification-checks", "{scenario: not-qualified, id: qc_mine}", "qc_mine", "{set: {kind: guarantor}}", `"kind":"guarantor"`,
			"ID       KIND       OUTCOME        CREATED\nqc_mine  guarantor  not_qualified  2025-01-15T09:00:00Z\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := commandtest.Steer(t)
			s.Run(name, "create", tt.create).Want(t, command.ExitOK, tt.id)
			patched := s.Run(name, "patch", tt.id, tt.patch, "--json")
			patched.Want(t, command.ExitOK, tt.patched)
			s.Prints(patched.Stdout, name, "show", tt.id, "--json")
			if got := s.API(t).Get("/_understudy/v1/" + tt.path + "/" + tt.id); string(got.Body)+"\n" != patched.Stdout {
				t.Errorf("the control plane answers %s, and the name %s", got.Body, patched.Stdout)
			}
			if shown := s.Run(name, "show", tt.id); name != "requests" && !json.Valid([]byte(shown.Stdout)) {
				t.Errorf("%+v", shown)
			}
			s.Prints(tt.row, name)
			s.Prints(tt.id+" is deleted\n", name, "delete", tt.id)
			s.Prints(strings.Join(strings.Fields(strings.SplitN(tt.row, "\n", 2)[0]), "  ")+"\n(none)\n", name, "list")
			for _, invalid := range [][]string{{"create", "{scenari: a}"}, {"patch", tt.id, "{sets: {}}"}} {
				if got := s.Run(append([]string{name}, invalid...)...); got.Code != command.ExitUsage || !strings.Contains(got.Stderr, "did you mean s") {
					t.Errorf("%s: %+v", invalid, got)
				}
			}
		})
	}
}

// A document comes from standard input too. An error in it is none of the command line.
func TestResourceDocument(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t)
	for document, code := range map[string]int{`{"id": "tp_mine"}`: command.ExitOK, `{"it": "tp_mine"}`: command.ExitFailed} {
		c := commandtest.Self(t, commandtest.AsUnderstudy+"=1", "properties", "create", "-", "--url", s.URL, "--key", commandtest.Key)
		c.Stdin = strings.NewReader(document)
		out, _ := c.CombinedOutput() // the exit code has the result
		if c.ProcessState.ExitCode() != code || code == command.ExitOK && !strings.Contains(string(out), `"id": "tp_mine"`) {
			t.Errorf("%s: exit code %d: %s", document, c.ProcessState.ExitCode(), out)
		}
	}
}

func TestSessionsCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	created := s.API(t).Post("/credentials/session", `{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application",`+
		`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1990-02-28","social_security_number":"000-00-1001"}}`)
	commandtest.WantStatus(t, created, 201)
	listed := s.Run("sessions")
	row := strings.Fields(strings.Split(listed.Stdout, "\n")[1])
	if len(row) != 7 || row[1] != "2025-01-15T09:00:00Z" || strings.Join(row[3:], " ") != "pending-approval lifecycle auto -" {
		t.Fatalf("%+v", listed)
	}
	s.Run("sessions", "show", row[0]).Want(t, command.ExitOK, `"verification_request_id": "`+row[2]+`"`)
}

func TestSessionsFinish(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	commandtest.WantStatus(t, s.API(t).Send("PUT", "/_understudy/v1/settings", `{"session_flow":"manual"}`), 200)
	for outcome, state := range map[string]string{"success": "completed", "failure": "canceled", "abandoned": "pending-approval"} {
		var made, shown struct {
			ID      string `json:"id"`
			Request string `json:"verification_request_id"`
		}
		s.API(t).Post("/credentials/session", `{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application",`+
			`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1990-02-28","social_security_number":"000-12-3456"}}`).JSON(&made)
		s.Run("sessions", "finish", made.ID, "--outcome", "nothing").Want(t, command.ExitUsage, `unknown value "nothing" for outcome`)
		s.API(t).Get("/_understudy/v1/credentials-sessions/" + made.ID).JSON(&shown)
		arguments := []string{"sessions", "finish", made.ID, "--outcome", outcome}
		if outcome == "success" { // the default
			arguments = arguments[:3]
		}
		s.Prints(made.ID+" is finished: the outcome is "+outcome+", and "+shown.Request+" is "+state+"\n", arguments...)
		s.Run(arguments...).Want(t, command.ExitFailed, "is finished: its outcome is "+outcome)
	}
	s.Run("sessions", "finish", "cs_none").Want(t, command.ExitFailed, "There is no credentials session")
	s.Run("sessions", "finish").Want(t, command.ExitUsage, "which credentials session, by its id")
}

func TestServedCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	s.Run("scenarios", "put", commandtest.NewFile(t, "late.yaml", "name: late\ntitle: It comes late\nmagic: {verification_request: vr_late}\n")).Want(t, command.ExitOK)
	lines := strings.Split(strings.TrimSpace(s.Run("scenarios", "served").Stdout), "\n")
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); got != "late vr_late true It comes late" {
		t.Errorf("the last line is %q", got)
	}
	s.Run("scenarios", "served", "late").Want(t, command.ExitOK, "\nname: late\ntitle: It comes late\n")
}

func TestResolveCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.Steer(t)
	for range 2 { // a dry run counts nothing
		s.Run("scenarios", "resolve", "GET", "/verification-requests/vr_flaky").Want(t, command.ExitOK, "status     500\n", "scenario   flaky\n", ", at call 1\n", `"message": "Internal server error"`)
	}
	s.Run("scenarios", "resolve", "PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).Want(t, command.ExitOK, "status     200\n", `"name": "Quay"`)
	s.Run("scenarios", "resolve", "PUT", "/tenant-properties/tp_default", `{"name":`).Want(t, command.ExitOK, "status     400\n", "is not valid JSON")
	s.Run("scenarios", "resolve", "GET", "vr_flaky").Want(t, command.ExitUsage, `the path "vr_flaky" does not begin with /`)
}

func TestInfoCommand(t *testing.T) {
	t.Parallel()
	s := commandtest.StartServer(t, "--seed", "7", "--clock", "2025-01-15T09:00:00Z")
	commandtest.Understudy(t, "info", "--url", s.URL).Want(t, command.ExitOK, "\nseed        7\n", "\nclock       2025-01-15T09:00:00Z\n")
}
