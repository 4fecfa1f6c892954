package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every kind that the control plane creates is listed, shown, created, patched and deleted by the same commands.
func TestResourceCommands(t *testing.T) {
	t.Parallel()
	for command, tt := range map[string]struct{ path, create, id, patch, patched, row string }{
		"requests": {"verification-requests", "{scenario: processing, id: vr_mine}", "vr_mine", `{set: {loan_id: "7"}}`, `"loan_id":"7"`,
			"ID       STATE       SCENARIO    CREATED               SESSION\nvr_mine  processing  processing  2025-01-15T09:00:00Z  -\n"},
		"properties": {"tenant-properties", "{id: tp_mine, tenant_property: {set: {name: Quay House, city: null}}}", "tp_mine", "{set: {name: Mill}}", `"name":"Mill"`,
			"ID       NAME  CITY  STATUS\ntp_mine  Mill  -     active\n"},
		"checks": {"qualification-checks", "{scenario: not-qualified, id: qc_mine}", "qc_mine", "{set: {kind: guarantor}}", `"kind":"guarantor"`,
			"ID       KIND       OUTCOME        CREATED\nqc_mine  guarantor  not_qualified  2025-01-15T09:00:00Z\n"},
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			s := steer(t)
			s.run(command, "create", tt.create).want(t, exitOK, tt.id)
			patched := s.run(command, "patch", tt.id, tt.patch, "--json")
			patched.want(t, exitOK, tt.patched)
			s.prints(patched.stdout, command, "show", tt.id, "--json")
			if got := s.api(t).Get("/_understudy/v1/" + tt.path + "/" + tt.id); string(got.Body)+"\n" != patched.stdout {
				t.Errorf("the control plane answers %s, and the command %s", got.Body, patched.stdout)
			}
			if shown := s.run(command, "show", tt.id); command != "requests" && !json.Valid([]byte(shown.stdout)) {
				t.Errorf("%+v", shown)
			}
			s.prints(tt.row, command)
			s.prints(tt.id+" is deleted\n", command, "delete", tt.id)
			s.prints(strings.Join(strings.Fields(strings.SplitN(tt.row, "\n", 2)[0]), "  ")+"\n(none)\n", command, "list")
			for _, invalid := range [][]string{{"create", "{scenari: a}"}, {"patch", tt.id, "{sets: {}}"}} {
				if got := s.run(append([]string{command}, invalid...)...); got.code != exitUsage || !strings.Contains(got.stderr, "did you mean s") {
					t.Errorf("%s: %+v", invalid, got)
				}
			}
		})
	}
}

// A document comes from standard input too. An error in it is none of the command line.
func TestResourceDocument(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for document, code := range map[string]int{`{"id": "tp_mine"}`: exitOK, `{"it": "tp_mine"}`: exitFailed} {
		c := self(t, asUnderstudy+"=1", "properties", "create", "-", "--url", s.url, "--key", key)
		c.Stdin = strings.NewReader(document)
		out, _ := c.CombinedOutput() // the exit code has the result
		if c.ProcessState.ExitCode() != code || code == exitOK && !strings.Contains(string(out), `"id": "tp_mine"`) {
			t.Errorf("%s: exit code %d: %s", document, c.ProcessState.ExitCode(), out)
		}
	}
}

func TestSessionsCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	created := s.api(t).Post("/credentials/session", `{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application",`+
		`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1990-02-28","social_security_number":"000-00-1001"}}`)
	wantStatus(t, created, 201)
	listed := s.run("sessions")
	row := strings.Fields(strings.Split(listed.stdout, "\n")[1])
	if len(row) != 7 || row[1] != "2025-01-15T09:00:00Z" || strings.Join(row[3:], " ") != "pending-approval lifecycle auto -" {
		t.Fatalf("%+v", listed)
	}
	s.run("sessions", "show", row[0]).want(t, exitOK, `"verification_request_id": "`+row[2]+`"`)
}

func TestSessionsFinish(t *testing.T) {
	t.Parallel()
	s := steer(t)
	wantStatus(t, s.api(t).Send("PUT", "/_understudy/v1/settings", `{"session_flow":"manual"}`), 200)
	for outcome, state := range map[string]string{"success": "completed", "failure": "canceled", "abandoned": "pending-approval"} {
		var made, shown struct {
			ID      string `json:"id"`
			Request string `json:"verification_request_id"`
		}
		s.api(t).Post("/credentials/session", `{"type":"employment-income","use_case":"mortgage","permissible_purpose":"credit-application",`+
			`"target":{"first_name":"Ada","last_name":"Example","date_of_birth":"1990-02-28","social_security_number":"000-12-3456"}}`).JSON(&made)
		s.run("sessions", "finish", made.ID, "--outcome", "nothing").want(t, exitUsage, `unknown value "nothing" for outcome`)
		s.api(t).Get("/_understudy/v1/credentials-sessions/" + made.ID).JSON(&shown)
		arguments := []string{"sessions", "finish", made.ID, "--outcome", outcome}
		if outcome == "success" { // the default
			arguments = arguments[:3]
		}
		s.prints(made.ID+" is finished: the outcome is "+outcome+", and "+shown.Request+" is "+state+"\n", arguments...)
		s.run(arguments...).want(t, exitFailed, "is finished: its outcome is "+outcome)
	}
	s.run("sessions", "finish", "cs_none").want(t, exitFailed, "There is no credentials session")
	s.run("sessions", "finish").want(t, exitUsage, "which credentials session, by its id")
}

func TestServedCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	s.run("scenarios", "put", newFile(t, "late.yaml", "name: late\ntitle: It comes late\nmagic: {verification_request: vr_late}\n")).want(t, exitOK)
	lines := strings.Split(strings.TrimSpace(s.run("scenarios", "served").stdout), "\n")
	if got := strings.Join(strings.Fields(lines[len(lines)-1]), " "); got != "late vr_late true It comes late" {
		t.Errorf("the last line is %q", got)
	}
	s.run("scenarios", "served", "late").want(t, exitOK, "\nname: late\ntitle: It comes late\n")
}

func TestResolveCommand(t *testing.T) {
	t.Parallel()
	s := steer(t)
	for range 2 { // a dry run counts nothing
		s.run("scenarios", "resolve", "GET", "/verification-requests/vr_flaky").want(t, exitOK, "status     500\n", "scenario   flaky\n", ", at call 1\n", `"message": "Internal server error"`)
	}
	s.run("scenarios", "resolve", "PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`).want(t, exitOK, "status     200\n", `"name": "Quay"`)
	s.run("scenarios", "resolve", "PUT", "/tenant-properties/tp_default", `{"name":`).want(t, exitOK, "status     400\n", "is not valid JSON")
	s.run("scenarios", "resolve", "GET", "vr_flaky").want(t, exitUsage, `the path "vr_flaky" does not begin with /`)
}

func TestInfoCommand(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--seed", "7", "--clock", "2025-01-15T09:00:00Z")
	understudy(t, "info", "--url", s.url).want(t, exitOK, "\nseed        7\n", "\nclock       2025-01-15T09:00:00Z\n")
}
