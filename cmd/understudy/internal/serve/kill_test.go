package serve

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/store"
)

// A process that is killed during many writes loses no acknowledged write, and leaves none half done. The simulation kills more.
func TestKill(t *testing.T) {
	t.Parallel()
	const rounds = 3
	file := "file:" + filepath.Join(t.TempDir(), "understudy.db")
	writers := newWriters()
	for round := range rounds {
		s := commandtest.StartProcess(t, "--store", file)
		writers.check(t, s.URL)
		writers.write(t, s.URL, 10*round, s.Kill) // whatever the other writers do
		wantWhole(t, file)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	acknowledged := writers.acknowledged()
	t.Logf("%d writes were acknowledged in %d rounds", acknowledged, rounds)
	if acknowledged < 10*rounds {
		t.Error("too few writes to show anything")
	}
}

// wantWhole wants bbolt's check of a closed file to pass.
func wantWhole(t *testing.T, spec string) {
	t.Helper()
	if err := store.Check(strings.TrimPrefix(spec, "file:")); err != nil {
		t.Error(err)
	}
}

// writers are clients that write in parallel.
type writers []*writer

// newWriters returns eight.
func newWriters() writers {
	all := make(writers, 8)
	for i := range all {
		all[i] = &writer{key: fmt.Sprint("svc_sk_test_writer-", i)}
	}
	return all
}

// write writes with all until no request is answered. One writer calls end after some writes.
func (all writers) write(t *testing.T, url string, some int, end func()) {
	t.Helper()
	var writing sync.WaitGroup
	for i, w := range all {
		writing.Go(func() {
			for n := 0; w.write(t, url); n++ {
				if i == 0 && n == some {
					end()
				}
			}
		})
	}
	writing.Wait()
}

func (all writers) check(t *testing.T, url string) {
	t.Helper()
	for _, w := range all {
		w.check(t, url)
	}
}

func (all writers) acknowledged() (writes int) {
	for _, w := range all {
		writes += w.names + len(w.sessions) + w.canceled
	}
	return writes
}

// writer is a client with its own world. It counts a property's name up, creates sessions, cancels their requests, and
// records what was acknowledged.
type writer struct {
	key      string
	names    int      // acknowledged
	sessions []string // acknowledged
	canceled int      // the number of sessions, from the first, whose request was canceled
	pending  string   // the write without an answer, "" for none
}

// createdSession is a credentials session as the control plane shows it.
type createdSession struct {
	ID      string
	State   string
	Request string `json:"verification_request_id"`
}

// write sends the next request, and reports whether it was answered.
func (w *writer) write(t *testing.T, url string) bool {
	var answered bool
	switch {
	case w.names <= len(w.sessions):
		w.pending = "name"
		if _, answered = w.send(t, url, "PUT", "/tenant-properties/tp_default", fmt.Sprintf(`{"name":"%d"}`, w.names+1)); answered {
			w.names++
		}
	case w.canceled == len(w.sessions):
		w.pending = "session"
		var body []byte
		if body, answered = w.send(t, url, "POST", "/credentials/session", commandtest.NewSession); answered {
			w.sessions = append(w.sessions, commandtest.Decoded[struct{ ID string }](t, body).ID)
		}
	default:
		w.pending = "cancel"
		var body []byte
		if body, answered = w.send(t, url, "GET", "/_understudy/v1/credentials-sessions/"+w.sessions[w.canceled], ""); !answered {
			break
		}
		id := commandtest.Decoded[createdSession](t, body).Request
		if _, answered = w.send(t, url, "PUT", "/verification-requests/"+id+"/cancel", `{"cancellation_reason":"other"}`); answered {
			w.canceled++
		}
	}
	if answered {
		w.pending = ""
	}
	return answered
}

// send returns the body of a complete answer.
func (w *writer) send(t *testing.T, url, method, path, body string) (answer []byte, ok bool) {
	response, answer, err := commandtest.Send(http.DefaultClient, commandtest.NewRequest(w.key, method, url+path, body))
	if err != nil {
		return nil, false
	}
	if response.StatusCode >= 300 {
		t.Errorf("%s %s: %s %s", method, path, response.Status, answer)
		return nil, false
	}
	return answer, true
}

// check compares the world with the acknowledged writes. The pending write may have been done; no other may.
func (w *writer) check(t *testing.T, url string) {
	t.Helper()
	if w.names == 0 {
		return
	}
	properties := allPages[struct{ ID, Name string }](t, w, url, "tenant-properties")
	wanted := []string{fmt.Sprint(w.names)}
	if w.pending == "name" {
		wanted = append(wanted, fmt.Sprint(w.names+1))
	}
	if len(properties) != 1 || !slices.Contains(wanted, properties[0].Name) {
		t.Errorf("%s: the property's name should be one of %s: %v", w.key, wanted, properties)
		return
	}
	if properties[0].Name != wanted[0] {
		w.names++
	}
	requests := allPages[createdSession](t, w, url, "credentials-sessions")
	more := len(requests) - len(w.sessions)
	if more != 0 && !(more == 1 && w.pending == "session") {
		t.Errorf("%s: %d sessions were acknowledged, %d are listed", w.key, len(w.sessions), len(requests))
		return
	}
	states := make(map[string]string)
	for _, r := range requests {
		states[r.ID] = r.State
	}
	for i, session := range w.sessions {
		switch state := states[session]; {
		case i < w.canceled && state != "canceled", i > w.canceled && state == "canceled", state == "":
			t.Errorf("%s: session %d of %d, of which %d were canceled, is %q", w.key, i, len(w.sessions), w.canceled, state)
		case i == w.canceled && state == "canceled":
			if w.pending != "cancel" {
				t.Errorf("%s: session %d is canceled without a cancel", w.key, i)
			}
			w.canceled++
		}
		delete(states, session)
	}
	for unacknowledged := range states {
		w.sessions = append(w.sessions, unacknowledged)
	}
	w.pending = ""
}

// allPages returns all pages of a list of the control plane.
func allPages[T any](t *testing.T, w *writer, url, what string) (all []T) {
	t.Helper()
	for after := ""; ; {
		body, ok := w.send(t, url, "GET", "/_understudy/v1/"+what+"?limit=1000"+after, "")
		if !ok {
			t.Fatalf("no list of %s for %s", what, w.key)
		}
		part := commandtest.Decoded[struct {
			Items []T
			Next  *string
		}](t, body)
		if all = append(all, part.Items...); part.Next == nil {
			return all
		}
		after = "&after=" + *part.Next
	}
}
