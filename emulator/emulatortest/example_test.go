package emulatortest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// t stands for the argument of a test function, which examples do not have. Its cleanups run at the end of the package.
var t = &exampleT{recorder{name: "Example"}}

type exampleT struct{ recorder }

func (t *exampleT) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

func TestMain(m *testing.M) {
	code := m.Run()
	if failed := t.run(func() {}); len(failed) > 0 {
		fmt.Fprintln(os.Stderr, failed, t.logged)
		code = 1
	}
	os.Exit(code)
}

// stateOf stands for the code under test: it reads the state of a verification request.
func stateOf(client *http.Client, url, id string) string {
	answer, err := client.Get(url + "/verification-requests/" + id)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return answer.Status
	}
	var request struct {
		State string `json:"state"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&request); err != nil {
		return err.Error()
	}
	return request.State
}

// Run starts an emulator and stops it when the test ends. The code under test needs its URL and a key, or a client that
// sends the key.
func ExampleRun() {
	s := emulatortest.Run(t)

	fmt.Println(strings.HasPrefix(s.URL, "http://127.0.0.1:"), strings.HasPrefix(s.Key(t), "svc_sk_test_"))
	fmt.Println(stateOf(s.Client(t), s.URL, "vr_completed"))
	// Output:
	// true true
	// completed
}

// Run takes the options of emulator.New: here another seed, and another instant of the clocks.
func ExampleRun_options() {
	s := emulatortest.Run(t,
		emulator.WithSeed(7),
		emulator.WithClock(emulator.FrozenAt(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC))))

	fmt.Println(s.World(t).Now())
	// Output: 2026-07-01 00:00:00 +0000 UTC
}

// A test moves the clock of its world, so that it need not wait a day.
func ExampleWorld_Advance() {
	s := emulatortest.Run(t)
	client, w := s.Client(t), s.World(t)

	fmt.Println(stateOf(client, s.URL, "vr_lifecycle_timed"))
	w.Advance(time.Hour)
	fmt.Println(stateOf(client, s.URL, "vr_lifecycle_timed"))
	w.Advance(23 * time.Hour)
	fmt.Println(stateOf(client, s.URL, "vr_lifecycle_timed"))
	// Output:
	// pending-approval
	// processing
	// completed
}

// A fault is a rule as in scenario files: here two requests fail.
func ExampleWorld_AddFault() {
	s := emulatortest.Run(t)
	client := s.Client(t)

	s.World(t).AddFault(`{on: get, respond: {status: 500}, times: 2}`)
	for range 3 {
		fmt.Println(stateOf(client, s.URL, "vr_completed"))
	}
	// Output:
	// 500 Internal Server Error
	// 500 Internal Server Error
	// completed
}

// The test puts a verification request into one state after the other.
func ExampleWorld_Move() {
	s := emulatortest.Run(t)
	client, w := s.Client(t), s.World(t)

	fmt.Println(stateOf(client, s.URL, "vr_pending_approval"))
	w.Move("vr_pending_approval", "action-required")
	fmt.Println(stateOf(client, s.URL, "vr_pending_approval"))
	w.Move("vr_pending_approval", api.StateProcessing)
	fmt.Println(stateOf(client, s.URL, "vr_pending_approval"))
	w.Move("vr_pending_approval", api.StateCompleted)
	fmt.Println(stateOf(client, s.URL, "vr_pending_approval"))

	v := w.VerificationRequest("vr_pending_approval")
	fmt.Println(len(v.Document.Reports), "report, completed", v.Document.DateOfCompletion)
	// Output:
	// pending-approval
	// action-required
	// processing
	// completed
	// 1 report, completed 2025-01-15T09:00:00.000000Z
}

// A request is created from a scenario, from explicit fields, or from both, in the language of scenario files.
func ExampleWorld_CreateVerificationRequest() {
	s := emulatortest.Run(t)

	v := s.World(t).CreateVerificationRequest(`
id: vr_mine
scenario: lifecycle-timed
verification_request: {type: employment, set: {loan_id: "7"}}
`)
	fmt.Println(v.ID, v.Document.Type, *v.Document.LoanID)
	fmt.Println(stateOf(s.Client(t), s.URL, "vr_mine"))
	// Output:
	// vr_mine employment 7
	// pending-approval
}

// Verify checks how often the code under test sent a request.
func ExampleWorld_Verify() {
	s := emulatortest.Run(t)
	stateOf(s.Client(t), s.URL, "vr_completed")

	s.World(t).Verify(emulator.Expectation{
		Operation: "getVerificationRequest",
		Match:     emulator.Match{Path: emulator.Matching("^/verification-requests/vr_")},
		Times:     emulator.Times{Exactly: new(1)},
	})
	for _, e := range s.World(t).Journal(emulator.JournalFilter{}) {
		fmt.Println(e.Method, e.Path, e.Status, e.Scenario)
	}
	// Output: GET /verification-requests/vr_completed 200 completed
}

// A snapshot of an arranged world is restored for each test.
func ExampleWorld_Snapshot() {
	s := emulatortest.Run(t)
	client, w := s.Client(t), s.World(t)
	stateOf(client, s.URL, "vr_lifecycle")
	arranged := w.Snapshot()

	fmt.Println(stateOf(client, s.URL, "vr_lifecycle"), stateOf(client, s.URL, "vr_lifecycle"))
	w.Restore(arranged)
	fmt.Println(stateOf(client, s.URL, "vr_lifecycle"))
	// Output:
	// processing completed
	// processing
}
