package world_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

const moving = `
name: a
title: a
magic: {verification_request: a}
verification_request:
  timeline:
    - state: pending-approval
    - {state: processing, after: {reads: 1}}
    - {state: completed, after: {elapsed: 2h}}
`

// places shows a timeline as PLACE STATE @MINUTES, the minutes from epoch.
func places(v world.Verification) string {
	var all []string
	for _, s := range v.Timeline() {
		text := fmt.Sprint(s.Place, " ", s.State)
		if s.At != nil {
			text += fmt.Sprint(" @", int(s.At.Sub(epoch)/time.Minute))
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func TestATimelineIsSeenFromWhereTheRequestStands(t *testing.T) {
	t.Parallel()
	w := open(t, moving)
	inspect := func() world.Verification {
		t.Helper()
		v, err := w.Inspect(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := inspect(); v.Remembered || places(v) != "present pending-approval @0, next processing, ahead completed" {
		t.Errorf("untouched: %s, remembered: %t", places(v), v.Remembered)
	}
	read(t, w, "a")
	read(t, w, "a")
	if v := inspect(); !v.Remembered || places(v) != "past pending-approval @0, present processing @0, next completed @120" {
		t.Errorf("read twice: %s, remembered: %t", places(v), v.Remembered)
	}
	canceled, err := w.Move(t.Context(), "a", world.Move{State: api.StateCanceled})
	if err != nil {
		t.Fatal(err)
	}
	if got := places(canceled); got != "past pending-approval @0, past processing @0, ahead completed" {
		t.Errorf("canceled, which is no step: %s", got)
	}
}

func TestAnAnalyzedRequestIsWhatReadOneShowsWithAnalytics(t *testing.T) {
	t.Parallel()
	w := open(t, "name: a\ntitle: a\nmagic: {verification_request: a}\nverification_request: {timeline: [{state: completed}]}\nreports: [{pay: {paystubs: 4}}]\n")
	v, err := w.Inspect(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	body, err := w.VerificationRequest(t.Context(), "a", true)
	if err != nil {
		t.Fatal(err)
	}
	var shown api.VerificationRequest
	if err := json.Unmarshal(body, &shown); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(shown, v.Analyzed()); diff != "" {
		t.Errorf("read-one shows (-), analyzed (+):\n%s", diff)
	}
	if v.Document.Reports[0].IncomeAnalytics != nil {
		t.Error("the document has analytics now, which nobody asked for")
	}
}
