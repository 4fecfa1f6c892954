package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

func TestEveryStateHasAnIDThatStaysInIt(t *testing.T) {
	t.Parallel()
	c := start(t)
	for id, state := range map[string]api.State{
		"vr_pending_approval": "pending-approval",
		"vr_action_required":  "action-required",
		"vr_processing":       "processing",
		"vr_completed":        "completed",
		"vr_invalid":          "invalid",
		"vr_canceled":         "canceled",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			first := c.Get("/verification-requests/" + id)
			for range 3 {
				if again := c.Get("/verification-requests/" + id); string(again.Body) != string(first.Body) {
					t.Fatalf("a later read differs:\n%s\n%s", first.Body, again.Body)
				}
			}
			v := read(t, c, id)
			if v.ID != id || v.State != state {
				t.Errorf("id %s, state %s", v.ID, v.State)
			}
			if completed := state == "completed"; completed != (v.Reports != nil) || completed != (v.DateOfCompletion != nil) {
				t.Errorf("spec 3: reports %d and completion %v in state %s", len(v.Reports), v.DateOfCompletion, state)
			}
			if canceled := state == "canceled"; canceled != (v.CancellationReason != nil) || canceled != (v.CancellationDetails != nil) {
				t.Errorf("spec 2.2: cancellation reason and details only when canceled, state %s", state)
			}
		})
	}
}

func TestACompletedRequestHasAFullReport(t *testing.T) {
	t.Parallel()
	v := read(t, start(t), "vr_completed")
	if len(v.Reports) != 1 {
		t.Fatalf("%d reports", len(v.Reports))
	}
	r := v.Reports[0]
	if len(r.Paystubs) != 26 || len(r.Employee.Earnings) < 2 || r.Employee.Salary == nil || r.PaidThroughDate == nil {
		t.Errorf("%d paystubs, %d years of earnings, salary %v, paid through %v", len(r.Paystubs), len(r.Employee.Earnings), r.Employee.Salary, r.PaidThroughDate)
	}
	if r.Employee.Status != "active" || r.IncomeAnalytics != nil {
		t.Errorf("status %s, analytics %v though nobody asked for them", r.Employee.Status, r.IncomeAnalytics)
	}
	if r.Employee.FirstName != v.Target.FirstName || r.Employee.LastName != v.Target.LastName || *r.Employee.SocialSecurityNumber != *v.Target.SocialSecurityNumber {
		t.Errorf("target %v and employee %v are two people", v.Target, r.Employee)
	}
}

func TestEveryTypeHasAnID(t *testing.T) {
	t.Parallel()
	c := start(t)
	for id, tt := range map[string]struct {
		typ               api.VerificationType
		paid, paidThrough bool
	}{
		"vr_employment_income": {"employment-income", true, true},
		"vr_employment":        {"employment", false, false},
		"vr_tenant_screening":  {"tenant-screening", true, false},
		"vr_assets":            {"assets", false, false},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			v := read(t, c, id)
			if v.State != "completed" || v.Type != tt.typ || len(v.Reports) != 1 {
				t.Fatalf("state %s, type %s, %d reports", v.State, v.Type, len(v.Reports))
			}
			r := v.Reports[0]
			if tt.paid != (r.Employee.Salary != nil) || tt.paid != (r.Employee.Earnings != nil) || tt.paid != (r.Paystubs != nil) {
				t.Errorf("salary %v, earnings %v, %d paystubs; want them: %t", r.Employee.Salary, r.Employee.Earnings, len(r.Paystubs), tt.paid)
			}
			if tt.paidThrough != (r.PaidThroughDate != nil) {
				t.Errorf("spec 2.3: paid_through_date %v; want it: %t", r.PaidThroughDate, tt.paidThrough)
			}
		})
	}
}

func TestFieldsIncludesTheNamedTopLevelKeysOnly(t *testing.T) {
	t.Parallel()
	c := start(t)
	for query, want := range map[string]string{
		"fields=id,state":      `{"id":"vr_completed","state":"completed"}`,
		"fields=state,id":      `{"id":"vr_completed","state":"completed"}`,
		"fields=metadata,nick": `{"metadata":null}`,
		"fields=nick":          `{}`,
	} {
		r := c.Get("/verification-requests/vr_completed?" + query)
		wantStatus(t, r, 200, "")
		if string(r.Body) != want {
			t.Errorf("%s: %s, want %s", query, r.Body, want)
		}
		if strings.Contains(query, "nick") {
			wantDiagnosis(t, r, `unknown name "nick"`)
		}
	}
	whole := c.Get("/verification-requests/vr_completed")
	if all := c.Get("/verification-requests/vr_completed?fields="); string(all.Body) != string(whole.Body) {
		t.Error("an empty fields does not include all")
	}
	named := strings.Join(api.VerificationRequestFields(), ",")
	if all := c.Get("/verification-requests/vr_completed?fields=" + named); string(all.Body) != string(whole.Body) {
		t.Errorf("all fields by name are %s", all.Body)
	}
}

