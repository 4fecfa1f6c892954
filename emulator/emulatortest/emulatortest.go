// Package emulatortest starts an emulator for a Go test, and stops it when the test ends.
//
//	func TestPolling(t *testing.T) {
//		s := emulatortest.Run(t)
//		request, err := poll(s.URL, s.Key(t), "vr_lifecycle") // the code under test
//		…
//	}
//
// Each test and subtest has a world of its own, so that all may run in parallel against one [Server]. The world's clock is
// frozen at [Epoch] until the test moves it; nothing needs to sleep. The log of a failed test has its requests.
package emulatortest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/store"
)

// Epoch is the instant at which the clock of every new world is frozen. It is a Wednesday.
var Epoch = time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)

// TB has the methods of [testing.TB] that this package calls.
type TB interface {
	Helper()
	Name() string
	Cleanup(func())
	Failed() bool
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Server is an emulator that serves on a loopback port while its test runs. It is safe for concurrent use.
type Server struct {
	Emulator *emulator.Emulator
	URL      string // such as http://127.0.0.1:40123

	http *httptest.Server
	keys sync.Map // of running tests, whose worlds are deleted when they end
}

// Run starts an emulator on a free loopback port, with clocks frozen at [Epoch], which rejects with 400 what the specification
// forbids every caller: options such as emulator.WithStrict("off") change that. It stops the emulator when the test ends. An
// error at start ends the test. The log of a failed test has the requests that reached no world, because of their key or path.
func Run(t TB, options ...emulator.Option) *Server {
	t.Helper()
	defaults := []emulator.Option{emulator.WithClock(emulator.FrozenAt(Epoch)), emulator.WithStrict("spec")}
	e, err := emulator.New(append(defaults, options...)...)
	if err != nil {
		t.Fatalf("emulatortest: start: %v", err)
	}
	s := &Server{Emulator: e, http: httptest.NewServer(e)}
	s.URL = s.http.URL
	t.Cleanup(func() {
		if t.Failed() {
			logRequests(t, "the requests that reached no world", e.Unmatched)
		}
		e.Shutdown() // so that no delay of a rule holds up the end
		s.http.Close()
		if err := e.Close(); err != nil {
			t.Errorf("emulatortest: stop: %v", err)
		}
	})
	return s
}

// Key returns the API key of a test or subtest: each has one of its own. The world of the key is deleted when the test
// ends, so that it is new when the test runs again. The requests of a failed test are logged first.
func (s *Server) Key(t TB) string {
	t.Helper()
	key := s.Emulator.Key(keyName(t.Name()))
	if _, exists := s.keys.LoadOrStore(key, true); !exists {
		t.Cleanup(func() {
			s.keys.Delete(key)
			if err := s.deleteWorld(t, key); err != nil {
				t.Errorf("emulatortest: delete the world of %s: %v", t.Name(), err)
			}
		})
	}
	return key
}

// deleteWorld deletes the world of a test's key, if the server still runs.
func (s *Server) deleteWorld(t TB, key string) error {
	w, err := s.Emulator.World(key)
	if err == nil {
		if t.Failed() {
			logRequests(t, "the requests", w.Journal)
		}
		err = w.Delete(context.Background())
	}
	if errors.Is(err, store.ErrClosed) {
		return nil
	}
	return err
}

// keyName returns the name of a test in the characters of a key. The hash keeps different names different, and comes
// first so that no test has a magic key such as svc_sk_test_revoked.
func keyName(test string) string {
	hash := sha256.Sum256([]byte(test))
	name := hex.EncodeToString(hash[:4]) + "_" + invalid.ReplaceAllString(test, "-")
	return name[:min(len(name), 128)]
}

// invalid are the characters that a key cannot have.
var invalid = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// Client returns an HTTP client that sends the test's key with every request that has no Authorization of its own.
func (s *Server) Client(t TB) *http.Client {
	t.Helper()
	return &http.Client{Transport: authorized{s.http.Client().Transport, "Bearer " + s.Key(t)}}
}

// authorized is a transport that sets Authorization.
type authorized struct {
	http.RoundTripper
	authorization string
}

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Authorization") == "" {
		r = r.Clone(r.Context()) // a transport must not change the request
		r.Header.Set("Authorization", a.authorization)
	}
	return a.RoundTripper.RoundTrip(r)
}
