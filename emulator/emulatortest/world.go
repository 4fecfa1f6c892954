package emulatortest

import (
	"context"
	"time"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// World is the world of a test: [emulator.World] whose methods end the test when they fail. Call them from the test's own
// goroutine. To test a failure, use Emulator.World with the test's key.
type World struct {
	t     TB
	world *emulator.World
}

// World returns the world of a test's [Server.Key].
func (s *Server) World(t TB) *World {
	t.Helper()
	w, err := s.Emulator.World(s.Key(t))
	if err != nil {
		t.Fatalf("emulatortest: %v", err)
	}
	return &World{t, w}
}

// must ends the test when there is an error.
func (w *World) must(what string, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatalf("emulatortest: %s: %v", what, err)
	}
}

// result returns a function that returns the value, and ends the test when there is an error.
func result[T any](w *World, what string) func(T, error) T {
	return func(value T, err error) T {
		w.t.Helper()
		w.must(what, err)
		return value
	}
}

// Reset returns the world to its first state, all at once: resources, clock, faults, counters, journal and world scenarios. The
// console can undo it.
func (w *World) Reset() {
	w.t.Helper()
	_, err := w.world.Reset(context.Background())
	w.must("reset", err)
}

// Delete deletes the world, as if its key had never been used. The end of the test does so, too.
func (w *World) Delete() {
	w.t.Helper()
	w.must("delete", w.world.Delete(context.Background()))
}

// Now returns the world's instant.
func (w *World) Now() time.Time {
	w.t.Helper()
	return result[time.Time](w, "read the clock")(w.world.Now(context.Background()))
}

// SetClock sets the world's clock to an instant, which must not be before its present one.
func (w *World) SetClock(now time.Time) {
	w.t.Helper()
	_, err := w.world.SetClock(context.Background(), now)
	w.must("set the clock", err)
}

// Advance moves the world's clock on.
func (w *World) Advance(by time.Duration) {
	w.t.Helper()
	_, err := w.world.Advance(context.Background(), by)
	w.must("advance the clock", err)
}

// Freeze stops the world's clock, as it is from the start.
func (w *World) Freeze() {
	w.t.Helper()
	_, err := w.world.Freeze(context.Background())
	w.must("freeze the clock", err)
}

// Unfreeze lets the world's clock run on with the machine's.
func (w *World) Unfreeze() {
	w.t.Helper()
	_, err := w.world.Unfreeze(context.Background())
	w.must("unfreeze the clock", err)
}

// Settings returns the settings that hold in the world.
func (w *World) Settings() scenarios.Settings {
	w.t.Helper()
	return result[scenarios.Settings](w, "show the settings")(w.world.Settings(context.Background()))
}

// SetSettings replaces the world's own settings by those of a text, such as {session_flow: manual}, and returns the settings that
// hold then. What is left out is as the options of [Run] have it.
func (w *World) SetSettings(text string) scenarios.Settings {
	w.t.Helper()
	var own scenarios.Settings
	w.must("set the settings", resource.Decode(text, &own))
	change := func(s *scenarios.Settings) { *s = own }
	return result[scenarios.Settings](w, "set the settings")(w.world.ChangeSettings(context.Background(), change))
}

// VerificationRequest returns a verification request. Unlike a read by HTTP it changes nothing.
func (w *World) VerificationRequest(id string) emulator.Verification {
	w.t.Helper()
	return result[emulator.Verification](w, "show a verification request")(w.world.VerificationRequest(context.Background(), id))
}

// VerificationRequests returns the verification requests that the world has stored, in the order of their ids: the created
// ones, and the magic ones that moved.
func (w *World) VerificationRequests() (all []emulator.Verification) {
	w.t.Helper()
	for v, err := range w.world.VerificationRequests(context.Background()) {
		w.must("list verification requests", err)
		all = append(all, v)
	}
	return all
}

// Move puts a verification request into a state that spec section 3 lets it reach, from where its timeline goes on.
func (w *World) Move(id string, to api.State) emulator.Verification {
	w.t.Helper()
	return result[emulator.Verification](w, "move a verification request")(w.world.Move(context.Background(), id, emulator.Move{State: to}))
}

// Force puts a verification request into a state, whatever the spec allows.
func (w *World) Force(id string, to api.State) emulator.Verification {
	w.t.Helper()
	return result[emulator.Verification](w, "force a verification request")(w.world.Move(context.Background(), id, emulator.Move{State: to, Force: true}))
}

// DeleteVerificationRequest deletes a stored verification request. A magic one starts over; any other is gone.
func (w *World) DeleteVerificationRequest(id string) {
	w.t.Helper()
	w.must("delete a verification request", w.world.DeleteVerificationRequest(context.Background(), id))
}

// CreateVerificationRequest creates a verification request from a text in the language of scenario files, such as
// {scenario: lifecycle-timed}. See [emulator.World.CreateVerificationRequest].
func (w *World) CreateVerificationRequest(text string) emulator.Verification {
	w.t.Helper()
	return result[emulator.Verification](w, "create a verification request")(w.world.CreateVerificationRequest(context.Background(), text))
}

