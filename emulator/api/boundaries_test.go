package api_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// A body has up to MaxBody bytes, and not one more.
func TestBodySize(t *testing.T) {
	t.Parallel()
	whole := sessionBody + strings.Repeat(" ", api.MaxBody-len(sessionBody))
	if _, _, err := api.DecodeNewCredentialsSession(post("application/json", whole)); err != nil {
		t.Errorf("%d bytes: %v", len(whole), err)
	}
	if why := sessionProblem(t, post("application/json", whole+" ")); why != "the body is larger than 1048576 bytes" {
		t.Error(why)
	}
}

// A misspelled key is explained by the key that is meant, also where that may be left out.
func TestUnknownKeyMeansOptional(t *testing.T) {
	t.Parallel()
	for meant, sent := range map[string]string{"use_case": "use_cas", "branch_id": "branchid", "documents": "document"} {
		body := strings.NewReplacer(`"use_case": "mortgage",`, "", `"type":`, `"`+sent+`": "a", "type":`).Replace(sessionBody)
		_, notes, err := api.DecodeNewVerificationRequest(post("application/json", body))
		if want := `unknown key "` + sent + `" was ignored: did you mean ` + meant + "?"; err != nil || !strings.Contains(textOf(notes), want) {
			t.Errorf("%s: %v, %s", sent, err, textOf(notes))
		}
	}
}

// A day begins at midnight in UTC, also before 1970.
func TestDateOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1970-01-01T00:00:00Z": "1970-01-01", "1969-12-31T23:59:59Z": "1969-12-31", "1969-12-31T00:00:00Z": "1969-12-31",
		"1969-12-30T23:59:59Z": "1969-12-30", "2025-01-15T23:59:59.999Z": "2025-01-15", "2025-01-16T00:30:00+01:00": "2025-01-15",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if got := api.DateOf(at).String(); err != nil || got != want {
			t.Errorf("%s is on %s, want %s; %v", text, got, want, err)
		}
	}
}

// An age is unlikely under 14 and from 120 on, from the birthday in UTC on.
func TestUnlikelyAge(t *testing.T) {
	t.Parallel()
	today := api.NewDate(2025, time.January, 15)
	for born, unlikely := range map[api.Date]bool{
		api.NewDate(2011, time.January, 15): false, api.NewDate(2011, time.January, 16): true,
		api.NewDate(1905, time.January, 15): true, api.NewDate(1905, time.January, 16): false,
	} {
		in := api.NewCredentialsSession{Target: api.SessionTarget{DateOfBirth: &born}}
		if got := strings.Contains(textOf(in.Note(true, today)), "younger than 14 or older than 120"); got != unlikely {
			t.Errorf("born on %s: noted %t, want %t", born, got, unlikely)
		}
	}
}
