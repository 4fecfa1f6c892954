package emulator_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
)

// An emulator is an [http.Handler], and steers the world of each key. Tests have it in one line by emulatortest.Run.
func Example() {
	e, err := emulator.New(emulator.WithClock(emulator.FrozenAt(time.Date(2025, time.January, 15, 9, 0, 0, 0, time.UTC))))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer e.Close()
	server := httptest.NewServer(e)
	defer server.Close()

	w, err := e.World("svc_sk_test_me") // that of requests with this key to server.URL
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

// What would a request get now, and why? Nothing moves.
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
	told, err := e.Resolve(context.Background(), w, r)
	fmt.Println(told.Status, told.Scenario, err)
	// Output: 451 cancel-error-451 <nil>
}