// ChangeVerificationRequest sets fields of a verification request, such as {set: {loan_id: "7"}}, puts it into a state, or
// both. See [emulator.World.ChangeVerificationRequest].
func (w *World) ChangeVerificationRequest(id, change string) emulator.Verification {
	w.t.Helper()
	return result[emulator.Verification](w, "change a verification request")(w.world.ChangeVerificationRequest(context.Background(), id, change))
}

// CredentialsSession is a credentials session with its verification request.
type CredentialsSession struct {
	ID                    string
	Created               time.Time
	VerificationRequestID string
	State                 api.State // of the verification request
	Scenario              string
	Flow                  scenarios.SessionFlow // auto: the emulator plays the person
	Outcome               string                // success, failure or abandoned; "": not finished
	FlowURL               string                // of the page for the person, from the emulator's host on; "" with auto
}

// CredentialsSession returns a credentials session with the id of its verification request.
func (w *World) CredentialsSession(id string) CredentialsSession {
	w.t.Helper()
	return sessionOf(result[emulator.Verification](w, "show a credentials session")(w.world.CredentialsSession(context.Background(), id)))
}

// FinishSession finishes a session of flow manual with an outcome: success, also for "", failure or abandoned. See
// [emulator.World.FinishSession].
func (w *World) FinishSession(id, outcome string) CredentialsSession {
	w.t.Helper()
	return sessionOf(result[emulator.Verification](w, "finish a credentials session")(w.world.FinishSession(context.Background(), id, outcome)))
}

func sessionOf(v emulator.Verification) CredentialsSession {
	return CredentialsSession{v.SessionID, v.Document.Created.Time, v.ID, v.Progress.State, v.Name, v.Flow.Kind, v.Flow.Outcome, v.Flow.Page}
}

// TenantProperty returns a tenant property.
func (w *World) TenantProperty(id string) api.TenantProperty {
	w.t.Helper()
	return result[api.TenantProperty](w, "show a tenant property")(w.world.TenantProperty(context.Background(), id))
}

// CreateTenantProperty creates a tenant property from a text, such as {tenant_property: {set: {name: Quay House}}}.
func (w *World) CreateTenantProperty(text string) api.TenantProperty {
	w.t.Helper()
	return result[api.TenantProperty](w, "create a tenant property")(w.world.CreateTenantProperty(context.Background(), text))
}

// CreateQualificationCheck creates a qualification check from a text, such as {qualification_check: {rent: 1450.00}}; its
// result is computed.
func (w *World) CreateQualificationCheck(text string) api.QualificationCheck {
	w.t.Helper()
	return result[api.QualificationCheck](w, "create a qualification check")(w.world.CreateQualificationCheck(context.Background(), text))
}

// QualificationCheck returns a qualification check.
func (w *World) QualificationCheck(id string) api.QualificationCheck {
	w.t.Helper()
	return result[api.QualificationCheck](w, "show a qualification check")(w.world.QualificationCheck(context.Background(), id))
}

// AddFault evaluates a rule, written as in scenario files, or the preset with a name such as outage-502, for every request from
// now on. See [emulator.World.AddFault].
func (w *World) AddFault(rule string, options ...emulator.FaultOption) emulator.Fault {
	w.t.Helper()
	return result[emulator.Fault](w, "add a fault")(w.world.AddFault(context.Background(), rule, options...))
}

// Faults returns the world's faults, in the order in which they were added.
func (w *World) Faults() []emulator.Fault {
	w.t.Helper()
	return result[[]emulator.Fault](w, "list faults")(w.world.Faults(context.Background()))
}

// RemoveFault removes a fault.
func (w *World) RemoveFault(id string) {
	w.t.Helper()
	w.must("remove a fault", w.world.RemoveFault(context.Background(), id))
}

// RemoveFaults removes all faults.
func (w *World) RemoveFaults() {
	w.t.Helper()
	w.must("remove faults", w.world.RemoveFaults(context.Background()))
}

// PutScenario stores a scenario of the world, given as a file with this scenario alone, in place of an earlier one with the name.
func (w *World) PutScenario(name, file string) {
	w.t.Helper()
	_, _, err := w.world.PutScenario(context.Background(), name, file)
	w.must("put a scenario", err)
}

// DeleteScenario deletes a scenario of the world.
func (w *World) DeleteScenario(name string) {
	w.t.Helper()
	w.must("delete a scenario", w.world.DeleteScenario(context.Background(), name))
}

// Snapshot returns the whole world as lines of JSON.
func (w *World) Snapshot() []byte {
	w.t.Helper()
	return result[[]byte](w, "take a snapshot")(w.world.Snapshot(context.Background()))
}

// Restore makes the world what a snapshot says, such as one under testdata.
func (w *World) Restore(document []byte) {
	w.t.Helper()
	_, err := w.world.Restore(context.Background(), document)
	w.must("restore a snapshot", err)
}
