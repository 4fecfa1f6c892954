package emulator_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// want checks the result of a method that must not fail.
func want[T any](t *testing.T, want T, got T, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

// ids collects the ids of a sequence.
func ids[T any](t *testing.T, all iter.Seq2[T, error], id func(T) string) (found []string) {
	t.Helper()
	for thing, err := range all {
		noError(t, err)
		found = append(found, id(thing))
	}
	return found
}

// The methods of a world handle do what the calls of the control plane do, on the same worlds.
func TestGoClock(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t)
	ctx := t.Context()
	read(t, c, "vr_lifecycle_timed")
	_, err := w.Advance(ctx, time.Hour)
	noError(t, err)
	wantStates(t, c, "vr_lifecycle_timed", "processing")
	_, err = w.SetClock(ctx, epoch.Add(36*time.Hour))
	noError(t, err)
	now, err := w.Now(ctx)
	want(t, epoch.Add(36*time.Hour), now, err)
	_, err = w.SetClock(ctx, epoch)
	wantRefusal(t, err, 409, "The clock shows 2025-01-16T21:30:00Z and does not go back: reset the world first")
	_, err = w.Advance(ctx, 0)
	noError(t, err)
	_, err = w.Advance(ctx, -time.Hour)
	wantRefusal(t, err, 400, "A clock does not go back: advance it by a span of time such as 36h")
	_, err = w.Unfreeze(ctx)
	noError(t, err)
	playScript(t, c, `GET clock → 200 frozen=false`)
	_, err = w.Freeze(ctx)
	noError(t, err)
	status, err := w.Status(ctx)
	want(t, true, status.Frozen, err)
	_, err = w.Reset(ctx)
	noError(t, err)
	playScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":true}
		GET /verification-requests/vr_lifecycle_timed → 200 state=pending-approval`)
}

func TestGoRename(t *testing.T) {
	t.Parallel()
	e, w, c := inGo(t)
	status, err := w.Rename(t.Context(), "Payroll")
	want(t, "Payroll", status.Name, err)
	playScript(t, c, `
		GET worlds → 200 items.0.name=Payroll items.0.last_used=`+status.Used.Truncate(time.Second).Format(time.RFC3339)+`
		POST reset → 200 name=Payroll
		PATCH worlds/`+status.ID+` {"name":null} → 200 name=null`)
	_, err = e.WorldByID("000000000000000000000000").Rename(t.Context(), "x")
	wantRefusal(t, err, 404, `There is no world "000000000000000000000000"`)
}

func TestGoVerificationRequests(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t)
	ctx := t.Context()
	v, err := w.VerificationRequest(ctx, "vr_lifecycle")
	want(t, api.StatePendingApproval, v.Document.State, err)
	wantStates(t, c, "vr_lifecycle", "pending-approval") // inspecting it is not a read
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted})
	wantRefusal(t, err, 409, "The request cannot become completed: nothing is completed before it was processed: "+
		"put {state: processing} between (spec section 3); force it if that is meant")
	v, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted, Force: true})
	want(t, 1, len(v.Document.Reports), err)
	wantStates(t, c, "vr_lifecycle", "completed")
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: "done"})
	wantRefusal(t, err, 400, `unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`)
	_, err = w.VerificationRequest(ctx, "vr_lifecicle")
	wantRefusal(t, err, 404, `No verification request is "vr_lifecicle": did you mean vr_lifecycle?`)

	v, err = w.CreateVerificationRequest(ctx, "id: vr_mine\nscenario: lifecycle\nverification_request: {type: employment}\n")
	want(t, "vr_mine lifecycle employment", fmt.Sprint(v.ID, " ", v.Name, " ", v.Document.Type), err)
	_, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_id: "7"}, state: processing}`)
	noError(t, err)
	playScript(t, c, `GET /verification-requests/vr_mine → 200 loan_id=7 state=processing`)
	_, err = w.CreateVerificationRequest(ctx, `{id: vr_mine}`)
	wantRefusal(t, err, 409, "The id vr_mine is taken: choose another")
	_, err = w.CreateVerificationRequest(ctx, `{scenario: lifecicle}`)
	wantRefusal(t, err, 404, `There is no scenario "lifecicle": did you mean lifecycle?`)
	_, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_ids: "7"}}`)
	wantRefusal(t, err, 400, `The body is invalid: body:1:8: unknown field "loan_ids": did you mean loan_id?`)

	id := func(v emulator.Verification) string { return v.ID }
	want(t, []string{"vr_lifecycle", "vr_mine"}, ids(t, w.VerificationRequests(ctx), id), nil)
	noError(t, w.DeleteVerificationRequest(ctx, "vr_lifecycle"))
	wantRefusal(t, w.DeleteVerificationRequest(ctx, "vr_lifecycle"), 404, `No verification request "vr_lifecycle" is stored in this world`)

	sessionID := create(t, c, session("000-12-3456")).ID
	made, err := w.CredentialsSession(ctx, sessionID)
	want(t, sessionID+" completed", fmt.Sprint(made.SessionID, " ", made.Document.State), err)
	_, err = w.CredentialsSession(ctx, made.ID)
	wantRefusal(t, err, 404, `There is no credentials session "`+made.ID+`"`)
	sessions, err := w.ListCredentialsSessions(ctx, "", 2)
	want(t, 1, len(sessions), err)
}

func TestGoTenantPropertiesAndQualificationChecks(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t)
	ctx := t.Context()
	p, err := w.CreateTenantProperty(ctx, `{scenario: tenant-property, tenant_property: {set: {name: Quay}}}`)
	want(t, "Quay", p.Name, err)
	_, err = w.ChangeTenantProperty(ctx, "tp_default", `{set: {city: null}}`)
	noError(t, err)
	shown, err := w.TenantProperty(ctx, "tp_default")
	want(t, (*string)(nil), shown.City, err)
	noError(t, w.DeleteTenantProperty(ctx, "tp_default"))
	properties, err := w.ListTenantProperties(ctx, "", 2)
	want(t, []api.TenantProperty{p}, properties, err)

	q, err := w.CreateQualificationCheck(ctx, `{id: qc_mine, qualification_check: {rent: 1450.00}, reports: [{pay: {base: 12000.00}}]}`)
	want(t, api.OutcomeNotQualified, q.Result.Outcome, err)
	_, err = w.ChangeQualificationCheck(ctx, "qc_mine", `{set: {metadata: {unit: 4B}}}`)
	noError(t, err)
	q, err = w.QualificationCheck(ctx, "qc_mine")
	want(t, "4B", q.Metadata["unit"], err)
	body, err := api.Render(q)
	want(t, string(c.Get("/qualification-checks/qc_mine").Body), string(body), err)
	checks, err := w.ListQualificationChecks(ctx, "", 2)
	want(t, []api.QualificationCheck{q}, checks, err)
	noError(t, w.DeleteQualificationCheck(ctx, "qc_mine"))
	if _, err = w.QualificationCheck(ctx, "qc_mine"); err == nil {
		t.Error("a deleted check is shown")
	}
}

func TestGoFaults(t *testing.T) {
	t.Parallel()
	_, w, c := inGo(t)
	ctx := t.Context()
	f, err := w.AddFault(ctx, `{on: get, respond: {status: 500, message: Out of order}, times: 2}`, emulator.Lasting(10*time.Minute))
	want(t, epoch.Add(10*time.Minute), *f.Expires, err)
	playScript(t, c, `
		GET faults → 200 items.#=1 items.0.id=fault-1 items.0.in_words="every get, 2 times: 500 Internal Server Error"
		GET /verification-requests/vr_completed → 500 Out of order`)
	all, err := w.Faults(ctx)
	if err != nil || len(all) != 1 || all[0].Applied != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	playScript(t, c, `
		GET /verification-requests/vr_completed → 500 Out of order
		GET /verification-requests/vr_completed → 200
		GET faults → 200 items.#=0`)
	_, err = w.AddFault(ctx, "outage-52")
	wantRefusal(t, err, 400, `"outage-52" is neither a rule, such as {on: get, respond: {status: 500}}, nor a preset: did you mean outage-502?`)
	_, err = w.AddFault(ctx, "on: get\nrespond: {status: 200}\n")
	wantRefusal(t, err, 400, "The rule is invalid: rule:2:19: status 200 needs a body, which may be none: write respond: {status: 200, body: none}, or leave status out for the answer of the call itself")
	noError(t, w.RemoveFault(ctx, f.ID))
	wantRefusal(t, w.RemoveFault(ctx, f.ID), 404, `There is no fault "fault-1"`)
	_, err = w.AddFault(ctx, `{on: any, fault: empty}`)
	noError(t, err)
	noError(t, w.RemoveFaults(ctx))
	all, err = w.Faults(ctx)
	want(t, 0, len(all), err)
}

