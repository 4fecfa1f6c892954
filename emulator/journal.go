package emulator

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// What the journal of a world has, and what may be asked of it. The types are those of the control plane's documents.
type (
	JournalEntry  = journal.Entry       // a request and its answer
	JournalFilter = journal.Filter      // which entries [World.Journal] returns; the zero value: all
	Expectation   = journal.Expectation // what [World.Verify] checks
	Match         = journal.Match       // which requests count for an [Expectation]
	Text          = journal.Text        // what a path, a parameter or a header must be
	Times         = journal.Times       // how many requests must match; the zero value: at least one
	Unmet         = journal.Unmet       // the error of an [Expectation] that does not hold
)

// ErrJournalOff is the error of the journal's methods where [WithJournalSize] is 0.
var ErrJournalOff = journal.ErrOff

// Equal returns a [Text] that equals text.
func Equal(text string) *Text { return journal.Is(text) }

// Matching returns a [Text] that a regular expression matches. It panics on a malformed one.
func Matching(expression string) *Text { return journal.Like(expression) }

// The control plane's paths begin with ControlPrefix. ControlTokenHeader carries the token of [WithControlToken].
const (
	ControlPrefix      = control.Prefix
	ControlTokenHeader = control.TokenHeader
)
