package emulator_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// An emulator is an [http.Handler]; World returns a handle that steers the world of a key. Tests start one with
// emulatortest.Run.
func Example() {
	e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC))))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	server := httptest.NewServer(e)
	defer server.Close()

	w, err := e.World("svc_sk_test_me") // the world of requests with this key
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	v, err := w.CreateVerificationRequest(ctx, `{id: vr_mine, scenario: lifecycle-timed}`)
	fmt.Println(v.Document.State, err)
	_, err = w.Advance(ctx, time.Hour)
	fmt.Println(err)
	v, err = w.VerificationRequest(ctx, "vr_mine")
	fmt.Println(v.Document.State, err)
	// Output:
	// pending-approval <nil>
	// <nil>
	// processing <nil>
}

// Resolve returns the answer that a request would get now, and why. It changes nothing.
func ExampleEmulator_Resolve() {
	e, err := emulator.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	w, err := e.World("svc_sk_test_me")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := http.NewRequest("PUT", "/verification-requests/vr_cancel_error_451/cancel", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := e.Resolve(context.Background(), w, r)
	fmt.Println(result.Status, result.Scenario, err)
	// Output: 451 cancel-error-451 <nil>
}

// handed is a transport that hands requests to a handler, without a port.
type handed struct{ http.Handler }

func (h handed) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, r)
	return answer.Result(), nil
}

// A test takes the webhooks of its worlds in memory: the handler of the program under test listens on no port.
func ExampleWebhooks() {
	taken := make(chan string, 1)
	receiver := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { taken <- r.Method + " " + r.URL.String() })
	e, err := emulator.New(
		emulator.WithClock(emulator.FrozenAt(time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC))),
		emulator.WithWebhooks(emulator.Webhooks{URLs: []string{"http://receiver/hooks"}, Transport: handed{receiver}}),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	w, err := e.World("svc_sk_test_me")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if _, err := w.CreateVerificationRequest(ctx, `{id: vr_mine, scenario: lifecycle-timed}`); err != nil {
		fmt.Println(err)
		return
	}
	status, err := w.Advance(ctx, time.Hour) // which sends what is due
	fmt.Println(status.Deliveries.Sent, <-taken, err)
	// Output: 1 POST http://receiver/hooks <nil>
}