func TestIncomeAnalyticsAreComputedOnDemandForActiveEmployees(t *testing.T) {
	t.Parallel()
	c := start(t)
	for query, want := range map[string]bool{
		"": false, "?income_analytics=false": false, "?income_analytics=0": false,
		"?income_analytics=true": true, "?income_analytics=True": true, "?income_analytics=1": true,
	} {
		var v api.VerificationRequest
		c.Get("/verification-requests/vr_completed" + query).JSON(&v)
		if got := v.Reports[0].IncomeAnalytics != nil; got != want {
			t.Errorf("%q: analytics %t, want %t", query, got, want)
		}
	}
	wantStatus(t, c.Get("/verification-requests/vr_completed?income_analytics=maybe"), 400, "Invalid field values provided")
	var v api.VerificationRequest
	c.Get("/verification-requests/vr_processing?income_analytics=true").JSON(&v)
	if v.Reports != nil {
		t.Error("spec 3: a report is available only when the request is completed")
	}
}

func TestAnOldReportGrowsStaleAsTheClockMoves(t *testing.T) {
	t.Parallel()
	now := epoch
	c := start(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return now }}))
	var before, after api.VerificationRequest
	c.Get("/verification-requests/vr_completed?income_analytics=true").JSON(&before)
	now = now.AddDate(0, 0, 61)
	c.Get("/verification-requests/vr_completed?income_analytics=true").JSON(&after)
	if before.Reports[0].IncomeAnalytics.AnnualizedIncome.StaleDataWarning {
		t.Error("a new report is stale")
	}
	if !after.Reports[0].IncomeAnalytics.AnnualizedIncome.StaleDataWarning {
		t.Error("a report of 61 days ago is not stale")
	}
	if before.Created != after.Created {
		t.Errorf("the request's creation moved from %v to %v", before.Created, after.Created)
	}
}

func TestCancelEndsARequestThatIsNotTerminal(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"vr_pending_approval", "vr_action_required", "vr_processing", "vr_lifecycle"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			var canceled api.VerificationRequest
			r := c.Put("/verification-requests/"+id+"/cancel", `{"cancellation_reason":"competitor","cancellation_details":"found <one> & took it"}`)
			wantStatus(t, r, 200, "")
			r.JSON(&canceled)
			after := read(t, c, id)
			for _, v := range []api.VerificationRequest{canceled, after} {
				if v.State != "canceled" || v.CancellationReason == nil || *v.CancellationReason != "competitor" ||
					v.CancellationDetails == nil || *v.CancellationDetails != "found <one> & took it" || v.DateOfCompletion != nil {
					t.Errorf("spec 3: reason and details are recorded and returned, got %+v", v)
				}
			}
			if canceled.Created != after.Created {
				t.Errorf("created differs: %v, %v", canceled.Created, after.Created)
			}
		})
	}
}

func TestCancelTakesEveryReasonOfTheSpecAndNoOther(t *testing.T) {
	t.Parallel()
	for reason, status := range map[string]int{
		"immediate": 200, "high-turnaround-time": 200, "competitor": 200, "wrong-info": 200, "other": 200,
		"no-match": 400, "": 400, "Other": 400, "OTHER": 400, "because": 400,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			r := start(t).Put("/verification-requests/vr_processing/cancel", fmt.Sprintf(`{"cancellation_reason":%q}`, reason))
			wantStatus(t, r, status, "Invalid field values provided")
		})
	}
}

func TestCancellationDetailsMayBeBlankNullOrAbsent(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]*string{
		`{"cancellation_reason":"other","cancellation_details":""}`:   new(""),
		`{"cancellation_reason":"other","cancellation_details":null}`: nil,
		`{"cancellation_reason":"other"}`:                             nil,
	} {
		var v api.VerificationRequest
		c := start(t)
		c.Put("/verification-requests/vr_processing/cancel", body).JSON(&v)
		if diff := cmp.Diff(want, v.CancellationDetails); diff != "" {
			t.Errorf("%s: %s", body, diff)
		}
	}
}

func TestCancelingATerminalRequestIs400AndChangesNothing(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Put("/verification-requests/vr_processing/cancel", `{"cancellation_reason":"immediate"}`), 200, "")
	for _, id := range []string{"vr_completed", "vr_invalid", "vr_canceled", "vr_processing"} {
		t.Run(id, func(t *testing.T) {
			before := c.Get("/verification-requests/" + id)
			r := c.Put("/verification-requests/"+id+"/cancel", cancelOther)
			wantStatus(t, r, 400, "Verification request is already in a terminal state")
			if after := c.Get("/verification-requests/" + id); string(before.Body) != string(after.Body) {
				t.Errorf("the refused cancel changed\n%s\nto\n%s", before.Body, after.Body)
			}
		})
	}
}

func TestAnUnknownVerificationRequestIs400(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Get("/verification-requests/vr_nothing"), 400, "Verification not found")
	wantStatus(t, c.Put("/verification-requests/vr_nothing/cancel", cancelOther), 400, "Verification not found")
}

