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
	"net/http/httptest"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
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
		e.Hurry() // no pause of a rule holds the end up
		s.http.Close()
		if err := e.Close(); err != nil {
			t.Errorf("emulatortest: stop: %v", err)
		}
	})
	return s
}
