package emulator

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// What the journal of a world has, and what may be asked of it. The types are those of the control plane's documents.
type (
	JournalEntry  = journal.Entry        // a request and its answer
	JournalFilter = journal.Filter       // which entries [World.Journal] returns; the zero value: all
	Expectation   = journal.Expectation  // what [World.Verify] checks
	Match         = journal.Match        // which requests count for an [Expectation]
	TextMatcher   = journal.TextMatcher  // what a path, a parameter or a header must be
	Times         = journal.Times        // how many requests must match; the zero value: at least one
	VerifyError   = journal.VerifyResult // the error of [World.Verify] when an [Expectation] does not hold
)

// ErrJournalOff is the error of the journal's methods where [WithJournalSize] is 0.
var ErrJournalOff = journal.ErrOff

// Equal returns a [TextMatcher] for one text.
func Equal(text string) *TextMatcher { return journal.Equal(text) }

// Matching returns a [TextMatcher] for a regular expression. It panics if that is malformed.
func Matching(expression string) *TextMatcher { return journal.Matching(expression) }

// The control plane's paths begin with ControlPrefix. ControlTokenHeader carries the token of [WithControlToken].
const (
	ControlPrefix      = control.Prefix
	ControlTokenHeader = control.TokenHeader
)