func TestALifecycleMovesOneStateARead(t *testing.T) {
	t.Parallel()
	for id, want := range map[string][]api.State{
		"vr_lifecycle":        {"pending-approval", "processing", "completed", "completed", "completed"},
		"vr_target_approval":  {"processing", "pending-approval", "processing", "completed", "completed"},
		"vr_service_canceled": {"processing", "canceled", "canceled", "canceled", "canceled"},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, states(t, start(t), id, len(want))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheServiceSaysWhyItCanceled(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_service_canceled")
	if v := read(t, c, "vr_service_canceled"); v.CancellationReason == nil || v.CancellationDetails == nil || v.DateOfCompletion != nil {
		t.Errorf("reason %v, details %v, completed %v", v.CancellationReason, v.CancellationDetails, v.DateOfCompletion)
	}
}

func TestTheTimedLifecycleMovesOnTheWorldsClock(t *testing.T) {
	t.Parallel()
	now := epoch
	c := start(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return now }}))
	for _, tt := range []struct {
		after time.Duration
		state api.State
	}{
		{0, "pending-approval"},
		{time.Hour - time.Nanosecond, "pending-approval"},
		{time.Hour, "processing"},
		{24*time.Hour - time.Nanosecond, "processing"},
		{24 * time.Hour, "completed"},
		{240 * time.Hour, "completed"},
	} {
		now = epoch.Add(tt.after)
		for range 3 {
			if v := read(t, c, "vr_lifecycle_timed"); v.State != tt.state || v.Created.Time != epoch {
				t.Fatalf("after %v: %s, created %v", tt.after, v.State, v.Created)
			}
		}
	}
	if v := read(t, c, "vr_lifecycle_timed"); v.DateOfCompletion.Time != epoch.Add(24*time.Hour) || v.Reports[0].CurrentAsOf != api.DateOf(epoch.Add(24*time.Hour)) {
		t.Errorf("looked at after 10 days, it completed at %v with a report of %v", v.DateOfCompletion, v.Reports[0].CurrentAsOf)
	}
}

func TestATimedRequestThatNobodyLookedAtHasMovedAllTheSame(t *testing.T) {
	t.Parallel()
	now := epoch
	c := start(t, emulator.WithClock(emulator.Clock{Wall: func() time.Time { return now }}))
	read(t, c, "vr_lifecycle_timed")
	now = epoch.AddDate(0, 0, 2)
	wantStatus(t, c.Put("/verification-requests/vr_lifecycle_timed/cancel", cancelOther), 400, "Verification request is already in a terminal state")
	if v := read(t, c, "vr_lifecycle_timed"); v.State != api.StateCompleted {
		t.Errorf("it is %s", v.State)
	}
}

func TestUnderAFrozenClockATimedRequestStandsStill(t *testing.T) {
	t.Parallel()
	c := start(t)
	for range 3 {
		if v := read(t, c, "vr_lifecycle_timed"); v.State != api.StatePendingApproval {
			t.Errorf("it is %s", v.State)
		}
	}
	wantStatus(t, c.Put("/verification-requests/vr_lifecycle_timed/cancel", cancelOther), 200, "")
}

func TestARefusedReadDoesNotMoveTheLifecycle(t *testing.T) {
	t.Parallel()
	c := start(t)
	for range 3 {
		c.With("Accept", "application/json; version=1999-01-01").Get("/verification-requests/vr_lifecycle")
		c.Get("/verification-requests/vr_lifecycle?income_analytics=maybe")
		c.Put("/verification-requests/vr_lifecycle/cancel", `{}`)
	}
	if state := read(t, c, "vr_lifecycle").State; state != "pending-approval" {
		t.Errorf("the first read shows %s", state)
	}
}

func TestACanceledLifecycleStaysCanceled(t *testing.T) {
	t.Parallel()
	c := start(t)
	read(t, c, "vr_lifecycle")
	wantStatus(t, c.Put("/verification-requests/vr_lifecycle/cancel", cancelOther), 200, "")
	for range 3 {
		if state := read(t, c, "vr_lifecycle").State; state != "canceled" {
			t.Errorf("spec 3: canceled is terminal, a read shows %s", state)
		}
	}
}

func TestACompletedLifecycleCannotBeCanceled(t *testing.T) {
	t.Parallel()
	c := start(t)
	for range 3 {
		read(t, c, "vr_lifecycle")
	}
	wantStatus(t, c.Put("/verification-requests/vr_lifecycle/cancel", cancelOther), 400, "Verification request is already in a terminal state")
}

func TestParallelCancelsSucceedExactlyOnce(t *testing.T) {
	t.Parallel()
	c := start(t)
	got := inParallel(32, func() int { return c.Put("/verification-requests/vr_processing/cancel", cancelOther).Status })
	if diff := cmp.Diff(map[int]int{200: 1, 400: 31}, got); diff != "" {
		t.Error(diff)
	}
}
