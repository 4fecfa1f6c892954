package emulator_test

import (
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// ids collects the ids of a sequence.
func ids[T any](t *testing.T, all iter.Seq2[T, error], id func(T) string) (found []string) {
	t.Helper()
	for thing, err := range all {
		lab.NoError(t, err)
		found = append(found, id(thing))
	}
	return found
}

// The methods of a world handle do what the calls of the control plane do, on the same worlds.
func TestGoClock(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t)
	ctx := t.Context()
	lab.Read(t, c, "vr_lifecycle_timed")
	_, err := w.Advance(ctx, time.Hour)
	lab.NoError(t, err)
	lab.WantStates(t, c, "vr_lifecycle_timed", "processing")
	_, err = w.SetClock(ctx, lab.Epoch.Add(36*time.Hour))
	lab.NoError(t, err)
	now, err := w.Now(ctx)
	lab.Want(t, lab.Epoch.Add(36*time.Hour), now, err)
	_, err = w.SetClock(ctx, lab.Epoch)
	lab.WantRefusal(t, err, 409, "The clock shows 2025-01-16T21:30:00Z and does not go back: reset the world first")
	_, err = w.Advance(ctx, 0)
	lab.NoError(t, err)
	_, err = w.Advance(ctx, -time.Hour)
	lab.WantRefusal(t, err, 400, "A clock does not go back: advance it by a span of time such as 36h")
	_, err = w.Unfreeze(ctx)
	lab.NoError(t, err)
	lab.PlayScript(t, c, `GET clock → 200 frozen=false`)
	_, err = w.Freeze(ctx)
	lab.NoError(t, err)
	status, err := w.Status(ctx)
	lab.Want(t, true, status.Frozen, err)
	_, err = w.Reset(ctx)
	lab.NoError(t, err)
	lab.PlayScript(t, c, `
		GET clock → 200 {"now":"2025-01-15T09:30:00Z","frozen":true}
		GET /verification-requests/vr_lifecycle_timed → 200 state=pending-approval`)
}

func TestGoRename(t *testing.T) {
	t.Parallel()
	e, w, c := lab.InGo(t)
	status, err := w.Rename(t.Context(), "Payroll")
	lab.Want(t, "Payroll", status.Name, err)
	lab.PlayScript(t, c, `
		GET worlds → 200 items.0.name=Payroll items.0.last_used=`+status.Used.Truncate(time.Second).Format(time.RFC3339)+`
		POST reset → 200 name=Payroll
		PATCH worlds/`+status.ID+` {"name":null} → 200 name=null`)
	_, err = e.WorldByID("000000000000000000000000").Rename(t.Context(), "x")
	lab.WantRefusal(t, err, 404, `There is no world "000000000000000000000000"`)
}

func TestGoVerificationRequests(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t)
	ctx := t.Context()
	v, err := w.VerificationRequest(ctx, "vr_lifecycle")
	lab.Want(t, api.StatePendingApproval, v.Document.State, err)
	lab.WantStates(t, c, "vr_lifecycle", "pending-approval") // inspecting it is not a read
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted})
	lab.WantRefusal(t, err, 409, "The request cannot become completed: nothing is completed before it was processed: "+
		"put {state: processing} between (spec section 3); force it if that is meant")
	v, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: api.StateCompleted, Force: true})
	lab.Want(t, 1, len(v.Document.Reports), err)
	lab.WantStates(t, c, "vr_lifecycle", "completed")
	_, err = w.Move(ctx, "vr_lifecycle", emulator.Move{State: "done"})
	lab.WantRefusal(t, err, 400, `unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`)
	_, err = w.VerificationRequest(ctx, "vr_lifecicle")
	lab.WantRefusal(t, err, 404, `No verification request is "vr_lifecicle": did you mean vr_lifecycle?`)

	v, err = w.CreateVerificationRequest(ctx, "id: vr_mine\nscenario: lifecycle\nverification_request: {type: employment}\n")
	lab.Want(t, "vr_mine lifecycle employment", fmt.Sprint(v.ID, " ", v.Name, " ", v.Document.Type), err)
	_, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_id: "7"}, state: processing}`)
	lab.NoError(t, err)
	lab.PlayScript(t, c, `GET /verification-requests/vr_mine → 200 loan_id=7 state=processing`)
	_, err = w.CreateVerificationRequest(ctx, `{id: vr_mine}`)
	lab.WantRefusal(t, err, 409, "The id vr_mine is taken: choose another")
	_, err = w.CreateVerificationRequest(ctx, `{scenario: lifecicle}`)
	lab.WantRefusal(t, err, 404, `There is no scenario "lifecicle": did you mean lifecycle?`)
	_, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_ids: "7"}}`)
	lab.WantRefusal(t, err, 400, `The body is invalid: body:1:8: unknown field "loan_ids": did you mean loan_id?`)

	id := func(v emulator.Verification) string { return v.ID }
	lab.Want(t, []string{"vr_lifecycle", "vr_mine"}, ids(t, w.VerificationRequests(ctx), id), nil)
	lab.NoError(t, w.DeleteVerificationRequest(ctx, "vr_lifecycle"))
	lab.WantRefusal(t, w.DeleteVerificationRequest(ctx, "vr_lifecycle"), 404, `No verification request "vr_lifecycle" is stored in this world`)

	sessionID := lab.Create(t, c, lab.Session("000-12-3456")).ID
	made, err := w.CredentialsSession(ctx, sessionID)
	lab.Want(t, sessionID+" completed", fmt.Sprint(made.SessionID, " ", made.Document.State), err)
	_, err = w.CredentialsSession(ctx, made.ID)
	lab.WantRefusal(t, err, 404, `There is no credentials session "`+made.ID+`"`)
	sessions, err := w.ListCredentialsSessions(ctx, "", 2)
	lab.Want(t, 1, len(sessions), err)
}

