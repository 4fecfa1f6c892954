package emulator_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/store"
)

// atFullSize returns all where CI=true, a fifth of it on a desk, and a twentieth with -short.
func atFullSize(all int) int {
	switch {
	case testing.Short():
		return all / 20
	case os.Getenv("CI") != "true":
		return all / 5
	}
	return all
}

// suite is a client of one world. It writes down what it is answered.
type suite struct {
	client *http.Client
	url    string
	key    string
	asked  int // of the emulated API
	said   strings.Builder
}

// do asks, and returns the body of the answer.
func (s *suite) do(method, path, body string) (string, error) {
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if !strings.HasPrefix(path, control) {
		s.asked++
		fmt.Fprint(&s.said, answer.Header.Get("Date"), answer.Header["Understudy-Scenario"], answer.Header["Understudy-Diagnosis"])
	}
	fmt.Fprintln(&s.said, method, path, answer.StatusCode, string(text))
	return string(text), err
}

// live takes a world through a whole life on a clock of its own, and returns all that was answered.
func (s *suite) live(late time.Duration) (string, error) {
	session := session("000-12-3456")
	var sessionID string
	for _, step := range []struct{ method, path, body string }{
		{"POST", control + "clock/advance", fmt.Sprintf(`{"by":"%s"}`, late)},
		{"GET", "/verification-requests/vr_lifecycle_timed", ""},
		{"POST", control + "clock/advance", `{"by":"1h"}`},
		{"GET", "/verification-requests/vr_lifecycle_timed", ""},
		{"POST", "/credentials/session", session},
		{"GET", "/verification-requests/vr_lifecycle", ""},
		{"GET", "/verification-requests/vr_lifecycle", ""},
		{"POST", control + "clock/advance", `{"by":"23h"}`},
		{"GET", "/verification-requests/vr_lifecycle_timed?income_analytics=true", ""},
		{"GET", "/verification-requests/vr_lifecycle", ""},
		{"PUT", "/verification-requests/vr_processing/cancel", cancelOther},
		{"PUT", "/verification-requests/vr_processing/cancel", cancelOther},
		{"PUT", "/tenant-properties/tp_default", `{"name":"Quay"}`},
		{"POST", control + "faults", `{"rule":{"on":"get","respond":{"status":500},"times":1}}`},
		{"GET", "/qualification-checks/qc_qualified", ""},
		{"GET", "/qualification-checks/qc_qualified", ""},
		{"GET", "/verification-requests/vr_flaky", ""},
		{"GET", control + "verification-requests", ""},
		{"GET", control + "clock", ""},
	} {
		text, err := s.do(step.method, step.path, step.body)
		if err != nil {
			return "", err
		}
		if step.path == "/credentials/session" {
			_, sessionID, _ = strings.Cut(text, `"id":"cs_`)
			sessionID = sessionID[:26]
		}
	}
	if _, err := s.do("GET", "/verification-requests/vr_"+sessionID, ""); err != nil {
		return "", err
	}
	_, err := s.do("POST", control+"journal/verify", fmt.Sprintf(`{"times":{"exactly":%d}}`, s.asked))
	return s.said.String(), err
}

// serveMany starts an emulator for many clients at once.
func serveMany(t *testing.T, options ...emulator.Option) (e *emulator.Emulator, url string, client *http.Client) {
	t.Helper()
	e, _ = inGo(t, options...)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(client.CloseIdleConnections)
	return e, server.URL, client
}

// Issue, bars: 500 worlds driven in parallel by 32 clients, each through a full lifecycle with its own clock, show no
// cross-talk and the same bytes; verify counts are exact.
func TestWorldsThatAreDrivenInParallelAnswerAsIfAlone(t *testing.T) {
	t.Parallel()
	const clients, clocks = 32, 5
	late := func(world int) time.Duration { return time.Duration(1+world%clocks) * 7 * time.Minute }
	var alone []string
	for i := range clocks {
		_, url, client := serveMany(t)
		s := suite{client: client, url: url, key: key}
		said, err := s.live(late(i))
		if err != nil || !strings.Contains(said, fmt.Sprintf(`{"count":%d,"dropped":0,`, s.asked)) {
			t.Fatalf("%s, %v", said, err)
		}
		alone = append(alone, said)
	}
	_, url, client := serveMany(t)
	worlds := make(chan int)
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := range worlds {
				s := suite{client: client, url: url, key: fmt.Sprintf("svc_sk_test_suite_%04d", i)}
				said, err := s.live(late(i))
				if diff := cmp.Diff(alone[i%clocks], said); diff != "" || err != nil {
					t.Errorf("world %d: %v\n%s", i, err, diff)
				}
			}
		})
	}
	for i := range atFullSize(500) {
		worlds <- i
	}
	close(worlds)
	running.Wait()
}

