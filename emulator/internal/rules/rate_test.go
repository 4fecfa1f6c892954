package rules_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

func TestRateLimit(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	url := lab.Serve(t, emulator.WithClock(m.Clock()), lab.Limit(t, "3/m"))
	c, other := apitest.New(t, url, "svc_sk_test_a"), apitest.New(t, url, "svc_sk_test_b")
	get := func() *apitest.Response { return c.Get("/verification-requests/vr_completed") }
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, lab.Statuses(5, get)); diff != "" {
		t.Error(diff)
	}
	r := get()
	lab.WantStatus(t, r, 429, lab.Message429)
	lab.WantDiagnosis(t, r, "rate limit 3/1m0s of this world")
	if got := r.Header.Get("Retry-After"); got != "20" {
		t.Errorf("Retry-After: %s, want the 20 s until the next request is served", got)
	}
	lab.WantStatus(t, other.Get("/verification-requests/vr_completed"), 200, "")
	m.Pass(20 * time.Second)
	if diff := cmp.Diff([]int{200, 429, 429, 429, 429}, lab.Statuses(5, get)); diff != "" {
		t.Errorf("after the time that Retry-After gives: %s", diff)
	}
	m.Pass(time.Hour)
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, lab.Statuses(5, get)); diff != "" {
		t.Errorf("an hour later: %s", diff)
	}
}

func TestRateLimitParallel(t *testing.T) {
	t.Parallel()
	m := lab.NewMachine(lab.Epoch)
	clock := m.Clock()
	clock.Frozen = lab.Epoch
	c := lab.Start(t, emulator.WithClock(clock), lab.Limit(t, "10/h"))
	got := lab.InParallel(40, func() int { return c.Get("/verification-requests/vr_completed").Status })
	if diff := cmp.Diff(map[int]int{200: 10, 429: 30}, got); diff != "" {
		t.Error(diff)
	}
	m.Pass(24 * time.Hour)
	lab.PlayScript(t, c, `GET /verification-requests/vr_completed → 429 `+lab.Message429+` | frozen`)
}

// Retry-After is in whole seconds, rounded up: a client that waits for it is served.
func TestRateLimitRetryAfter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5/s": "1", "1/s": "1", "2/3s": "2", "1/1500ms": "2", "7/m": "9", "1/2s": "2"} {
		m := lab.NewMachine(lab.Epoch)
		c := lab.Start(t, emulator.WithClock(m.Clock()), lab.Limit(t, text))
		r := c.Get("/verification-requests/vr_completed")
		for r.Status == 200 {
			r = c.Get("/verification-requests/vr_completed")
		}
		lab.WantStatus(t, r, 429, lab.Message429)
		got := r.Header.Get("Retry-After")
		if got != want {
			t.Errorf("%s: Retry-After: %s, want %s", text, got, want)
		}
		wait, err := time.ParseDuration(got + "s")
		lab.NoError(t, err)
		if m.Pass(wait); c.Get("/verification-requests/vr_completed").Status != 200 {
			t.Errorf("%s: after Retry-After the request is refused", text)
		}
	}
}