func TestGoTenantPropertiesAndQualificationChecks(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t)
	ctx := t.Context()
	p, err := w.CreateTenantProperty(ctx, `{scenario: tenant-property, tenant_property: {set: {name: Quay}}}`)
	lab.Want(t, "Quay", p.Name, err)
	_, err = w.ChangeTenantProperty(ctx, "tp_default", `{set: {city: null}}`)
	lab.NoError(t, err)
	shown, err := w.TenantProperty(ctx, "tp_default")
	lab.Want(t, (*string)(nil), shown.City, err)
	lab.NoError(t, w.DeleteTenantProperty(ctx, "tp_default"))
	properties, err := w.ListTenantProperties(ctx, "", 2)
	lab.Want(t, []api.TenantProperty{p}, properties, err)

	q, err := w.CreateQualificationCheck(ctx, `{id: qc_mine, qualification_check: {rent: 1450.00}, reports: [{pay: {base: 12000.00}}]}`)
	lab.Want(t, api.OutcomeNotQualified, q.Result.Outcome, err)
	_, err = w.ChangeQualificationCheck(ctx, "qc_mine", `{set: {metadata: {unit: 4B}}}`)
	lab.NoError(t, err)
	q, err = w.QualificationCheck(ctx, "qc_mine")
	lab.Want(t, "4B", q.Metadata["unit"], err)
	body, err := api.Render(q)
	lab.Want(t, string(c.Get("/qualification-checks/qc_mine").Body), string(body), err)
	checks, err := w.ListQualificationChecks(ctx, "", 2)
	lab.Want(t, []api.QualificationCheck{q}, checks, err)
	lab.NoError(t, w.DeleteQualificationCheck(ctx, "qc_mine"))
	if _, err = w.QualificationCheck(ctx, "qc_mine"); err == nil {
		t.Error("a deleted check is shown")
	}
}

func TestGoFaults(t *testing.T) {
	t.Parallel()
	_, w, c := lab.InGo(t)
	ctx := t.Context()
	f, err := w.AddFault(ctx, `{on: get, respond: {status: 500, message: Out of order}, times: 2}`, emulator.Lasting(10*time.Minute))
	lab.Want(t, lab.Epoch.Add(10*time.Minute), *f.Expires, err)
	lab.PlayScript(t, c, `
		GET faults → 200 items.#=1 items.0.id=fault-1 items.0.in_words="every get, 2 times: 500 Internal Server Error"
		GET /verification-requests/vr_completed → 500 Out of order`)
	all, err := w.Faults(ctx)
	if err != nil || len(all) != 1 || all[0].Applied != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_completed → 500 Out of order
		GET /verification-requests/vr_completed → 200
		GET faults → 200 items.#=0`)
	_, err = w.AddFault(ctx, "outage-52")
	lab.WantRefusal(t, err, 400, `"outage-52" is neither a rule, such as {on: get, respond: {status: 500}}, nor a preset: did you mean outage-502?`)
	_, err = w.AddFault(ctx, "on: get\nrespond: {status: 200}\n")
	lab.WantRefusal(t, err, 400, "The rule is invalid: rule:2:19: status 200 needs a body, which may be none: write respond: {status: 200, body: none}, or leave status out for the answer of the call itself")
	lab.NoError(t, w.RemoveFault(ctx, f.ID))
	lab.WantRefusal(t, w.RemoveFault(ctx, f.ID), 404, `There is no fault "fault-1"`)
	_, err = w.AddFault(ctx, `{on: any, fault: empty}`)
	lab.NoError(t, err)
	lab.NoError(t, w.RemoveFaults(ctx))
	all, err = w.Faults(ctx)
	lab.Want(t, 0, len(all), err)
}

