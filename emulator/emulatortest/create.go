package emulatortest

import (
	"context"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// CreateVerificationRequest makes a verification request of a text in the language of scenario files, such as
// {scenario: lifecycle-timed}. See [emulator.World.CreateVerificationRequest].
func (w *World) CreateVerificationRequest(text string) emulator.Verification {
	w.t.Helper()
	v, err := w.world.CreateVerificationRequest(context.Background(), text)
	return must(w, "create a verification request", v, err)
}

// ChangeVerificationRequest sets fields of a verification request, such as {set: {loan_id: "7"}}, puts it into a state, or
// both. See [emulator.World.ChangeVerificationRequest].
func (w *World) ChangeVerificationRequest(id, change string) emulator.Verification {
	w.t.Helper()
	v, err := w.world.ChangeVerificationRequest(context.Background(), id, change)
	return must(w, "change a verification request", v, err)
}

// CredentialsSession shows the verification request that a credentials session made.
func (w *World) CredentialsSession(id string) emulator.Verification {
	w.t.Helper()
	v, err := w.world.CredentialsSession(context.Background(), id)
	return must(w, "show a credentials session", v, err)
}

// TenantProperty shows a tenant property, as updates left it.
func (w *World) TenantProperty(id string) api.TenantProperty {
	w.t.Helper()
	p, err := w.world.TenantProperty(context.Background(), id)
	return must(w, "show a tenant property", p, err)
}

// CreateTenantProperty makes a tenant property of a text, such as {tenant_property: {set: {name: Quay House}}}.
func (w *World) CreateTenantProperty(text string) api.TenantProperty {
	w.t.Helper()
	p, err := w.world.CreateTenantProperty(context.Background(), text)
	return must(w, "create a tenant property", p, err)
}

// CreateQualificationCheck makes a qualification check of a text, such as {qualification_check: {rent: 1450.00}}; its
// result is computed.
func (w *World) CreateQualificationCheck(text string) api.QualificationCheck {
	w.t.Helper()
	q, err := w.world.CreateQualificationCheck(context.Background(), text)
	return must(w, "create a qualification check", q, err)
}

// PutScenarios gives the world a scenario file of its own, in place of what it had under the name.
func (w *World) PutScenarios(name, file string) {
	w.t.Helper()
	_, err := w.world.PutScenarios(context.Background(), name, file)
	w.must("put scenarios", err)
}

// Snapshot returns the whole world as one JSON document.
func (w *World) Snapshot() []byte {
	w.t.Helper()
	document, err := w.world.Snapshot(context.Background())
	return must(w, "take a snapshot", document, err)
}

// Restore makes the world what a snapshot says, such as one that is kept under testdata.
func (w *World) Restore(document []byte) {
	w.t.Helper()
	w.must("restore a snapshot", w.world.Restore(context.Background(), document))
}
