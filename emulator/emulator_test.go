package emulator_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// epoch is where the clocks of these tests stand.
var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

const key = "svc_sk_test_suite"

// start serves an emulator, frozen at epoch unless an option says otherwise, until the test ends.
func start(t *testing.T, options ...emulator.Option) *apitest.Client {
	t.Helper()
	return apitest.New(t, serve(t, options...), key)
}

func serve(t *testing.T, options ...emulator.Option) (url string) {
	t.Helper()
	frozen := emulator.WithClock(emulator.FrozenAt(epoch))
	e, err := emulator.New(append([]emulator.Option{frozen}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		server.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// wantStatus checks an answer's status, and an error's message.
func wantStatus(t *testing.T, r *apitest.Response, status int, message string) {
	t.Helper()
	if r.Status != status {
		t.Fatalf("status %d, want %d: %s (%s)", r.Status, status, r.Body, r.Header.Get("Understudy-Diagnosis"))
	}
	if status >= 400 && r.ErrorMessage() != message {
		t.Errorf("message %q, want %q", r.ErrorMessage(), message)
	}
}

// wantDiagnosis checks that an answer is explained, and how.
func wantDiagnosis(t *testing.T, r *apitest.Response, part string) {
	t.Helper()
	if diagnosis := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, part) {
		t.Errorf("diagnosis %q, want one that has %q", diagnosis, part)
	}
}

// read reads a verification request that must be there.
func read(t *testing.T, c *apitest.Client, id string) (v api.VerificationRequest) {
	t.Helper()
	r := c.Get("/verification-requests/" + id)
	wantStatus(t, r, 200, "")
	r.JSON(&v)
	return v
}

// states returns what a number of reads of a verification request show.
func states(t *testing.T, c *apitest.Client, id string, reads int) (seen []api.State) {
	t.Helper()
	for range reads {
		seen = append(seen, read(t, c, id).State)
	}
	return seen
}

// inParallel has a number of clients ask at once, and returns how many of them got each answer.
func inParallel[T comparable](clients int, ask func() T) map[T]int {
	var running sync.WaitGroup
	answers := make(chan T, clients)
	for range clients {
		running.Go(func() { answers <- ask() })
	}
	running.Wait()
	close(answers)
	counts := make(map[T]int)
	for answer := range answers {
		counts[answer]++
	}
	return counts
}

const (
	message401 = "Authorization is missing, invalid or expired"
	message403 = "Forbidden"
	message429 = "Too Many Requests"
)

const cancelOther = `{"cancellation_reason":"other"}`

// session returns the body of a credentials session for a number.
func session(ssn string) string {
	return fmt.Sprintf(`{
		"permissible_purpose": "credit-application", "type": "employment-income", "use_case": "mortgage",
		"target": {"first_name": "Ada", "last_name": "Example", "social_security_number": %q,
			"date_of_birth": "1990-02-28", "company": {"name": "Example Mill"}}
	}`, ssn)
}

func create(t *testing.T, c *apitest.Client, body string) (s api.CredentialsSession) {
	t.Helper()
	r := c.Post("/credentials/session", body)
	wantStatus(t, r, 201, "")
	r.JSON(&s)
	return s
}

// requestOf returns the id of a session's verification request.
func requestOf(s api.CredentialsSession) string { return "vr_" + strings.TrimPrefix(s.ID, "cs_") }
