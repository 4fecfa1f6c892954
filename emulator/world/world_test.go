package world_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
	"github.com/understudy-sandbox/understudy/store"
)

var update = flag.Bool("update", false, "write the golden file anew")

var epoch = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// open opens a world whose catalogue is one scenario file.
func open(t *testing.T, file string) *world.World {
	t.Helper()
	w, _ := openStored(t, file)
	return w
}

// openStored also returns the store that the world is kept in.
func openStored(t *testing.T, file string) (*world.World, store.Store) {
	t.Helper()
	catalogue, err := scenarios.NewFile("s.yaml", []byte(file)).Over(nil)
	if err != nil {
		t.Fatal(err)
	}
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	worlds := world.New(world.Config{
		Store: temp, Catalogue: catalogue, Seed: 1,
		Clock: world.Clock{Frozen: epoch, Wall: func() time.Time { return epoch }},
	})
	t.Cleanup(func() {
		if err := worlds.Close(); err != nil {
			t.Error(err)
		}
	})
	w, err := worlds.Open(context.Background(), "svc_sk_test_a")
	if err != nil {
		t.Fatal(err)
	}
	return w, temp
}

func read(t *testing.T, w *world.World, id string) (v api.VerificationRequest) {
	t.Helper()
	body, err := w.VerificationRequest(t.Context(), id, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestACancellationWithoutReasonHasNone(t *testing.T) {
	t.Parallel()
	w := open(t, "name: a\ntitle: a\nmagic: {verification_request: a}\nverification_request: {timeline: [{state: canceled}]}\n")
	if v := read(t, w, "a"); v.State != api.StateCanceled || v.CancellationReason != nil || v.CancellationDetails != nil {
		t.Errorf("state %s, reason %v, details %v", v.State, v.CancellationReason, v.CancellationDetails)
	}
}

func TestResourcesOfTwoKindsMayShareAnID(t *testing.T) {
	t.Parallel()
	w := open(t, "name: a\ntitle: a\nmagic: {verification_request: a, qualification_check: a}\n")
	request, err := w.VerificationRequest(t.Context(), "a", false)
	if err != nil {
		t.Fatal(err)
	}
	check, err := w.QualificationCheck(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if string(request) == string(check) {
		t.Errorf("the qualification check is the verification request: %s", check)
	}
}

func TestARuleOfANumberFollowsTheRequestThatItsSessionMakes(t *testing.T) {
	t.Parallel()
	w := open(t, "name: a\ntitle: a\nmagic: {ssn: any}\nverification_request: {timeline: [{state: processing}]}\n"+
		"rules: [{on: cancel, respond: {status: 500, message: Not today}}]\n")
	session, err := w.CreateSession(t.Context(), api.NewCredentialsSession{
		Type: api.TypeEmployment, UseCase: api.UseCaseAuto, PermissiblePurpose: api.PurposeEmployment,
		Target: api.SessionTarget{FirstName: "Ada", LastName: "Example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	id := "vr_" + session.ID[len("cs_"):]
	for op, status := range map[scenarios.Operation]int{scenarios.OnCancel: 500, scenarios.OnGet: 0} {
		err := w.Judge(t.Context(), world.Asked{Operation: op, Kind: scenarios.VerificationRequestID, ID: id})
		answer := (*api.Error)(nil)
		if decided := errors.As(err, &answer); decided != (status != 0) || decided && (answer.Status != status || answer.Message != "Not today") {
			t.Errorf("%s: %v, want %d", op, err, status)
		}
	}
	if v := read(t, w, id); v.State != api.StateProcessing {
		t.Errorf("the session's request is %s", v.State)
	}
}

// What a file: store holds must stay readable by the releases that follow: a change of these bytes is a change of format.
func TestStoredRecordsKeepTheirForm(t *testing.T) {
	t.Parallel()
	w, kept := openStored(t, "name: a\ntitle: a\nmagic: {ssn: any, verification_request: vr_a, tenant_property: tp_a}\n"+
		"verification_request: {timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}]}\n"+
		"reports: [{pay: {base: 62000.00, paystubs: 4}}]\n")
	read(t, w, "vr_a")
	_, cancelErr := w.Cancel(t.Context(), "vr_a", api.Cancellation{Reason: api.ReasonOther, Details: new("late")})
	_, updateErr := w.UpdateTenantProperty(t.Context(), "tp_a", api.TenantPropertyUpdate{Name: "Quay", City: new("Portland")})
	ssn, parseErr := api.ParseSSN("000-12-3456")
	_, createErr := w.CreateSession(t.Context(), api.NewCredentialsSession{
		Type: api.TypeEmploymentIncome, UseCase: api.UseCaseAuto, PermissiblePurpose: api.PurposeEmployment,
		Metadata: map[string]string{"case": "7"},
		Target: api.SessionTarget{
			FirstName: "Ada", LastName: "Example", SocialSecurityNumber: ssn, DateOfBirth: new(api.NewDate(1990, time.February, 28)),
			Company: &api.SessionCompany{Name: "Mill"},
		},
	})
	if err := errors.Join(cancelErr, updateErr, parseErr, createErr); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	err := kept.Scan(t.Context(), "", "", func(key string, value []byte) error {
		fmt.Fprintf(&got, "%s\n\t%s\n", key, value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const file = "testdata/stored.txt"
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("if that is meant, run go test ./emulator/world -run Stored -update\n%s", diff)
	}
}
