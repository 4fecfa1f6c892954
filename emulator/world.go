package emulator

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/delivery"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// World steers the world of an API key: [Emulator.World] returns it. It is safe for concurrent use. The control plane calls
// the same methods. Each takes a context. A change is one transaction; when its error is an [*api.Error], nothing has changed:
//
//	Status Rename Reset Delete Snapshot Restore
//	Now SetClock Freeze Unfreeze ChangeClock Advance AdvanceTo AdvanceToNext
//	VerificationRequest, -s; List-, Create-, Change-, DeleteVerificationRequest; Move
//	TenantProperty; List-, Create-, Change-, DeleteTenantProperty
//	QualificationCheck; List-, Create-, Change-, DeleteQualificationCheck
//	CredentialsSession; ListCredentialsSessions, FinishSession
//	AddFault Faults RemoveFault RemoveFaults
//	Subscribe Subscriptions Unsubscribe, Deliveries Resend
//	Catalogue PutScenario DeleteScenario
//	Journal JournalEntries Verify ClearJournal
//
// VerificationRequests reads a page per transaction. An error that the caller can correct is an [*api.Error].
type World = world.World

// What the methods of a [World] take and return.
type (
	WorldStatus  = world.Status          // a world at one instant
	Verification = world.Verification    // a verification request as the control plane shows it
	Move         = world.Move            // a new state of a verification request
	Fault        = rules.Fault           // a rule that was added to a world
	FaultOption  = world.FaultOption     // an option of a fault
	Subscription = delivery.Subscription // of a webhook
)

// Lasting ends a fault after a span of the world's time. Default: it lasts until it is removed or its times are up.
func Lasting(span time.Duration) FaultOption { return world.Lasting(span) }

// OnlyFor limits a fault to requests for the resource with an id. Default: all requests.
func OnlyFor(id string) FaultOption { return world.OnlyFor(id) }

// The journal of a world, and questions about it. On the control plane the types have the same members.
type (
	JournalEntry  = journal.Entry     // a request and its answer
	JournalFilter = query.Filter      // selects entries; the zero value: all
	Expectation   = query.Expectation // checked by [World.Verify]
	Match         = query.Match       // the requests that count for an [Expectation]
	TextMatcher   = query.TextMatcher // a condition on a path, a parameter or a header
	Times         = query.Times       // how many requests must match; the zero value: at least one
)

// Matching returns a [TextMatcher] that a regular expression matches. It panics on a malformed one.
func Matching(expression string) *TextMatcher { return query.Matching(expression) }

// Resolution is the answer to a request, and its reasons.
type Resolution = surface.Resolution
