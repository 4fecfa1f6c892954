package emulator_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Contract 9: methods for what the control plane does.
func TestVerificationRequestsAreCreatedAndChangedInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	v, err := w.CreateVerificationRequest(ctx, "id: vr_mine\nscenario: lifecycle\nverification_request: {type: employment}\n")
	noError(t, err)
	if v.ID != "vr_mine" || v.Name != "lifecycle" || v.Document.Type != api.TypeEmployment {
		t.Errorf("%+v", v)
	}
	v, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_id: "7"}, state: processing}`)
	noError(t, err)
	if shown := read(t, c, "vr_mine"); *shown.LoanID != "7" || shown.State != api.StateProcessing {
		t.Errorf("%+v", shown)
	}
	_, err = w.CreateVerificationRequest(ctx, `{id: vr_mine}`)
	wantRefusal(t, err, 409, "The id vr_mine is taken: choose another")
	_, err = w.CreateVerificationRequest(ctx, `{scenario: lifecicle}`)
	wantRefusal(t, err, 404, `There is no scenario "lifecicle": did you mean lifecycle?`)
	_, err = w.ChangeVerificationRequest(ctx, "vr_mine", `{set: {loan_ids: "7"}}`)
	wantRefusal(t, err, 400, `The body is not right: body:1:8: unknown field "loan_ids": did you mean loan_id?`)

	sessionID := create(t, c, session("000-12-3456")).ID
	made, err := w.CredentialsSession(ctx, sessionID)
	noError(t, err)
	if made.Document.State != api.StateCompleted || made.SessionID != sessionID {
		t.Errorf("%+v", made)
	}
	_, err = w.CredentialsSession(ctx, made.ID)
	wantRefusal(t, err, 404, `There is no credentials session "`+made.ID+`"`)
	var sessions []emulator.Verification
	noError(t, w.Do(ctx, func(w *world.World) (err error) {
		sessions, err = w.Sessions("", 2)
		return err
	}))
	if len(sessions) != 1 || sessions[0].SessionID != sessionID {
		t.Errorf("%+v", sessions)
	}
}

func TestTenantPropertiesAndChecksAreSteeredInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	p, err := w.CreateTenantProperty(ctx, `{scenario: tenant-property, tenant_property: {set: {name: Quay}}}`)
	noError(t, err)
	noError(t, w.Do(ctx, func(w *world.World) error {
		_, err := w.ChangeTenantProperty("tp_default", []byte(`{set: {city: null}}`))
		return err
	}))
	if shown, err := w.TenantProperty(ctx, "tp_default"); err != nil || shown.City != nil || p.Name != "Quay" {
		t.Errorf("%+v, %v", shown, err)
	}
	var properties []api.TenantProperty
	noError(t, w.Do(ctx, func(w *world.World) (err error) {
		forgotten := w.Forget(scenarios.TenantPropertyID, "tp_default")
		properties, err = w.TenantProperties("", 2)
		return errors.Join(forgotten, err)
	}))
	if len(properties) != 1 || properties[0].ID != p.ID {
		t.Errorf("%+v", properties)
	}

	q, err := w.CreateQualificationCheck(ctx, `{id: qc_mine, qualification_check: {rent: 1450.00}, reports: [{pay: {base: 12000.00}}]}`)
	noError(t, err)
	if q.Result.Outcome != api.OutcomeNotQualified {
		t.Errorf("%+v", q.Result)
	}
	var shown api.QualificationCheck
	var checks []api.QualificationCheck
	noError(t, w.Do(ctx, func(w *world.World) (err error) {
		shown, err = w.ChangeQualification("qc_mine", []byte(`{set: {metadata: {unit: 4B}}}`))
		if err == nil {
			checks, err = w.QualificationChecks("", 2)
		}
		return err
	}))
	body, err := api.Render(shown)
	noError(t, err)
	if served := c.Get("/qualification-checks/qc_mine"); string(served.Body) != string(body) || shown.Metadata["unit"] != "4B" {
		t.Errorf("served is %s, shown %s", served.Body, body)
	}
	if len(checks) != 1 || checks[0].ID != "qc_mine" {
		t.Errorf("%+v", checks)
	}
	noError(t, w.Do(ctx, func(w *world.World) error { return w.Forget(scenarios.QualificationCheckID, "qc_mine") }))
	wantStatus(t, c.Get("/qualification-checks/qc_mine"), 404, "Qualification check not found")
}

func TestScenariosArePutAndTriedInGo(t *testing.T) {
	t.Parallel()
	e, _ := inGo(t)
	w, ctx := worldOf(t, e, key), t.Context()
	_, err := w.PutScenarios(ctx, "mine", ownLifecycle)
	noError(t, err)
	own, all := 0, 0
	noError(t, w.Do(ctx, func(w *world.World) error {
		own, all = len(w.OwnScenarios()), w.Catalogue().Len()
		return nil
	}))
	if own != 1 || all != e.Scenarios()+1 {
		t.Errorf("%d own scenarios of %d", own, all)
	}
	r, err := http.NewRequest("GET", "/verification-requests/vr_mine?fields=state", nil)
	noError(t, err)
	for range 2 { // nothing moves
		told, err := w.Resolve(ctx, r)
		if err != nil || told.Operation != "getVerificationRequest" || told.Status != 200 || told.Scenario != "mine" {
			t.Errorf("%+v, %v", told, err)
		}
	}
	r, err = http.NewRequest("PUT", "/verification-requests/vr_mine/cancel", strings.NewReader(`{"cancellation_reason":"why"}`))
	noError(t, err)
	if told, err := w.Resolve(ctx, r); err != nil || told.Status != 400 {
		t.Errorf("%+v, %v", told, err)
	}
	if asked, err := w.Journal(ctx, journal.Filter{}); err != nil || len(asked) > 0 {
		t.Errorf("the journal has %d requests, %v", len(asked), err)
	}
	noError(t, w.DeleteScenarios(ctx, "mine"))
	wantRefusal(t, w.DeleteScenarios(ctx, "mine"), 404, `The world has no scenario file of its own that is named "mine"`)
}

func TestASnapshotIsTakenAndRestoredInGo(t *testing.T) {
	t.Parallel()
	e, c := inGo(t)
	c = c.Without(apitest.SSN)
	lively(t, c)
	w, ctx := worldOf(t, e, key), t.Context()
	taken, err := w.Snapshot(ctx)
	noError(t, err)
	if served := c.Get(control + "snapshot").Body; string(served) != string(taken) {
		t.Errorf("the control plane gives\n%s\nand Go\n%s", served, taken)
	}
	noError(t, w.Advance(ctx, time.Hour))
	other := worldOf(t, e, "svc_sk_test_other_one")
	for _, at := range []*emulator.World{w, other} {
		noError(t, at.Restore(ctx, taken))
		if again, err := at.Snapshot(ctx); err != nil || string(again) != string(taken) {
			t.Errorf("taken again it is\n%s, %v", again, err)
		}
	}
	var indented any
	noError(t, json.Unmarshal(taken, &indented))
	text, err := json.MarshalIndent(indented, "", "\t") // keys in another order, as a tool may write it
	noError(t, err)
	noError(t, other.Restore(ctx, text))
	for _, corrupt := range []string{"", "{}", `{"a":1}`, string(taken[:100])} {
		err := other.Restore(ctx, []byte(corrupt))
		if err == nil || !strings.Contains(err.Error(), "400 The snapshot is refused, and nothing is changed: ") {
			t.Errorf("%q: %v", corrupt, err)
		}
	}
}

func TestAJournalThatIsOffSaysSoInGo(t *testing.T) {
	t.Parallel()
	e, _ := inGo(t, emulator.WithJournalSize(0))
	w := worldOf(t, e, key)
	const message = "The journal is off: serve with a --journal-size above 0"
	_, err := w.Journal(t.Context(), journal.Filter{})
	wantRefusal(t, err, 409, message)
	wantRefusal(t, w.Verify(t.Context(), journal.Expectation{}), 409, message)
}
