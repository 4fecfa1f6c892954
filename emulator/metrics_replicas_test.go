package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Contract 6: GET /_understudy/metrics. A replica counts what it was asked, and times what it asks of etcd.
func TestTheMetricsOfAReplicaAreItsOwn(t *testing.T) {
	t.Parallel()
	urlA, urlB := pair(t, etcdtest.Run(t, 1))
	a, b := apitest.New(t, urlA, key), apitest.New(t, urlB, key)
	read(t, a, "vr_completed")
	read(t, a, "vr_completed")
	read(t, b, "vr_completed")
	for requests, c := range map[int]*apitest.Client{2: a, 1: b} {
		text := string(c.Get("/_understudy/metrics").Body)
		for _, line := range []string{
			fmt.Sprintf(`understudy_requests_total{operation="getVerificationRequest",status="200"} %d`, requests),
			fmt.Sprintf(`understudy_worlds_created_total %d`, requests-1),
			`understudy_worlds 1`,
			`understudy_journal_bytes 0`,
		} {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("%s is not in\n%s", line, text)
			}
		}
		for _, operation := range []string{"view", "update"} {
			name := `understudy_store_duration_seconds_count{engine="etcd",operation="` + operation + `"} `
			if _, count, found := strings.Cut(text, name); !found || strings.HasPrefix(count, "0\n") {
				t.Errorf("%s is not timed", operation)
			}
		}
		problems, err := promlint.New(strings.NewReader(text)).Lint()
		noError(t, err)
		for _, problem := range problems {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}
}
