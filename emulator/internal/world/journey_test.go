package world_test

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// journey is a list of requests, METHOD PATH BODY, that depend on each other and cover every operation and every kind of
// change. {cs} is the last session, {vr} the verification request of the session that was shown last.
const journey = `
	DELETE journal
	GET /verification-requests/vr_lifecycle_timed
	POST clock/advance {"by":"1h"}
	GET /verification-requests/vr_lifecycle_timed
	POST /credentials/session SESSION(000-12-3456)
	GET credentials-sessions/{cs}
	GET /verification-requests/{vr}?income_analytics=1
	POST /credentials/session SESSION(666-12-3456)
	GET /verification-requests/{vr}
	GET /verification-requests/vr_lifecycle?income_analytics=true
	GET /verification-requests/vr_lifecycle
	GET /verification-requests/vr_lifecycle
	POST clock/advance {"by":"23h"}
	GET /verification-requests/vr_lifecycle_timed?income_analytics=true
	GET /verification-requests/vr_completed
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
	PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"}
	GET /verification-requests/vr_processing
	PUT /tenant-properties/tp_default {"name":"Quay"}
	PUT /tenant-properties/tp_default {"name":"Quay"}
	PUT /tenant-properties/tp_default {"name":"Quay"}
	GET tenant-properties/tp_default
	GET /qualification-checks/qc_qualified
	GET /qualification-checks/qc_nothing
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_flaky
	GET /verification-requests/vr_mine
	GET /verification-requests/vr_mine
	POST /credentials/session SESSION(000-00-7001)
	GET credentials-sessions/{cs}
	GET /verification-requests/{vr}
	PATCH verification-requests/vr_completed {"set":{"loan_id":"7"}}
	GET /verification-requests/vr_completed?fields=loan_id,state
	PATCH verification-requests/vr_completed {"state":"processing","force":true}
	GET /verification-requests/vr_completed?fields=loan_id,state
	DELETE verification-requests/vr_completed
	GET /verification-requests/vr_completed?fields=loan_id,state
	POST faults {"rule":{"on":"get","times":2,"respond":{"status":503}}}
	GET /verification-requests/vr_completed?fields=state
	GET faults
	GET /qualification-checks/qc_qualified
	GET /qualification-checks/qc_qualified
	DELETE faults
	PUT scenarios/own {"name":"own","title":"own","magic":{"verification_request":"vr_own"},"verification_request":{"timeline":[{"state":"processing"}]}}
	GET /verification-requests/vr_own?fields=state
	DELETE scenarios/own
	GET /verification-requests/vr_own?fields=state
	GET verification-requests
	POST journal/verify {"times":{"exactly":ASKED}}
	POST reset
	GET /verification-requests/vr_completed?fields=state
	GET /verification-requests/vr_lifecycle?fields=state
	GET clock
`

// travel sends each request of the journey to all urls, in the world of a key, after advancing its clock by late. It returns
// the answers without the parts that depend on the key or the request id.
func travel(client *http.Client, key string, late time.Duration, urls ...string) string {
	var answers strings.Builder
	asked, cs, vr := 0, "", ""
	for line := range strings.Lines(fmt.Sprintf("POST clock/advance {\"by\":%q}\n", late) + strings.TrimSpace(journey)) {
		line = strings.NewReplacer("{cs}", cs, "{vr}", vr, "ASKED", fmt.Sprint(asked)).Replace(lab.WithSessions(strings.TrimSpace(line)))
		method, path, body := lab.SplitRequest(line)
		for _, url := range urls {
			answer, err := client.Do(lab.RequestTo(method, url+path, key, body))
			if err != nil {
				return err.Error()
			}
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if path == lab.Control+"reset" {
				text = nil // it shows the key
			}
			if fmt.Fprintln(&answers, line, answer.StatusCode, string(text), err); !strings.HasPrefix(path, lab.Control) {
				asked++
				fmt.Fprintln(&answers, answer.Header.Get("Date"), answer.Header["Understudy-Scenario"], answer.Header["Understudy-Diagnosis"])
			}
			if id := lab.MadeID.FindSubmatch(text); answer.StatusCode == 201 && id != nil {
				cs = string(id[1])
			}
			vr = cmp.Or(lab.RequestIn(text), vr)
		}
	}
	return answers.String()
}

// manyClients returns a client for many goroutines.
func manyClients(t *testing.T) *http.Client {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}
