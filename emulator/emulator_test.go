package emulator_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store"
)

// epoch is the instant that frozen clocks show in these tests.
var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

const (
	key     = "svc_sk_test_suite"
	control = "/_understudy/v1/"

	message401 = "Authorization is missing, invalid or expired"
	message403 = "Forbidden"
	message429 = "Too Many Requests"
	invalid    = "Invalid field values provided"

	cancelOther = `{"cancellation_reason":"other"}`
)

func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// scaled returns long where CI=true, and short elsewhere and with -short.
func scaled(short, long int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return long
	}
	return short
}

// launch starts an emulator that is closed when the test ends. Its clock is frozen at epoch unless an option changes it.
func launch(t testing.TB, options ...emulator.Option) *emulator.Emulator {
	t.Helper()
	e, err := emulator.New(append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(epoch))}, options...)...)
	noError(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// listen serves a handler until the test ends.
func listen(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

func serve(t *testing.T, options ...emulator.Option) (url string) {
	t.Helper()
	return listen(t, launch(t, options...))
}

// start launches an emulator and returns a client of the world of key.
func start(t *testing.T, options ...emulator.Option) *apitest.Client {
	t.Helper()
	return apitest.New(t, serve(t, options...), key)
}

// inGo is start, and returns also the emulator and the world of key.
func inGo(t *testing.T, options ...emulator.Option) (*emulator.Emulator, *emulator.World, *apitest.Client) {
	t.Helper()
	e := launch(t, options...)
	return e, worldOf(t, e, key), apitest.New(t, listen(t, e), key)
}

func worldOf(t *testing.T, e *emulator.Emulator, key string) *emulator.World {
	t.Helper()
	w, err := e.World(key)
	noError(t, err)
	return w
}

// opened opens a store; "file:" is one in a temporary folder. The emulator that uses the store closes it.
func opened(t testing.TB, spec string) store.Store {
	t.Helper()
	if spec == "file:" {
		spec += filepath.Join(t.TempDir(), "worlds.db")
	}
	s, err := store.Open(spec)
	noError(t, err)
	return s
}

// direct sends a request to a handler without a network, which makes races more likely.
func direct(e http.Handler, key, method, path, body string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, requestTo(method, path, key, body))
	return answer
}

func requestTo(method, url, key, body string) *http.Request {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	r.RequestURI = "" // a client refuses to send a request that has one
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// scenarioFile adds a scenario file to the built-in ones.
func scenarioFile(t *testing.T, text string) emulator.Option {
	t.Helper()
	folder := t.TempDir()
	save(t, filepath.Join(folder, "own.yaml"), text)
	return emulator.WithScenarios(folder)
}

func save(t *testing.T, file, text string) {
	t.Helper()
	noError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	noError(t, os.WriteFile(file, []byte(text), 0o600))
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

// wantOK checks that an answer is a success.
func wantOK(t *testing.T, r *apitest.Response) {
	t.Helper()
	if r.Status/100 != 2 {
		t.Fatalf("status %d: %s", r.Status, r.Body)
	}
}

// wantDiagnosis checks that an answer's diagnosis contains a part.
func wantDiagnosis(t *testing.T, r *apitest.Response, part string) {
	t.Helper()
	if diagnosis := r.Header.Get("Understudy-Diagnosis"); !strings.Contains(diagnosis, part) {
		t.Errorf("diagnosis %q, want one that has %q", diagnosis, part)
	}
}

// wantRefusal checks that an error is an [api.Error] with a status and a message.
func wantRefusal(t *testing.T, err error, status int, message string) {
	t.Helper()
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) || failure.Status != status || failure.Message != message {
		t.Errorf("%v, want %d %s", err, status, message)
	}
}

// wantParts checks that a text contains all parts.
func wantParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in %s", part, text)
		}
	}
}

// read reads a verification request that must exist.
func read(t *testing.T, c *apitest.Client, id string) (v api.VerificationRequest) {
	t.Helper()
	r := c.Get("/verification-requests/" + id)
	wantStatus(t, r, 200, "")
	r.JSON(&v)
	return v
}

// wantStates checks the states that consecutive reads of a verification request show.
func wantStates(t *testing.T, c *apitest.Client, id string, states ...api.State) {
	t.Helper()
	for i, state := range states {
		if got := read(t, c, id).State; got != state {
			t.Errorf("read %d of %s shows %s, want %s", i+1, id, got, state)
		}
	}
}

// statuses returns the status of each call.
func statuses(calls int, call func() *apitest.Response) (all []int) {
	for range calls {
		all = append(all, call().Status)
	}
	return all
}

// inParallel calls ask once per client, all at the same time, and counts the answers.
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

// session returns the body of a credentials session with an SSN.
func session(ssn string) string {
	return fmt.Sprintf(`{"permissible_purpose":"credit-application","type":"employment-income","use_case":"mortgage",`+
		`"target":{"first_name":"Ada","last_name":"Example","social_security_number":%q,"date_of_birth":"1990-02-28","company":{"name":"Example Mill"}}}`, ssn)
}

func create(t *testing.T, c *apitest.Client, body string) (s api.CredentialsSession) {
	t.Helper()
	r := c.Post("/credentials/session", body)
	wantStatus(t, r, 201, "")
	r.JSON(&s)
	return s
}

// requestOf returns the id of a session's verification request.
func requestOf(t *testing.T, c *apitest.Client, s api.CredentialsSession) string {
	t.Helper()
	r := c.Get(control + "credentials-sessions/" + s.ID)
	wantStatus(t, r, 200, "")
	return requestIn(r.Body)
}

var requestOfSession = regexp.MustCompile(`"verification_request_id":"([^"]*)"`)

// requestIn returns the id of the verification request in a credentials session of the control plane, "" for none.
func requestIn(body []byte) string {
	if id := requestOfSession.FindSubmatch(body); id != nil {
		return string(id[1])
	}
	return ""
}
