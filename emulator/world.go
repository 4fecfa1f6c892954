package emulator

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// World steers the world of an API key, as the control plane does. It is safe for concurrent use and keeps nothing: every
// method is one transaction in the world as it is then, and makes it at first use. What a method cannot do for a reason
// that its caller can mend is an [*api.Error], and nothing is changed then.
type World struct {
	emulator *Emulator
	at       world.Ref
}

// WorldStatus is what can be told of a world at one instant.
type WorldStatus = world.Status

// Fault is a rule that was put on a world, evaluated for every request before all others.
type Fault = world.Fault

// Verification is a verification request as those see it who steer a world: its Document is the resource as read-one
// shows it (spec 2.2).
type Verification = world.Verification

// Move is what is to become of a verification request.
type Move = world.Move

// Resolution is what a request would be answered, and why.
type Resolution = surface.Resolution

// Key returns the sandbox key of a name: svc_sk_test_me of me, unless [WithKeyPrefix] says otherwise.
func (e *Emulator) Key(name string) string { return e.config.keyPrefix + "_sk_test_" + name }

// World returns the world of an API key such as svc_sk_test_me. Its error is for a key that opens no world.
func (e *Emulator) World(key string) (*World, error) {
	_, err := e.surface.Keys.Authenticate([]string{"Bearer " + key})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return nil, errors.New("no world has this API key: " + failure.Diagnosis)
	}
	if err != nil {
		return nil, err
	}
	return &World{e, world.ByKey(key)}, nil
}

// WorldByID returns the world of an id that [WorldStatus] or the header Understudy-World gave. It is not made by use: the
// error of its methods for an id that no world has is an [*api.Error].
func (e *Emulator) WorldByID(id string) *World { return &World{e, world.ByID(id)} }

// Worlds goes through the worlds in the order of their ids. It ends with the first error.
func (e *Emulator) Worlds(ctx context.Context) iter.Seq2[WorldStatus, error] {
	return paged(func(s WorldStatus) string { return s.ID }, func(after string) ([]WorldStatus, error) {
		return e.worlds.List(ctx, after, pageSize)
	})
}

// pageSize is how many things of a list are read in one transaction.
const pageSize = 100

// paged goes through a list in the order of its ids: read returns the next things of it, from the first behind an id, at
// most [pageSize]. It ends with the first error.
func paged[T any](id func(T) string, read func(after string) ([]T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for last := ""; ; {
			some, err := read(last)
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, thing := range some {
				if last = id(thing); !yield(thing, nil) {
					return
				}
			}
			if len(some) < pageSize {
				return
			}
		}
	}
}

// do runs one transaction in the world.
func (w *World) do(ctx context.Context, act func(*world.World) error) error {
	return w.emulator.worlds.Do(ctx, w.at, act)
}

// in runs one transaction in a world that returns something.
func in[T any](ctx context.Context, w *World, act func(*world.World) (T, error)) (value T, err error) {
	err = w.do(ctx, func(opened *world.World) (err error) {
		value, err = act(opened)
		return err
	})
	return value, err
}

// place returns the place of the world's journal.
func (w *World) place(ctx context.Context) (journal.Ref, error) {
	return in(ctx, w, func(opened *world.World) (journal.Ref, error) { return opened.Journal(), nil })
}

// Status tells of the world as it is now.
func (w *World) Status(ctx context.Context) (WorldStatus, error) {
	return in(ctx, w, func(opened *world.World) (WorldStatus, error) { return opened.Status(), nil })
}

// Reset makes the world as new, all at once: resources, clock, faults, counters, journal and its own scenarios.
func (w *World) Reset(ctx context.Context) error {
	return w.do(ctx, (*world.World).Reset)
}

// Delete forgets the world, as if its key had never been used.
func (w *World) Delete(ctx context.Context) error {
	place, err := w.place(ctx)
	if err != nil {
		return err
	}
	return w.emulator.worlds.Delete(ctx, place.World)
}

// Now returns the world's instant.
func (w *World) Now(ctx context.Context) (time.Time, error) {
	status, err := w.Status(ctx)
	return status.Now, err
}

// SetClock sets the world's clock to an instant, at which it stands or from which it runs on, as it did before. No clock
// goes back: reset the world first.
func (w *World) SetClock(ctx context.Context, now time.Time) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(&now, nil) })
}

