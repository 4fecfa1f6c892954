package emulator_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// inGo starts an emulator that is frozen at epoch, and returns it with a client of the world of key.
func inGo(t *testing.T, options ...emulator.Option) (*emulator.Emulator, *apitest.Client) {
	t.Helper()
	e, err := emulator.New(append([]emulator.Option{emulator.WithClock(emulator.FrozenAt(epoch))}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(e)
	t.Cleanup(func() {
		server.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, apitest.New(t, server.URL, key)
}

// worldOf returns the world of a key that opens one.
func worldOf(t *testing.T, e *emulator.Emulator, key string) *emulator.World {
	t.Helper()
	w, err := e.World(key)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// wantRefusal checks that an error is one for the caller.
func wantRefusal(t *testing.T, err error, status int, message string) {
	t.Helper()
	failure := (*api.Error)(nil)
	if !errors.As(err, &failure) || failure.Status != status || failure.Message != message {
		t.Errorf("%v, want %d %s", err, status, message)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Contract 9: methods for what the control plane does, on the same worlds.
func TestAWorldsClockIsDrivenInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	read(t, c, "vr_lifecycle_timed")
	noError(t, w.Advance(ctx, time.Hour))
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StateProcessing {
		t.Errorf("after an hour: %s", state)
	}
	noError(t, w.SetClock(ctx, epoch.Add(36*time.Hour)))
	if now, err := w.Now(ctx); err != nil || !now.Equal(epoch.Add(36*time.Hour)) {
		t.Errorf("the clock shows %s, %v", now, err)
	}
	wantRefusal(t, w.SetClock(ctx, epoch), 409, "The clock shows 2025-01-16T21:30:00Z and does not go back: reset the world first")
	wantRefusal(t, w.Advance(ctx, 0), 400, "A clock is advanced by a positive span of time, such as 36h")
	noError(t, w.Unfreeze(ctx))
	if now, frozen := clockOf(t, c.Get(control+"clock")); frozen {
		t.Errorf("the clock stands at %s", now)
	}
	noError(t, w.Freeze(ctx))
	if status, err := w.Status(ctx); err != nil || !status.Frozen {
		t.Errorf("%+v, %v", status, err)
	}
	noError(t, w.Reset(ctx))
	if now, frozen := clockOf(t, c.Get(control+"clock")); now != "2025-01-15T09:30:00Z" || !frozen {
		t.Errorf("as new the clock shows %s, frozen %t", now, frozen)
	}
	if state := read(t, c, "vr_lifecycle_timed").State; state != api.StatePendingApproval {
		t.Errorf("as new: %s", state)
	}
}

func TestVerificationRequestsAreSteeredInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	v, err := w.VerificationRequest(ctx, "vr_lifecycle")
	if err != nil || v.Document.State != api.StatePendingApproval {
		t.Errorf("looked at: %+v, %v", v, err)
	}
	if state := read(t, c, "vr_lifecycle").State; state != api.StatePendingApproval {
		t.Errorf("that it was looked at moved it to %s", state)
	}
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted})
	wantRefusal(t, err, 409, "The request cannot become completed: nothing is completed before it was processed: "+
		"put {state: processing} between (spec section 3); force it if that is meant")
	v, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted, Force: true})
	if err != nil || len(v.Document.Reports) != 1 || read(t, c, "vr_lifecycle").State != api.StateCompleted {
		t.Errorf("forced: %+v, %v", v, err)
	}
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: "done"})
	wantRefusal(t, err, 400, `There is no state "done": it is one of pending-approval, action-required, processing, completed, invalid, canceled`)

	var ids []string
	for v, err := range w.VerificationRequests(ctx) {
		noError(t, err)
		ids = append(ids, v.ID)
	}
	if diff := cmp.Diff([]string{"vr_lifecycle"}, ids); diff != "" {
		t.Error(diff)
	}
	noError(t, w.Forget(ctx, "vr_lifecycle"))
	wantRefusal(t, w.Forget(ctx, "vr_lifecycle"), 404, `Nothing is remembered of a verification request "vr_lifecycle"`)
	_, err = w.VerificationRequest(ctx, "vr_lifecicle")
	wantRefusal(t, err, 404, `No verification request is "vr_lifecicle": did you mean vr_lifecycle?`)
}

func TestFaultsArePutOnAWorldInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	f, err := w.AddFault(ctx, `{on: get, respond: {status: 500, message: Out of order}, times: 1}`, emulator.Lasting(10*time.Minute))
	if err != nil || f.ID != "fault-1" || !f.Expires.Equal(epoch.Add(10*time.Minute)) {
		t.Fatalf("%+v, %v", f, err)
	}
	if shown := faults(t, c); len(shown) != 1 || shown[0].Words != "every get, once: 500 Internal Server Error" {
		t.Errorf("the control plane shows %+v", shown)
	}
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 500, "Out of order")
	wantStatus(t, c.Get("/verification-requests/vr_completed"), 200, "")
	if all, err := w.Faults(ctx); err != nil || len(all) != 1 || all[0].Applied != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	_, err = w.AddFault(ctx, "on: get\nrespond: {status: 200}\n")
	wantRefusal(t, err, 400, "The rule is not right: rule:2:19: a rule answers with an error status from 400 to 599: respond: {status: 500}")
	noError(t, w.RemoveFault(ctx, f.ID))
	wantRefusal(t, w.RemoveFault(ctx, f.ID), 404, `There is no fault "fault-1"`)
	_, err = w.AddFault(ctx, `{on: any, fault: empty}`)
	noError(t, errors.Join(err, w.RemoveFaults(ctx)))
	if all, err := w.Faults(ctx); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestWorldsAreListedAndForgottenInGo(t *testing.T) {
	t.Parallel()
	e, _ := inGo(t)
	ctx := t.Context()
	const worlds = 150 // more than are read at once
	for i := range worlds {
		_, err := worldOf(t, e, fmt.Sprintf("svc_sk_test_suite_%04d", i)).Now(ctx)
		noError(t, err)
	}
	ids := make(map[string]bool)
	for status, err := range e.Worlds(ctx) {
		noError(t, err)
		ids[status.ID] = true
		if len(ids) == 1 {
			noError(t, e.WorldByID(status.ID).Delete(ctx))
			wantRefusal(t, e.WorldByID(status.ID).Reset(ctx), 404, `There is no world "`+status.ID+`"`)
		}
	}
	if len(ids) != worlds {
		t.Errorf("%d worlds are listed of %d", len(ids), worlds)
	}
}

// Contract 3.
func TestAKeyThatOpensNoWorldIsRefusedInGo(t *testing.T) {
	t.Parallel()
	e, _ := inGo(t)
	for key, message := range map[string]string{
		"":                    "no world has this API key: the key must begin with svc_sk_test_ (--key-prefix sets its first part)",
		"svc_pk_test_a":       "no world has this API key: a publishable key is for the browser: send a secret sandbox key",
		"svc_sk_test_revoked": "no world has this API key: this key stands for one that was revoked",
	} {
		if _, err := e.World(key); err == nil || err.Error() != message {
			t.Errorf("%q: %v", key, err)
		}
	}
}