// Issue, bars: verify counts are exact under load.
func TestVerifyCountsAreExactUnderLoad(t *testing.T) {
	t.Parallel()
	const clients = 32
	each := atFullSize(100)
	for name, kept := range map[string]int{"all are kept": clients * each, "some are not": clients * each / 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, url, client := serveMany(t, emulator.WithJournalSize(kept))
			var running sync.WaitGroup
			for i := range clients {
				running.Go(func() {
					s := suite{client: client, url: url, key: key}
					for range each {
						if _, err := s.do("GET", fmt.Sprintf("/verification-requests/vr_completed?fields=id&client=%d", i), ""); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			w, all := worldOf(t, e, key), clients*each
			err := w.Verify(t.Context(), journal.Expectation{Times: journal.Times{Exactly: &all}})
			unmet := (*journal.Unmet)(nil)
			switch {
			case kept == all && err != nil:
				t.Error(err)
			case kept < all && (!errors.As(err, &unmet) || unmet.Count != kept || unmet.Dropped != uint64(all-kept)):
				t.Errorf("%+v", err)
			}
			one := journal.Expectation{Match: journal.Match{Query: map[string]journal.Text{"client": *journal.Is("7")}}}
			one.Times.Exactly = &each
			if err := w.Verify(t.Context(), one); kept == all && err != nil {
				t.Error(err)
			}
		})
	}
}

// Issue, bars: 1,000 resets while 16 clients read never show a torn world. In each life a request begins at the world's
// beginning, and is completed by the time the clock shows the next day: another pair of instant and state is of two lives.
func TestResetsNeverShowATornWorld(t *testing.T) {
	t.Parallel()
	const clients = 16
	s, err := store.Open("temp")
	noError(t, err)
	e, _, _ := serveMany(t, emulator.WithStore(s))
	w, ctx := worldOf(t, e, key), t.Context()
	begin := func() {
		if answer := askDirectly(e, key, "/verification-requests/vr_lifecycle_timed"); answer.Code != 200 {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
	}
	begin()
	end := meanwhile(clients, func() (goOn bool) {
		answer := askDirectly(e, key, "/verification-requests/vr_lifecycle_timed?fields=state")
		date, state := answer.Header().Get("Date"), answer.Body.String()
		first, second := "Wed, 15 Jan 2025 09:30:00 GMT", "Thu, 16 Jan 2025 10:30:00 GMT"
		if date == first && state == `{"state":"pending-approval"}` || date == second && state == `{"state":"completed"}` {
			return true
		}
		t.Errorf("on %s it is %s", date, state)
		return false
	})
	for range atFullSize(1000) {
		noError(t, w.Advance(ctx, 25*time.Hour))
		noError(t, w.Reset(ctx))
		begin()
	}
	end()
	noError(t, w.Reset(ctx))
	waitForNoKeys(t, s, "w/")
}

// waitForNoKeys waits until a store has no keys with a prefix: what ended is collected in the background.
func waitForNoKeys(t *testing.T, s store.Store, prefix string) {
	t.Helper()
	changed, err := s.Watch(t.Context(), prefix)
	noError(t, err)
	for left := true; left; {
		noError(t, s.View(t.Context(), func(tx store.Tx) error {
			left = false
			for range tx.Scan(prefix, "") {
				left = true
			}
			return nil
		}))
		if left {
			<-changed
		}
	}
}

// A call with a body that a reset overtakes is judged again, with all of its body.
func TestUpdatesThatResetsOvertakeAreCarriedOut(t *testing.T) {
	t.Parallel()
	const clients = 8
	e, _, _ := serveMany(t)
	w, ctx := worldOf(t, e, key), t.Context()
	end := meanwhile(clients, func() (goOn bool) {
		r := httptest.NewRequest(http.MethodPut, "/tenant-properties/tp_default", strings.NewReader(`{"name":"Quay"}`))
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		e.ServeHTTP(answer, r)
		if answer.Code == 200 && strings.Contains(answer.Body.String(), `"name":"Quay","address_line_1":null`) {
			return true
		}
		t.Errorf("%d %s", answer.Code, answer.Body)
		return false
	})
	for range atFullSize(1000) {
		noError(t, w.Reset(ctx))
	}
	end()
	for _, asked := range must(w.Journal(ctx, journal.Filter{Status: must(journal.ParseStatus("4xx"))})) {
		t.Errorf("%+v", asked)
	}
}

// meanwhile has clients ask again and again, for as long as ask wants to go on, until end; end waits for them.
func meanwhile(clients int, ask func() (goOn bool)) (end func()) {
	var ended atomic.Bool
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for !ended.Load() && ask() {
			}
		})
	}
	return func() {
		ended.Store(true)
		running.Wait()
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