// Advance moves the world's clock on by a positive span, running or not.
func (w *World) Advance(ctx context.Context, by time.Duration) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Advance(by) })
}

// Freeze has the world's clock stand.
func (w *World) Freeze(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(nil, new(true)) })
}

// Unfreeze has the world's clock run on with the machine's.
func (w *World) Unfreeze(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error { return opened.SetTime(nil, new(false)) })
}

// VerificationRequests goes through the verification requests that the world has stored, in the order of their ids: those
// that were made, and the magic ones that moved. It ends with the first error.
func (w *World) VerificationRequests(ctx context.Context) iter.Seq2[Verification, error] {
	return list(ctx, w, func(v Verification) string { return v.ID }, func(opened *world.World, after string, limit int) ([]Verification, error) {
		return opened.Verifications(after, limit, func(Verification) bool { return true })
	})
}

// VerificationRequest shows a verification request. Unlike a read by HTTP it moves nothing.
func (w *World) VerificationRequest(ctx context.Context, id string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Inspect(id) })
}

// CreateVerificationRequest makes a verification request, with a new id unless the text names one. The text is in the
// language of scenario files, YAML or JSON: a scenario to look like and to follow, fields that take the place of the
// scenario's, or both.
//
//	{scenario: lifecycle-timed}
//	{id: vr_mine, state: processing, verification_request: {type: employment}}
//	{reports: [{employee: {status_detail: part-time}, pay: {frequency: weekly}}]}
func (w *World) CreateVerificationRequest(ctx context.Context, text string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.CreateVerification([]byte(text)) })
}

// ChangeVerificationRequest puts a verification request into a state, sets fields of it, or both. Fields have their names
// and types of spec 2.2, and are checked as such.
//
//	{set: {loan_id: "7", branch_id: null}}
//	{state: canceled, cancellation_reason: competitor}
//	{state: processing, force: true}
func (w *World) ChangeVerificationRequest(ctx context.Context, id, change string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.ChangeVerification(id, []byte(change)) })
}

// Move puts a verification request into a state, from where its timeline goes on. What spec section 3
// does not allow must be forced.
func (w *World) Move(ctx context.Context, id string, to Move) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Move(id, to) })
}

// Forget deletes what the world has stored of a verification request: a magic one is as new then, another one is gone.
func (w *World) Forget(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.Forget(scenarios.VerificationRequestID, id) })
}

// CredentialsSession shows the verification request that a credentials session made.
func (w *World) CredentialsSession(ctx context.Context, id string) (Verification, error) {
	return in(ctx, w, func(opened *world.World) (Verification, error) { return opened.Session(id) })
}

// TenantProperty shows a tenant property.
func (w *World) TenantProperty(ctx context.Context, id string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) { return opened.TenantProperty(id) })
}

// CreateTenantProperty makes a tenant property of a text as [World.CreateVerificationRequest] takes it:
//
//	{id: tp_quay, tenant_property: {set: {name: Quay House, postal_code: null}}}
func (w *World) CreateTenantProperty(ctx context.Context, text string) (api.TenantProperty, error) {
	return in(ctx, w, func(opened *world.World) (api.TenantProperty, error) {
		return opened.CreateTenantProperty([]byte(text))
	})
}

// CreateQualificationCheck makes a qualification check of a text as [World.CreateVerificationRequest] takes it; its result
// is computed:
//
//	{qualification_check: {kind: guarantor, rent: 1450.00}, reports: [{pay: {base: 62000.00}}]}
func (w *World) CreateQualificationCheck(ctx context.Context, text string) (api.QualificationCheck, error) {
	return in(ctx, w, func(opened *world.World) (api.QualificationCheck, error) {
		return opened.CreateQualification([]byte(text))
	})
}

// FaultOption sets one thing about a fault.
type FaultOption func(lasts *time.Duration)

// Lasting ends a fault after a span of the world's time. Default: it lasts until it is removed or its times are up.
func Lasting(span time.Duration) FaultOption { return func(lasts *time.Duration) { *lasts = span } }

