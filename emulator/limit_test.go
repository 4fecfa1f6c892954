package emulator_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func limit(t *testing.T, text string) emulator.Option {
	t.Helper()
	l, err := emulator.ParseLimit(text)
	if err != nil {
		t.Fatal(err)
	}
	return emulator.WithRateLimit(l)
}

func TestAboveItsRateLimitAWorldAnswers429(t *testing.T) {
	t.Parallel()
	now := epoch
	clock := emulator.WithClock(emulator.Clock{Wall: func() time.Time { return now }})
	url := serve(t, clock, limit(t, "3/m"))
	c, other := apitest.New(t, url, "svc_sk_test_a"), apitest.New(t, url, "svc_sk_test_b")
	statuses := func() (got []int) {
		for range 5 {
			got = append(got, c.Get("/verification-requests/vr_completed").Status)
		}
		return got
	}
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, statuses()); diff != "" {
		t.Error(diff)
	}
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 429, message429)
	wantDiagnosis(t, r, "rate limit 3/1m0s of this world")
	if got := r.Header.Get("Retry-After"); got != "20" {
		t.Errorf("Retry-After: %s, want the 20 s until the next request is served", got)
	}
	wantStatus(t, other.Get("/verification-requests/vr_completed"), 200, "")
	now = now.Add(20 * time.Second)
	if diff := cmp.Diff([]int{200, 429, 429, 429, 429}, statuses()); diff != "" {
		t.Errorf("after the time that Retry-After gives: %s", diff)
	}
	now = now.Add(time.Hour)
	if diff := cmp.Diff([]int{200, 200, 200, 429, 429}, statuses()); diff != "" {
		t.Errorf("an hour later: %s", diff)
	}
}

func TestTheRateLimitIsCountedOnTheWorldsClock(t *testing.T) {
	t.Parallel()
	wall := epoch
	clock := emulator.FrozenAt(epoch)
	clock.Wall = func() time.Time { return wall }
	c := start(t, emulator.WithClock(clock), limit(t, "1/s"))
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 200, "")
	wall = wall.Add(time.Hour)
	r := c.Get("/verification-requests/vr_completed")
	wantStatus(t, r, 429, message429)
	wantDiagnosis(t, r, "frozen")
}

func TestTheRateLimitIsExactUnderParallelRequests(t *testing.T) {
	t.Parallel()
	c := start(t, limit(t, "10/h"))
	got := inParallel(40, func() int { return c.Get("/verification-requests/vr_completed").Status })
	if diff := cmp.Diff(map[int]int{200: 10, 429: 30}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]emulator.Limit{
		"10/s":    {Requests: 10, Per: time.Second},
		"600/m":   {Requests: 600, Per: time.Minute},
		"1/h":     {Requests: 1, Per: time.Hour},
		"5/10s":   {Requests: 5, Per: 10 * time.Second},
		"1/1m30s": {Requests: 1, Per: 90 * time.Second},
		"10/.5s":  {Requests: 10, Per: time.Second / 2},
		"5/ms":    {Requests: 5, Per: time.Millisecond},
	} {
		if got, err := emulator.ParseLimit(text); err != nil || got != want {
			t.Errorf("ParseLimit(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "10", "/s", "10/", "0/s", "-1/s", "ten/s", "10/fortnight", "10/-1s", "10/0s", "10/s/s", "1e3/s"} {
		if got, err := emulator.ParseLimit(text); err == nil {
			t.Errorf("ParseLimit(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseLimit(f *testing.F) {
	f.Add("10/s")
	f.Add("5/10s")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := emulator.ParseLimit(text)
		if err != nil {
			return
		}
		if again, err := emulator.ParseLimit(l.String()); err != nil || again != l {
			t.Errorf("%q reads as %v, which reads as %v, %v", text, l, again, err)
		}
	})
}
