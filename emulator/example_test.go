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
