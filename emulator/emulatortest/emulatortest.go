// Package emulatortest starts an emulator for a Go test, and stops it with the test.
//
//	func TestPolling(t *testing.T) {
//		s := emulatortest.Run(t)
//		request, err := poll(s.URL, s.Key(t), "vr_lifecycle") // the code under test
//		…
//	}
//
// Each test and subtest has a world of its own, so all of them may run in parallel against one [Server]. Its clock stands
// at [Epoch] until the test moves it; nothing needs to sleep. When the test has failed, its log says what it asked.
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

// Epoch is the instant at which every world begins and stands. It is a Wednesday.
var Epoch = time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC)

// TB is what this package needs of a [testing.TB].
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
	keys sync.Map // that tests have and whose worlds end with them
}

// Run starts an emulator on a free loopback port, its worlds frozen at [Epoch] unless an option says otherwise. When the
// test ends it is stopped. An emulator that cannot be started ends the test.
func Run(t TB, options ...emulator.Option) *Server {
	t.Helper()
	frozen := emulator.WithClock(emulator.FrozenAt(Epoch))
	e, err := emulator.New(append([]emulator.Option{frozen}, options...)...)
	if err != nil {
		t.Fatalf("emulatortest: start: %v", err)
	}
	s := &Server{Emulator: e, http: httptest.NewServer(e)}
	s.URL = s.http.URL
	t.Cleanup(func() {
		e.Shutdown() // no pause of a rule holds the end up
		s.http.Close()
		if err := e.Close(); err != nil {
			t.Errorf("emulatortest: stop: %v", err)
		}
	})
	return s
}

// Key returns the API key of a test: the same whenever it is asked for, another for every other test and subtest. The
// world of the key is forgotten when the test ends, so that it is new when the test runs again. When the test has failed,
// what it asked is told first.
func (s *Server) Key(t TB) string {
	t.Helper()
	key := s.Emulator.Key(keyName(t.Name()))
	if _, known := s.keys.LoadOrStore(key, true); !known {
		t.Cleanup(func() {
			s.keys.Delete(key)
			if err := s.forget(t, key); err != nil {
				t.Errorf("emulatortest: forget the world of %s: %v", t.Name(), err)
			}
		})
	}
	return key
}

// forget forgets the world of a test's key, if the server is still there.
func (s *Server) forget(t TB, key string) error {
	w, err := s.Emulator.World(key)
	if err == nil {
		if t.Failed() {
			tell(t, w)
		}
		err = w.Delete(context.Background())
	}
	if errors.Is(err, store.ErrClosed) {
		return nil
	}
	return err
}

// keyName makes of a test's name what a key may have. The hash tells names apart that become the same, and comes first
// so that no name makes a key with a meaning of its own, such as svc_sk_test_revoked.
func keyName(test string) string {
	hash := sha256.Sum256([]byte(test))
	name := hex.EncodeToString(hash[:4]) + "_" + unfit.ReplaceAllString(test, "-")
	return name[:min(len(name), 128)]
}

// unfit is what a key cannot have.
var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]`)

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
		r = r.Clone(r.Context()) // a transport leaves the request that it is given as it is
		r.Header.Set("Authorization", a.authorization)
	}
	return a.RoundTripper.RoundTrip(r)
}
