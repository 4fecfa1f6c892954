package api

// Note is something about a request that is worth knowing although it is served.
type Note struct {
	Cause Cause
	What  string // was found
	Mend  string // is to be done about it; "" when that goes without saying
}

// Cause is the kind of thing that a note is about.
type Cause int

const (
	VersionUnnamed Cause = iota
	VersionPassedOver
	ContentTypeUnnamed
	UnknownKey
	UnknownParameter
	RepeatedParameter
	UnknownField
	SSNCouldBeReal
	BirthDateMissing
	BirthDateUnlikely
	ResellerGiven
	ResellerMissing
	MoreToTell
)

// causes has the notes of contract 8: what the emulator does about each, and whether --strict answers it 400. It does
// what the spec requires of every caller, and leaves alone what the spec only recommends, or makes depend on things that
// an emulator cannot know: whose account it is.
var causes = [...]struct {
	strict bool
	done   string
}{
	VersionUnnamed:     {},             // spec 9.1: the header is optional
	VersionPassedOver:  {},             // ... and another range of it was right
	ContentTypeUnnamed: {strict: true}, // spec 1
	UnknownKey:         {strict: true, done: " was ignored"},
	UnknownParameter:   {strict: true, done: " was ignored"},
	RepeatedParameter:  {strict: true, done: ", of which the last counts"},
	UnknownField:       {strict: true, done: " was ignored"},
	SSNCouldBeReal:     {strict: true}, // contract 5
	BirthDateMissing:   {strict: true}, // spec 4.4, target
	BirthDateUnlikely:  {},             // the spec bounds it nowhere
	ResellerGiven:      {},             // spec 4.4: of non-reseller requests only
	ResellerMissing:    {},             // spec 4.4: of reseller requests only
	MoreToTell:         {},
}

// String says what was found, what was done about it, and the mend.
func (n Note) String() string { return n.What + causes[n.Cause].done + n.Mend }

// Strict reports whether --strict answers the request with 400.
func (n Note) Strict() bool { return causes[n.Cause].strict }

// Refusal says what was found and the mend, of a request that is refused for it.
func (n Note) Refusal() string { return n.What + n.Mend }
