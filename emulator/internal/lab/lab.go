// Package lab starts emulators for the tests of the rooms, which see them as a client does, and checks their answers. Every
// answer is compared with the OpenAPI document by [apitest].
package lab

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

// Epoch is the instant that frozen clocks show in these tests.
var Epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// The world of most tests, the path of the control plane, and answers.
const (
	Key     = "svc_sk_test_suite"
	Control = "/_understudy/v1/"

	Message401 = "Authorization is missing, invalid or expired"
	Message403 = "Forbidden"
	Message429 = "Too Many Requests"
	Invalid    = "Invalid field values provided"

	CancelOther = `{"cancellation_reason":"other"}`
)

// NoError ends the test with an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Scaled returns long where CI=true, and short elsewhere and with -short.
func Scaled(short, long int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return long
	}
	return short
}

// OnlyCI skips a test that takes long.
func OnlyCI(t *testing.T) {
	t.Helper()
	if Scaled(0, 1) == 0 {
		t.Skip("this takes long, and runs with CI=true only")
	}
}

// Mix returns the option that draws people from the mix.
func Mix(t testing.TB) emulator.Option {
	t.Helper()
	p, err := scenarios.LoadPopulation("mix")
	NoError(t, err)
	return emulator.WithPopulation(p)
}

// Launch starts an emulator that is closed when the test ends. Its clock is frozen at epoch unless an option changes it.
func Launch(t testing.TB, options ...emulator.Option) *emulator.Emulator {
	t.Helper()
	e, err := emulator.New(append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(Epoch))}, options...)...)
	NoError(t, err)
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// ServeHandler serves a handler until the test ends.
func ServeHandler(t *testing.T, h http.Handler) (url string) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server.URL
}

// Serve launches an emulator and returns its address.
func Serve(t *testing.T, options ...emulator.Option) (url string) {
	t.Helper()
	return ServeHandler(t, Launch(t, options...))
}

// Start launches an emulator and returns a client of the world of key.
func Start(t *testing.T, options ...emulator.Option) *apitest.Client {
	t.Helper()
	return apitest.New(t, Serve(t, options...), Key)
}

// InGo is start, and returns also the emulator and the world of key.
func InGo(t *testing.T, options ...emulator.Option) (*emulator.Emulator, *emulator.World, *apitest.Client) {
	t.Helper()
	e := Launch(t, options...)
	return e, WorldOf(t, e, Key), apitest.New(t, ServeHandler(t, e), Key)
}

// WorldOf returns the world of a key.
func WorldOf(t *testing.T, e *emulator.Emulator, key string) *emulator.World {
	t.Helper()
	w, err := e.World(key)
	NoError(t, err)
	return w
}

// Opened opens a store; "file:" is one in a temporary folder. The emulator that uses the store closes it.
func Opened(t testing.TB, spec string) store.Store {
	t.Helper()
	if spec == "file:" {
		spec += filepath.Join(t.TempDir(), "worlds.db")
	}
	s, err := store.Open(spec)
	NoError(t, err)
	return s
}

// Direct sends a request to a handler without a network, which makes races more likely.
func Direct(e http.Handler, key, method, path, body string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, RequestTo(method, path, key, body))
	return answer
}

// RequestTo returns a request with a key and a JSON body.
func RequestTo(method, url, key, body string) *http.Request {
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	r.RequestURI = "" // a client refuses to send a request that has one
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// ScenarioFile adds a scenario file to the built-in ones.
func ScenarioFile(t *testing.T, text string) emulator.Option {
	t.Helper()
	folder := t.TempDir()
	Save(t, filepath.Join(folder, "own.yaml"), text)
	return emulator.WithScenarios(folder)
}

// Save writes a file, and makes its folder.
func Save(t *testing.T, file, text string) {
	t.Helper()
	NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	NoError(t, os.WriteFile(file, []byte(text), 0o600))
}

// Statuses returns the status of each call.
func Statuses(calls int, call func() *apitest.Response) (all []int) {
	for range calls {
		all = append(all, call().Status)
	}
	return all
}

// InParallel calls ask once per client, all at the same time, and counts the answers.
func InParallel[T comparable](clients int, ask func() T) map[T]int {
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

// Limit returns an option for a rate limit such as 3/m.
func Limit(t *testing.T, text string) emulator.Option {
	t.Helper()
	l, err := emulator.ParseLimit(text)
	NoError(t, err)
	return emulator.WithRateLimit(l)
}
