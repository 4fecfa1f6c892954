package lab

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// IdFor returns the magic id of a path's resource, or the id of the world of key.
func IdFor(path string) string {
	for kind, id := range map[string]string{
		"verification-requests": "vr_lifecycle", "tenant-properties": "tp_default", "qualification-checks": "qc_qualified", "worlds": world.IDOf(Key),
	} {
		if strings.Contains(path, kind) {
			return id
		}
	}
	return ""
}

const (
	OwnLifecycle = `
name: mine
title: Mine
magic: {verification_request: vr_mine, ssn: 000-00-7001}
verification_request: {timeline: [{state: processing}, {state: invalid, after: {reads: 1}}]}
`
	PutOther = `PUT scenarios/lifecycle {"name":"lifecycle","title":"Other","replaces":"lifecycle","magic":{"verification_request":"vr_other"},"verification_request":{"timeline":[{"state":"invalid"}]}} → 200`
	PutDone  = `PUT scenarios/done {"name":"done","title":"As JSON","replaces":["completed"],"magic":{"verification_request":"vr_completed"},"verification_request":{"timeline":[{"state":"invalid"}]}} → 200`
)

// WantStatus checks an answer's status, and an error's message.
func WantStatus(t *testing.T, r *apitest.Response, status int, message string) {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d, want %d: %s (%s)", r.Status, status, r.Body, r.Header.Get("Understudy-Diagnosis"))
	}
	if status >= 400 && r.ErrorMessage() != message {
		t.Errorf("message %q, want %q", r.ErrorMessage(), message)
	}
}

// Terminal is, in a script, the refusal to cancel a verification request that has come to its end.
var Terminal = fmt.Sprint(api.AlreadyTerminal(api.StateCompleted).Status, " ", api.AlreadyTerminal(api.StateCompleted).Message)

// WantRefused checks that an answer is a refusal, by its name in the API.
func WantRefused(t *testing.T, r *apitest.Response, refusal *api.Error) {
	t.Helper()
	WantStatus(t, r, refusal.Status, refusal.Message)
}

// WantOK checks that an answer is a success.
func WantOK(t *testing.T, r *apitest.Response) {
	t.Helper()
	if r.Status/100 != 2 {
		t.Fatalf("status %d: %s", r.Status, r.Body)
	}
}

// WantDiagnosis checks that an answer's diagnosis contains a part.
func WantDiagnosis(t *testing.T, r *apitest.Response, part string) {
	t.Helper()
	if diagnosis := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, part) {
		t.Errorf("diagnosis %q, want one that has %q", diagnosis, part)
	}
}

// WantRefusal checks that an error is an [api.Error] with a status and a message.
func WantRefusal(t *testing.T, err error, status int, message string) {
	t.Helper()
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) || failure.Status != status || failure.Message != message {
		t.Errorf("%v, want %d %s", err, status, message)
	}
}

// WantParts checks that a text contains all parts.
func WantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
}

// Read reads a verification request that must exist.
func Read(t *testing.T, c *apitest.Client, id string) (v api.VerificationRequest) {
	t.Helper()
	r := c.Get("/verification-requests/" + id)
	WantStatus(t, r, 200, "")
	r.JSON(&v)
	return v
}

// WantStates checks the states that consecutive reads of a verification request show.
func WantStates(t *testing.T, c *apitest.Client, id string, states ...api.State) {
	t.Helper()
	for i, state := range states {
		if got := Read(t, c, id).State; got != state {
			t.Errorf("read %d of %s shows %s, want %s", i+1, id, got, state)
		}
	}
}

// Session returns the body of a credentials session with an SSN.
func Session(ssn string) string {
	return fmt.Sprintf(`{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",`+
		`"target":{"first_name":"Ada","last_name":"Example","social_security_number":%q,"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`, ssn)
}

// Create creates a credentials session.
func Create(t *testing.T, c *apitest.Client, body string) (s api.CredentialsSession) {
	t.Helper()
	r := c.Post("/credentials/session", body)
	WantStatus(t, r, 201, "")
	r.JSON(&s)
	return s
}

// RequestOf returns the id of a session's verification request.
func RequestOf(t *testing.T, c *apitest.Client, s api.CredentialsSession) string {
	t.Helper()
	r := c.Get(Control + "credentials-sessions/" + s.ID)
	WantStatus(t, r, 200, "")
	return RequestIn(r.Body)
}

var requestOfSession = regexp.MustCompile(`"verification_request_id":"([^"]*)"`)

// RequestIn returns the id of the verification request in a credentials session of the control plane, "" for none.
func RequestIn(body []byte) string {
	if id := requestOfSession.FindSubmatch(body); id != nil {
		return string(id[1])
	}
	return ""
}

// PutFault adds a fault to the client's world.
func PutFault(t *testing.T, c *apitest.Client, body string) {
	t.Helper()
	WantStatus(t, c.Post(Control+"faults", body), 201, "")
}

// Ugly are the checks that an ugly answer of a rule fails by design.
var Ugly = []apitest.Check{apitest.Document, apitest.Envelope, apitest.RetryAfter, apitest.Challenge}

// Until repeats a check until it holds. A change takes up to a second to apply, and longer on a busy machine.
func Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// Lively makes a world store values of every kind.
func Lively(t *testing.T, c *apitest.Client) {
	t.Helper()
	WantStatus(t, c.Put(Control+"scenarios/mine", OwnLifecycle), 200, "")
	PutFault(t, c, `{"rule":{"on":"update","respond":{"status":500},"times":3},"expires_in":"100h"}`)
	WantStatus(t, c.Put("/tenant-properties/tp_default", `{"name":"Quay"}`), 500, "Internal server error")
	Read(t, c, "vr_lifecycle")
	Read(t, c, "vr_mine")
	WantStatus(t, c.Get("/verification-requests/vr_flaky"), 500, "Internal server error")
	Read(t, c, RequestOf(t, c, Create(t, c, Session("000-12-3456"))))
	WantStatus(t, c.Post(Control+"clock/advance", `{"by":"26h"}`), 200, "")
}

// Want checks the result of a method that must not fail.
func Want[T any](t *testing.T, want T, got T, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// NewID creates a resource and returns its id.
func NewID(t *testing.T, c *apitest.Client, kind, body string) string {
	t.Helper()
	var made struct {
		ID string `json:"id"`
	}
	r := c.Post(Control+kind, body)
	WantStatus(t, r, 201, "")
	if r.JSON(&made); made.ID == "" {
		t.Errorf("it has no id: %s", r.Body)
	}
	return made.ID
}