func TestGoWorlds(t *testing.T) {
	t.Parallel()
	e := lab.Launch(t)
	ctx := t.Context()
	const worlds = 150 // more than one page
	for i := range worlds {
		_, err := lab.WorldOf(t, e, fmt.Sprintf("svc_sk_test_suite_%04d", i)).Now(ctx)
		lab.NoError(t, err)
	}
	seen := make(map[string]bool)
	for status, err := range e.Worlds(ctx) {
		lab.NoError(t, err)
		seen[status.ID] = true
		if len(seen) == 1 {
			lab.NoError(t, e.WorldByID(status.ID).Delete(ctx))
			_, err := e.WorldByID(status.ID).Reset(ctx)
			lab.WantRefusal(t, err, 404, `There is no world "`+status.ID+`"`)
		}
	}
	lab.Want(t, worlds, len(seen), nil)
	for key, message := range map[string]string{ // contract 3
		"":                    "no world has this API key: the key is empty or undefined: is its variable set?",
		"svc_pk_test_a":       "no world has this API key: a publishable key is for the browser: send a secret sandbox key (our decision; the specification is silent)",
		"svc_sk_test_revoked": "no world has this API key: this magic key acts as a revoked key",
	} {
		if _, err := e.World(key); err == nil || err.Error() != message {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestGoScenariosAndJournal(t *testing.T) {
	t.Parallel()
	e, w, c := lab.InGo(t)
	ctx := t.Context()
	added, _, err := w.PutScenario(ctx, "mine", lab.OwnLifecycle)
	lab.Want(t, 1, len(added), err)
	all, own, err := w.Catalogue(ctx)
	lab.Want(t, e.Scenarios()+1, len(all.Names()), err)
	lab.Want(t, 1, len(own), err)
	get, err := http.NewRequest("GET", "/verification-requests/vr_mine?fields=state", nil)
	lab.NoError(t, err)
	for range 2 { // nothing moves
		result, err := e.Resolve(ctx, w, get)
		lab.Want(t, "getVerificationRequest 200 mine", fmt.Sprint(result.Operation, " ", result.Status, " ", result.Scenario), err)
	}
	put, err := http.NewRequest("PUT", "/verification-requests/vr_mine/cancel", strings.NewReader(`{"cancellation_reason":"why"}`))
	lab.NoError(t, err)
	result, err := e.Resolve(ctx, w, put)
	lab.Want(t, 400, result.Status, err)
	asked, err := w.Journal(ctx, journal.Filter{})
	lab.Want(t, 0, len(asked), err)
	lab.NoError(t, w.DeleteScenario(ctx, "mine"))
	lab.WantRefusal(t, w.DeleteScenario(ctx, "mine"), 404, `The world has no scenario of its own that is named "mine"`)

	lab.WantStates(t, c, "vr_completed", "completed", "completed")
	asked, err = w.Journal(ctx, journal.Filter{Path: "/verification-requests/*", Limit: 1})
	if err != nil || len(asked) != 1 || asked[0].Sequence != 2 || asked[0].Status != 200 {
		t.Errorf("%v: %+v", err, asked)
	}
	twice := journal.Expectation{Operation: "getVerificationRequest", Times: journal.Times{Exactly: new(2)}}
	_, err = w.Verify(ctx, twice)
	lab.NoError(t, err)
	lab.NoError(t, w.ClearJournal(ctx))
	if _, err := w.Verify(ctx, twice); err == nil || err.Error() != "No request matched getVerificationRequest; expected exactly 2. The journal of this world has no other request" {
		t.Error(err)
	}
}

func TestGoSnapshot(t *testing.T) {
	t.Parallel()
	e, w, c := lab.InGo(t)
	c = c.Without(apitest.SSN)
	lab.Lively(t, c)
	ctx := t.Context()
	taken, err := w.Snapshot(ctx)
	lab.Want(t, string(c.Get(lab.Control+"snapshot").Body), string(taken), err)
	_, err = w.Advance(ctx, time.Hour)
	lab.NoError(t, err)
	other := lab.WorldOf(t, e, "svc_sk_test_other_one")
	for _, at := range []*emulator.World{w, other} {
		_, err := at.Restore(ctx, taken)
		lab.NoError(t, err)
		second, err := at.Snapshot(ctx)
		lab.Want(t, string(taken), string(second), err)
	}
	spaced := strings.ReplaceAll(string(taken), "\n", "\n\n ")
	_, err = other.Restore(ctx, []byte(spaced))
	lab.NoError(t, err)
	if _, err := other.Restore(ctx, taken[:100]); err == nil || !strings.Contains(err.Error(), "400 The snapshot is refused, and nothing is changed: ") {
		t.Error(err)
	}
}
