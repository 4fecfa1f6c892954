package behavior_test

import (
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestParseLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]scenarios.Limit{
		"10/s":    {Requests: 10, Per: time.Second},
		"600/m":   {Requests: 600, Per: time.Minute},
		"1/h":     {Requests: 1, Per: time.Hour},
		"5/10s":   {Requests: 5, Per: 10 * time.Second},
		"1/1m30s": {Requests: 1, Per: 90 * time.Second},
		"10/.5s":  {Requests: 10, Per: time.Second / 2},
		"9/d":     {Requests: 9, Per: 24 * time.Hour},
		"9/2w":    {Requests: 9, Per: 14 * 24 * time.Hour},
		"5/ms":    {Requests: 5, Per: time.Millisecond},
	} {
		if got, err := scenarios.ParseLimit(text); err != nil || got != want {
			t.Errorf("ParseLimit(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "10", "/s", "10/", "0/s", "-1/s", "ten/s", "10/fortnight", "10/-1s", "10/0s", "10/s/s", "1e3/s"} {
		if got, err := scenarios.ParseLimit(text); err == nil {
			t.Errorf("ParseLimit(%q) = %v, want an error", text, got)
		}
	}
}
