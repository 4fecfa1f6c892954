package emulator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

type resolution struct {
	Operation *string         `json:"operation"`
	Status    *int            `json:"status"`
	Body      json.RawMessage `json:"body"`
	Scenario  *string         `json:"scenario"`
	Rule      *string         `json:"rule"`
	Delay     string          `json:"delay"`
	Fault     *string         `json:"fault"`
	Diagnosis []string        `json:"diagnosis"`
}

func resolve(t *testing.T, c *apitest.Client, body string) (told resolution) {
	t.Helper()
	r := c.Post(control+"scenarios/resolve", body)
	wantStatus(t, r, 200, "")
	r.JSON(&told)
	return told
}

// Contract 6: what this request would get now, from which scenario and rule, and why; nothing moves.
func TestADryRunTellsTheAnswerAndMovesNothing(t *testing.T) {
	t.Parallel()
	c := start(t, (&pauses{}).option())
	const lifecycle = `{"method":"GET","path":"/verification-requests/vr_lifecycle?fields=state"}`
	for range 3 {
		if told := resolve(t, c, lifecycle); string(told.Body) != `{"state":"pending-approval"}` || *told.Status != 200 || *told.Scenario != "lifecycle" || told.Rule != nil {
			t.Errorf("%s %+v", told.Body, told)
		}
	}
	if diff := cmp.Diff([]api.State{"pending-approval", "processing"}, states(t, c, "vr_lifecycle", 2)); diff != "" {
		t.Error(diff)
	}
	if told := resolve(t, c, lifecycle); string(told.Body) != `{"state":"completed"}` {
		t.Errorf("at last %s", told.Body)
	}

	flaky := resolve(t, c, `{"method":"GET","path":"/verification-requests/vr_flaky"}`)
	if *flaky.Status != 500 || *flaky.Operation != "getVerificationRequest" || flaky.Rule == nil || len(flaky.Diagnosis) != 2 {
		t.Errorf("%+v", flaky)
	}
	wantStatus(t, c.Get("/verification-requests/vr_flaky"), 500, "Internal server error")

	if told := resolve(t, c, `{"method":"GET","path":"/verification-requests/vr_slow?fields=id","headers":{"Accept":"application/json; version=2019-10-15"}}`); told.Delay != "3s" || string(told.Body) != `{"id":"vr_slow"}` || len(told.Diagnosis) != 1 || !strings.HasPrefix(told.Diagnosis[0], "scenario slow holds the answer back for 3s, by its rule at ") {
		t.Errorf("%+v", told)
	}
	if told := resolve(t, c, `{"method":"GET","path":"/verification-requests/vr_fault_reset"}`); told.Status != nil || *told.Fault != "connection-reset" || string(told.Body) != "null" {
		t.Errorf("%+v", told)
	}
	if told := resolve(t, c, `{"method":"PUT","path":"/verification-requests/vr_processing/cancel","body":{"cancellation_reason":"other"}}`); *told.Status != 200 {
		t.Errorf("%+v", told)
	}
	if state := read(t, c, "vr_processing").State; state != api.StateProcessing {
		t.Errorf("the dry run made it %s", state)
	}
	if told := resolve(t, c, `{"method":"PUT","path":"/tenant-properties/tp_default","body":"{no JSON"}`); *told.Status != 400 {
		t.Errorf("%+v", told)
	}
	if told := resolve(t, c, `{"method":"POST","path":"/credentials/session","body":`+session("000-00-0451")+`}`); *told.Status != 451 || *told.Scenario != "session-error-0451" {
		t.Errorf("%+v", told)
	}
	if told := resolve(t, c, `{"method":"DELETE","path":"/verification-requests/vr_completed"}`); *told.Status != 405 || told.Operation != nil || len(told.Diagnosis) != 1 {
		t.Errorf("%+v", told)
	}
	wantStatus(t, c.Post(control+"scenarios/resolve", `{"method":"GET","path":"vr_completed"}`), 400,
		`Say what is asked: {"method":"GET","path":"/verification-requests/vr_completed"}`)
	if r := c.Get(control + "verification-requests?scenario=processing"); string(r.Body) != `{"items":[],"next":null}` {
		t.Errorf("remembered: %s", r.Body)
	}
}

func TestADryRunRefusesHeadersThatNoRequestHas(t *testing.T) {
	t.Parallel()
	c := start(t)
	for headers, message := range map[string]string{
		`{"Accept\nX":"a"}`:           `"Accept\nX" is not the name of a header: write one such as Accept`,
		`{"":"a"}`:                    `"" is not the name of a header: write one such as Accept`,
		`{"Accept":"a\r\nX: b"}`:      "The header Accept may have no control characters: it is one line",
		`{"Accept":"a","accept":"b"}`: "The header Accept is there more than once: say it once",
	} {
		r := c.Post(control+"scenarios/resolve", `{"method":"GET","path":"/verification-requests/vr_completed","headers":`+headers+`}`)
		wantStatus(t, r, 400, message)
	}
}
