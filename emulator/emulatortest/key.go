package emulatortest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"

	"github.com/understudy-sandbox/understudy/store"
)

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
