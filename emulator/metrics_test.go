package emulator_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 6: GET /_understudy/metrics.
func TestTheMetricsTellWhatWasAskedAndNothingOfAnyWorld(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithJournalSize(2), emulator.WithVersion("1.0"))
	c := apitest.New(t, url, key)
	read(t, c, "vr_completed")
	read(t, c, "vr_completed")
	wantStatus(t, c.Get("/verification-requests/vr_error_451"), 451, "The social security number is frozen")
	wantStatus(t, c.Get("/nowhere"), 404, "Not Found")
	r := c.Get("/_understudy/metrics")
	wantStatus(t, r, 200, "")
	text := string(r.Body)
	for _, line := range []string{
		`understudy_build_info{version="1.0"} 1`,
		`understudy_requests_total{operation="getVerificationRequest",status="200"} 2`,
		`understudy_requests_total{operation="getVerificationRequest",status="451"} 1`,
		`understudy_requests_total{operation="none",status="404"} 1`,
		`understudy_request_duration_seconds_count{operation="getVerificationRequest"} 3`,
		`understudy_failures_total 0`,
		`understudy_worlds_created_total 1`,
		`understudy_journal_dropped_total{reason="size"} 1`,
		`understudy_journal_dropped_total{reason="memory"} 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	lines := regexp.MustCompile(`^(# (HELP \w+ .+|TYPE \w+ (counter|gauge|histogram))|\w+(\{\w+="[^"\n]*"(,\w+="[^"\n]*")*\})? [0-9.e+-]+)$`)
	for line := range strings.Lines(text) {
		if !lines.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("%q", line)
		}
	}
	if strings.Contains(text, "svc_sk") || strings.Contains(text, "world=") || strings.Contains(text, "vr_") {
		t.Error(text)
	}
}

func TestTheMetricsAreForThoseWhoHaveTheToken(t *testing.T) {
	t.Parallel()
	url := serve(t, emulator.WithControlToken("correct-horse"))
	c := apitest.New(t, url, "")
	if r := c.Get("/_understudy/metrics"); r.Status != 401 {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	wantStatus(t, c.With("Authorization", "Bearer correct-horse").Get("/_understudy/metrics"), 200, "")
}
