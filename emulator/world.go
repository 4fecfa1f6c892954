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
)

// World steers the world of an API key: [Emulator.World] returns it. It is safe for concurrent use. The control plane calls
// the same methods. Each takes a context. A change is one transaction; when its error is an [*api.Error], nothing has changed:
//
//	Status Reset Delete Snapshot Restore
//	Now SetClock Freeze Unfreeze ChangeClock Advance AdvanceTo AdvanceToNext NextTransition
//	VerificationRequest, -s; List-, Create-, Change-, DeleteVerificationRequest; Move
//	TenantProperty, TenantProperties; List-, Create-, Change-, DeleteTenantProperty
//	QualificationCheck, -s; List-, Create-, Change-, DeleteQualificationCheck
//	CredentialsSession, -s; ListCredentialsSessions
//	AddFault Faults RemoveFault RemoveFaults
//	Catalogue PutScenarios DeleteScenarios
//	Journal JournalEntries Verify ClearJournal
//
// The sequences read a page per transaction. An error that the caller can correct is an [*api.Error].
type World = world.World

// What the methods of a [World] take and return.
type (
	WorldStatus  = world.Status       // a world at one instant
	Verification = world.Verification // a verification request as the control plane shows it
	Move         = world.Move         // a new state of a verification request
	Fault        = world.Fault        // a rule that was added to a world
	FaultOption  = world.FaultOption  // an option of a fault
)

// Lasting ends a fault after a span of the world's time. Default: it lasts until it is removed or its times are up.
func Lasting(span time.Duration) FaultOption { return world.Lasting(span) }

// The journal of a world, and questions about it. On the control plane the types have the same members.
type (
	JournalEntry  = journal.Entry        // a request and its answer
	JournalFilter = journal.Filter       // selects entries; the zero value: all
	Expectation   = journal.Expectation  // checked by [World.Verify]
	Match         = journal.Match        // the requests that count for an [Expectation]
	TextMatcher   = journal.TextMatcher  // a condition on a path, a parameter or a header
	Times         = journal.Times        // how many requests must match; the zero value: at least one
	VerifyError   = journal.VerifyResult // the error of an [Expectation] that does not hold
)

// ErrJournalOff is the error of the journal's methods where [WithJournalSize] is 0.
var ErrJournalOff = journal.ErrOff

// Equal returns a [TextMatcher] that equals text.
func Equal(text string) *TextMatcher { return journal.Equal(text) }

// Matching returns a [TextMatcher] that a regular expression matches. It panics on a malformed one.
func Matching(expression string) *TextMatcher { return journal.Matching(expression) }

// Key returns the sandbox key of a name: svc_sk_test_me for me, unless [WithKeyPrefix] says otherwise.
func (e *Emulator) Key(name string) string { return e.config.keyPrefix + "_sk_test_" + name }

// World returns the world of an API key such as svc_sk_test_me. It returns an error for a key that opens no world.
func (e *Emulator) World(key string) (*World, error) {
	_, err := e.surface.Keys.Authenticate([]string{"Bearer " + key})
	if failure := (*api.Error)(nil); errors.As(err, &failure) {
		return nil, errors.New("no world has this API key: " + failure.Diagnosis)
	}
	if err != nil {
		return nil, err
	}
	return e.worlds.ByKey(key), nil
}

// WorldByID returns the world with an id from [WorldStatus] or the header Understudy-World. It is not made by use: its
// methods return an [*api.Error] while there is no such world.
func (e *Emulator) WorldByID(id string) *World { return e.worlds.ByID(id) }

// Worlds goes through the worlds in the order of their ids. It ends with the first error.
func (e *Emulator) Worlds(ctx context.Context) iter.Seq2[WorldStatus, error] {
	return e.worlds.All(ctx)
}

// Resolution is the answer to a request, and its reasons.
type Resolution = surface.Resolution

// Resolve returns the answer that a request would get in a world now, and its reasons. Nothing changes, and nothing is
// recorded in the journal. The request needs no key, and its URL no host:
// http.NewRequest("GET", "/verification-requests/vr_flaky", nil).
func (e *Emulator) Resolve(ctx context.Context, w *World, r *http.Request) (Resolution, error) {
	r = r.Clone(ctx)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	return e.surface.Resolve(r, w)
}
