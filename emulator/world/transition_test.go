package world_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

func TestTheNextTransitionIsTheFirstThatTimeAloneLeadsTo(t *testing.T) {
	t.Parallel()
	w := open(t, `name: late
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
	if _, ok, err := w.NextTransition(t.Context()); ok || err != nil {
		t.Errorf("in a world that remembers nothing: %v, %v", ok, err)
	}
	for _, id := range []string{"vr_late", "vr_early", "vr_by_reads"} {
		if _, err := w.VerificationRequest(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []world.Transition{
		{ID: "vr_early", State: api.StateProcessing, At: epoch.Add(2 * time.Hour)},
		{ID: "vr_late", State: api.StateCompleted, At: epoch.Add(5 * time.Hour)},
		{ID: "vr_early", State: api.StateCompleted, At: epoch.Add(12 * time.Hour)},
	} {
		got, ok, err := w.NextTransition(t.Context())
		if diff := cmp.Diff(want, got); diff != "" || !ok || err != nil {
			t.Fatalf("%v, %v: %s", ok, err, diff)
		}
		if err := w.SetTime(t.Context(), &got.At, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := w.NextTransition(t.Context()); ok || err != nil {
		t.Errorf("once nothing waits: %v, %v", ok, err)
	}
}
