package world_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// inspect inspects a verification request in the world of the key a.
func inspect(t *testing.T, worlds *world.Worlds, id string) (v world.Verification) {
	t.Helper()
	do(t, worlds, "a", func(w *world.World) (err error) {
		v, err = w.Inspect(id)
		return err
	})
	return v
}

func TestAnalyzed(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, "name: a\ntitle: a\nmagic: {verification_request: a}\nverification_request: {timeline: [{state: completed}]}\nreports: [{pay: {paystubs: 4}}]\n")
	var body []byte
	do(t, worlds, "a", func(w *world.World) (err error) {
		body, _, err = w.ReadVerification(find(t, w, scenarios.VerificationRequestID, "a"), true)
		return err
	})
	var shown api.VerificationRequest
	if err := json.Unmarshal(body, &shown); err != nil {
		t.Fatal(err)
	}
	v := inspect(t, worlds, "a")
	if diff := cmp.Diff(shown, v.Analyzed()); diff != "" {
		t.Errorf("read-one shows (-), analyzed (+):\n%s", diff)
	}
	if v.Document.Reports[0].IncomeAnalytics != nil {
		t.Error("the document has analytics now, which nobody asked for")
	}
}

func TestNextTransition(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, `name: late
title: Late
magic: {verification_request: vr_late}
verification_request:
  timeline: [{state: processing}, {state: completed, after: {elapsed: 5h}}]
---
name: early
title: Early
magic: {verification_request: vr_early}
verification_request:
  timeline: [{state: pending-approval}, {state: processing, after: {elapsed: 2h}}, {state: completed, after: {elapsed: 10h}}]
---
name: by-reads
title: By reads
magic: {verification_request: vr_by_reads}
verification_request:
  timeline: [{state: processing}, {state: completed, after: {reads: 1}}]
`)
	next := func() (next world.Transition, ok bool) {
		t.Helper()
		do(t, worlds, "a", func(w *world.World) (err error) {
			next, ok, err = w.NextTransition()
			return err
		})
		return next, ok
	}
	if got, ok := next(); ok {
		t.Errorf("in a world that has stored nothing: %v", got)
	}
	for _, id := range []string{"vr_late", "vr_early", "vr_by_reads"} {
		read(t, worlds, "a", id)
	}
	for _, want := range []world.Transition{
		{ID: "vr_early", State: api.StateProcessing, At: epoch.Add(2 * time.Hour)},
		{ID: "vr_late", State: api.StateCompleted, At: epoch.Add(5 * time.Hour)},
		{ID: "vr_early", State: api.StateCompleted, At: epoch.Add(12 * time.Hour)},
	} {
		got, ok := next()
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Fatalf("%v: %s", ok, diff)
		}
		do(t, worlds, "a", func(w *world.World) error { return w.SetTime(&got.At, nil) })
	}
	if got, ok := next(); ok {
		t.Errorf("once nothing waits: %v", got)
	}
}
