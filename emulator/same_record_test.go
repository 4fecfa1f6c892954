package emulator_test

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Contract 3: two keys never see each other, also where their resources are remembered alike and only the scenarios that
// these follow are not the same.
func TestWhatIsRememberedAlikeIsShownAsEachWorldsOwnScenarioMovesIt(t *testing.T) {
	t.Parallel()
	url := serve(t)
	file := `{"name":"mine","title":"mine","magic":{"verification_request":"vr_pattern"},"verification_request":{"timeline":[{"state":"processing"},{"state":"%s","after":{"elapsed":"%s"}}]}}`
	for _, tt := range []struct{ key, state, after string }{
		{"svc_sk_test_first", "completed", "1h"}, {"svc_sk_test_second", "canceled", "2h"}, {"svc_sk_test_third", "completed", "3h"},
	} {
		c := apitest.New(t, url, tt.key)
		wantStatus(t, c.Put("/_understudy/v1/scenarios/mine", fmt.Sprintf(file, "completed", "1h")), 200, "")
		wantStatus(t, c.Post("/_understudy/v1/verification-requests", `{"id":"vr_mine","scenario":"mine"}`), 201, "")
		wantStatus(t, c.Put("/_understudy/v1/scenarios/mine", fmt.Sprintf(file, tt.state, tt.after)), 200, "")
		wantStatus(t, c.Post("/_understudy/v1/clock/advance", `{"by":"7h"}`), 200, "")
		var shown, steered struct {
			State            string `json:"state"`
			DateOfCompletion any    `json:"date_of_completion"`
		}
		c.Get("/verification-requests/vr_mine?fields=state,date_of_completion").JSON(&shown)
		c.Get("/_understudy/v1/verification-requests/vr_mine").JSON(&steered)
		if shown.State != tt.state || steered.State != tt.state {
			t.Errorf("%s: %+v, and steered %+v, want %s after %s", tt.key, shown, steered, tt.state, tt.after)
		}
		if want := map[string]any{"1h": "2025-01-15T10:30:00Z", "2h": nil, "3h": "2025-01-15T12:30:00Z"}[tt.after]; shown.DateOfCompletion != want {
			t.Errorf("%s: completed at %v, want %v", tt.key, shown.DateOfCompletion, want)
		}
	}
}
