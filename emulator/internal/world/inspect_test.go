package world_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// inspect inspects a verification request in the world of the key a.
func inspect(t *testing.T, worlds *world.Worlds, id string) world.Verification {
	t.Helper()
	v, err := keyOf(worlds, "a").VerificationRequest(t.Context(), id)
	if err != nil {
		t.Error(err)
	}
	return v
}

func TestAnalyzed(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, "name: a\ntitle: a\nmagic: {verification_request: a}\nverification_request: {timeline: [{state: completed}]}\nreports: [{pay: {paystubs: 4}}]\n")
	var body []byte
	do(t, worlds, "a", func(tx *world.Tx) (err error) {
		body, _, err = tx.ReadVerification(find(t, tx, scenarios.VerificationRequestID, "a"), true)
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
		t.Error("the document has analytics now")
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
	w := keyOf(worlds, "a")
	next := func() (world.Transition, bool) {
		t.Helper()
		var next world.Transition
		err := w.Do(t.Context(), func(tx *world.Tx) error {
			due, err := tx.Transitions(1)
			if len(due) > 0 {
				next = due[0]
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		return next, next.ID != ""
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
		if status, err := w.AdvanceToNext(t.Context()); !status.Now.Equal(got.At) || err != nil {
			t.Errorf("advanced to %v, %v", status.Now, err)
		}
	}
	if got, ok := next(); ok {
		t.Errorf("once nothing waits: %v", got)
	}
	if _, err := w.AdvanceToNext(t.Context()); !errors.Is(err, world.ErrNoTransition) {
		t.Errorf("once nothing waits: %v", err)
	}
}

// Steps of one instant come in the order of their requests' ids, and the limit keeps the first of them.
func TestTransitionsTie(t *testing.T) {
	t.Parallel()
	worlds := startFile(t, `name: timed-<n>
title: Timed
matrix: {n: [1, 2, 3]}
magic: {verification_request: vr_<n>}
verification_request:
  timeline: [{state: processing}, {state: completed, after: {elapsed: 5h}}]
`)
	for _, id := range []string{"vr_3", "vr_1", "vr_2"} {
		read(t, worlds, "a", id)
	}
	for limit := 1; limit <= 4; limit++ {
		do(t, worlds, "a", func(tx *world.Tx) error {
			due, err := tx.Transitions(limit)
			var got []string
			for _, d := range due {
				got = append(got, d.ID)
			}
			if diff := cmp.Diff([]string{"vr_1", "vr_2", "vr_3"}[:min(limit, 3)], got); diff != "" {
				t.Errorf("limit %d: %s", limit, diff)
			}
			return err
		})
	}
}