// AddFault puts a rule on every request from now on. The rule is written as in scenario files, in YAML or JSON:
//
//	{on: get, respond: {status: 500}, times: 2}
//	{on: cancel, fault: connection-reset}
//	{on: any, delay: {fixed: 250ms}}
func (w *World) AddFault(ctx context.Context, rule string, options ...FaultOption) (Fault, error) {
	var lasts time.Duration
	for _, option := range options {
		option(&lasts)
	}
	return in(ctx, w, func(opened *world.World) (Fault, error) { return opened.AddFault([]byte(rule), lasts) })
}

// Faults returns the faults that are on, in the order in which they were put on.
func (w *World) Faults(ctx context.Context) ([]Fault, error) {
	return in(ctx, w, (*world.World).Faults)
}

// RemoveFault takes a fault away.
func (w *World) RemoveFault(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.RemoveFault(id) })
}

// RemoveFaults takes all faults away.
func (w *World) RemoveFaults(ctx context.Context) error {
	return w.do(ctx, (*world.World).RemoveFaults)
}

// PutScenarios gives the world a scenario file of its own, YAML or JSON, in place of what it had under the name. The
// warnings are what is allowed and probably not meant.
func (w *World) PutScenarios(ctx context.Context, name, file string) (warnings scenarios.Problems, err error) {
	return in(ctx, w, func(opened *world.World) (scenarios.Problems, error) { return opened.PutScenarios(name, []byte(file)) })
}

// DeleteScenarios takes a scenario file of the world's own away.
func (w *World) DeleteScenarios(ctx context.Context, name string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.DeleteScenarios(name) })
}

// Resolve tells what a request would be answered now, from which scenario and rule, and why: nothing moves, and nothing
// is in the journal. It needs no key. A path is enough of a URL: http.NewRequest("GET", "/verification-requests/vr_flaky", nil).
func (w *World) Resolve(ctx context.Context, r *http.Request) (Resolution, error) {
	r = r.Clone(ctx)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	return w.emulator.surface.Resolve(r, w.at)
}

// Journal returns the requests of the world that a filter wants, the latest first. The zero Filter wants all that are
// kept. Where none are kept, the error is [journal.ErrOff].
func (w *World) Journal(ctx context.Context, filter journal.Filter) ([]*journal.Entry, error) {
	if err := filter.Validate(); err != nil {
		return nil, err
	}
	place, err := w.recorded(ctx)
	if err != nil {
		return nil, err
	}
	entries, _, err := w.emulator.journal.Read(ctx, place)
	if err != nil {
		return nil, err
	}
	return filter.Select(ctx, entries)
}

// recorded returns the place of the world's journal, where requests are kept.
func (w *World) recorded(ctx context.Context) (journal.Ref, error) {
	if !w.emulator.journal.On() {
		return journal.Ref{}, journal.ErrOff
	}
	return w.place(ctx)
}

// Verify holds an expectation against the requests of the world. When it does not hold, the error is a [*VerifyError]
// that says what was asked instead; where none are kept, [journal.ErrOff].
func (w *World) Verify(ctx context.Context, expected journal.Expectation) error {
	if err := expected.Validate(); err != nil {
		return err
	}
	place, err := w.recorded(ctx)
	if err != nil {
		return err
	}
	finding, err := w.emulator.journal.Verify(ctx, place, expected)
	if err != nil {
		return err
	}
	return finding.Err()
}

// ClearJournal forgets what was asked in the world so far.
func (w *World) ClearJournal(ctx context.Context) error {
	place, err := w.place(ctx)
	if err != nil {
		return err
	}
	return w.emulator.journal.Clear(ctx, place)
}

// Snapshot returns the whole world as one JSON document, as the control plane gives it: resources, timeline positions,
// counters, clock, its own scenarios, faults and journal.
func (w *World) Snapshot(ctx context.Context) ([]byte, error) {
	d, err := w.emulator.worlds.TakeSnapshot(ctx, w.at)
	if err != nil {
		return nil, err
	}
	return api.Render(d)
}

// Restore makes the world what a snapshot says, all at once: it answers from there on as the world would have of which
// it was taken. A snapshot that is not right is refused whole, and the world is as before.
func (w *World) Restore(ctx context.Context, document []byte) error {
	return w.emulator.worlds.RestoreSnapshot(ctx, w.at, document, surface.Operations())
}