func TestGoWorlds(t *testing.T) {
	t.Parallel()
	e := launch(t)
	ctx := t.Context()
	const worlds = 150 // more than one page
	for i := range worlds {
		_, err := worldOf(t, e, fmt.Sprintf("svc_sk_test_suite_%04d", i)).Now(ctx)
		noError(t, err)
	}
	seen := make(map[string]bool)
	for status, err := range e.Worlds(ctx) {
		noError(t, err)
		seen[status.ID] = true
		if len(seen) == 1 {
			noError(t, e.WorldByID(status.ID).Delete(ctx))
			_, err := e.WorldByID(status.ID).Reset(ctx)
			wantRefusal(t, err, 404, `There is no world "`+status.ID+`"`)
		}
	}
	want(t, worlds, len(seen), nil)
	for key, message := range map[string]string{ // contract 3
		"":                    "no world has this API key: the key is empty or undefined: is its variable set?",
		"svc_pk_test_a":       "no world has this API key: a publishable key is for the browser: send a secret sandbox key",
		"svc_sk_test_revoked": "no world has this API key: this magic key acts as a revoked key",
	} {
		if _, err := e.World(key); err == nil || err.Error() != message {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestGoScenariosAndJournal(t *testing.T) {
	t.Parallel()
	e, w, c := inGo(t)
	ctx := t.Context()
	added, _, err := w.PutScenario(ctx, "mine", ownLifecycle)
	want(t, 1, len(added), err)
	all, own, err := w.Catalogue(ctx)
	want(t, e.Scenarios()+1, all.Len(), err)
	want(t, 1, len(own), err)
	get, err := http.NewRequest("GET", "/verification-requests/vr_mine?fields=state", nil)
	noError(t, err)
	for range 2 { // nothing moves
		result, err := e.Resolve(ctx, w, get)
		want(t, "getVerificationRequest 200 mine", fmt.Sprint(result.Operation, " ", result.Status, " ", result.Scenario), err)
	}
	put, err := http.NewRequest("PUT", "/verification-requests/vr_mine/cancel", strings.NewReader(`{"cancellation_reason":"why"}`))
	noError(t, err)
	result, err := e.Resolve(ctx, w, put)
	want(t, 400, result.Status, err)
	asked, err := w.Journal(ctx, journal.Filter{})
	want(t, 0, len(asked), err)
	noError(t, w.DeleteScenario(ctx, "mine"))
	wantRefusal(t, w.DeleteScenario(ctx, "mine"), 404, `The world has no scenario of its own that is named "mine"`)

	wantStates(t, c, "vr_completed", "completed", "completed")
	asked, err = w.Journal(ctx, journal.Filter{Path: "/verification-requests/*", Limit: 1})
	if err != nil || len(asked) != 1 || asked[0].Sequence != 2 || asked[0].Status != 200 {
		t.Errorf("%v: %+v", err, asked)
	}
	twice := journal.Expectation{Operation: "getVerificationRequest", Times: journal.Times{Exactly: new(2)}}
	_, err = w.Verify(ctx, twice)
	noError(t, err)
	noError(t, w.ClearJournal(ctx))
	if _, err := w.Verify(ctx, twice); err == nil || err.Error() != "No request matched getVerificationRequest; expected exactly 2. The journal of this world has no other request" {
		t.Error(err)
	}
}

func TestGoSnapshot(t *testing.T) {
	t.Parallel()
	e, w, c := inGo(t)
	c = c.Without(apitest.SSN)
	lively(t, c)
	ctx := t.Context()
	taken, err := w.Snapshot(ctx)
	want(t, string(c.Get(control+"snapshot").Body), string(taken), err)
	_, err = w.Advance(ctx, time.Hour)
	noError(t, err)
	other := worldOf(t, e, "svc_sk_test_other_one")
	for _, at := range []*emulator.World{w, other} {
		_, err := at.Restore(ctx, taken)
		noError(t, err)
		second, err := at.Snapshot(ctx)
		want(t, string(taken), string(second), err)
	}
	var indented any
	noError(t, json.Unmarshal(taken, &indented))
	text, err := json.MarshalIndent(indented, "", "\t") // with its keys in another order
	noError(t, err)
	_, err = other.Restore(ctx, text)
	noError(t, err)
	if _, err := other.Restore(ctx, taken[:100]); err == nil || !strings.Contains(err.Error(), "400 The snapshot is refused, and nothing is changed: ") {
		t.Error(err)
	}
}
