package console_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// listen opens the stream of all worlds. It returns a function that reads the next event, in one line.
func (v *visitor) listen() (next func(want string)) {
	v.t.Helper()
	r, _ := http.NewRequestWithContext(v.t.Context(), "GET", v.url+prefix+"live", nil) // of a valid URL
	got, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { got.Body.Close() })
	if got.StatusCode != 200 || got.Header.Get("Content-Type") != "text/event-stream" || got.Header.Get("Content-Security-Policy") != policy {
		v.t.Fatalf("%d %v", got.StatusCode, got.Header)
	}
	lines := bufio.NewScanner(got.Body)
	next = func(want string) {
		v.t.Helper()
		var event []string
		for lines.Scan() && lines.Text() != "" {
			event = append(event, lines.Text())
		}
		if got := strings.Join(event, " "); got != want {
			v.t.Fatalf("hears %q, want %q (%v)", got, want, lines.Err())
		}
	}
	next(": the requests of all worlds")
	return next
}

func requestEvent(a answer) string {
	return fmt.Sprintf(`event: request data: {"world":%q,"id":%q,"status":%d}`, a.header.Get("Understudy-World"), a.header.Get("Understudy-Request-Id"), a.status)
}

func TestLive(t *testing.T) {
	pauses := make(chan struct{}, 100)
	clock := emulator.Clock{Frozen: epoch, Pause: func(ctx context.Context, span time.Duration) error {
		if span > time.Second { // a heartbeat, which never comes
			<-ctx.Done()
		}
		select {
		case <-pauses:
		case <-ctx.Done():
		}
		return context.Cause(ctx)
	}}
	t.Run("requests of all worlds, and of none", func(t *testing.T) {
		v := visit(t, emulator.WithClock(clock))
		next := v.listen()
		next(requestEvent(v.ask("GET", "/verification-requests/vr_none", "")))
		other := v.send("GET", "/verification-requests/vr_completed", "", "Authorization", "Bearer "+key+"-other")
		unmatched := []answer{v.ask("GET", "/nowhere", ""), v.get("/verification-requests/vr_completed")}
		v.post(v.world + "/reset").shows(303)
		pauses <- struct{}{}
		next(requestEvent(other.shows(200)))
		next(requestEvent(unmatched[0].shows(404)))
		next(requestEvent(unmatched[1].shows(401)))
		next(fmt.Sprintf(`event: change data: {"world":%q,"id":"","status":0}`, strings.TrimPrefix(v.world, prefix+"worlds/")))
	})
	t.Run("burst is cut", func(t *testing.T) {
		v := visit(t, emulator.WithClock(clock))
		next, sent := v.listen(), []answer{}
		next(requestEvent(v.ask("GET", "/verification-requests/vr_completed", "")))
		for range 40 {
			sent = append(sent, v.ask("GET", "/verification-requests/vr_completed", ""))
		}
		pauses <- struct{}{}
		for _, a := range sent[:20] {
			next(requestEvent(a))
		}
		next("event: many data: {}")
	})
}
