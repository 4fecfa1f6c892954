package scenarios

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Kind is a kind of magic value.
type Kind string

const (
	VerificationRequestID Kind = "verification request"
	TenantPropertyID      Kind = "tenant property"
	QualificationCheckID  Kind = "qualification check"
	SSN                   Kind = "SSN"
	APIKey                Kind = "API key"
)

// key returns the kind's key in scenario files.
func (k Kind) key() string { return strings.ToLower(strings.ReplaceAll(string(k), " ", "_")) }

// MagicValue is a value that a client sends and that leads to a scenario.
type MagicValue struct {
	Kind  Kind
	Value string // as people write it: social security numbers with dashes
}

// MagicValues returns the magic values of the scenario.
func (s *Scenario) MagicValues() []MagicValue { return slices.Collect(s.Magic.values()) }

// values yields the magic values that are set.
func (m Magic) values() iter.Seq[MagicValue] {
	return func(yield func(MagicValue) bool) {
		for _, magic := range [...]MagicValue{
			{VerificationRequestID, m.VerificationRequest},
			{TenantPropertyID, m.TenantProperty},
			{QualificationCheckID, m.QualificationCheck},
			{SSN, m.SSN.String()},
			{APIKey, m.APIKey},
		} {
			if magic.Value != "" && !yield(magic) {
				return
			}
		}
	}
}

// leadsTo reports whether a magic value leads to a resource of a kind: "" is a credentials session.
func (m Magic) leadsTo(kind Kind) bool {
	switch kind {
	case VerificationRequestID:
		return m.verifies()
	case QualificationCheckID:
		return m.QualificationCheck != ""
	case TenantPropertyID:
		return m.TenantProperty != ""
	}
	return m.SSN != ""
}

// global reports whether the rules of the scenario apply to every call, or to every call with the API key.
func (m Magic) global() bool { return m == Magic{APIKey: m.APIKey} }

// Catalogue is a set of scenarios with unique names and magic values. It is immutable.
type Catalogue struct {
	all      []*entry
	builtin  int // the number of entries that are built in or of the base, which come first
	byName   map[string]*entry
	byMagic  map[MagicValue]*entry
	values   map[Kind][]string // in the order of the scenarios, those of the base last
	global   []*entry          // of all, those with global rules
	warnings Problems
	replaced []replacement
	bytes    int64      // see Bytes
	base     *Catalogue // nil without a base
}

// entry is a scenario of a catalogue. A built-in scenario is parsed when it is first used.
type entry struct {
	name      string
	magic     Magic
	at        Position
	positions map[string]Position // of the name and the magic values, by their keys; nil when it is built in
	scenario  func() *Scenario    // returns the same pointer each time
}

func newCatalogue(base *Catalogue) *Catalogue {
	return &Catalogue{
		byName:  make(map[string]*entry),
		byMagic: make(map[MagicValue]*entry),
		values:  make(map[Kind][]string),
		base:    base,
	}
}

// add adds the scenarios of a file. It returns an error for each name and magic value that is taken, and a warning for each
// that hides one of the base.
func (c *Catalogue) add(file parsedFile) (problems Problems) {
	for i := range file.found {
		e := &file.found[i]
		if earlier := c.byName[e.name]; earlier != nil && e.name != "" {
			problems = append(problems, c.taken(e.positions["name"], "the name "+e.name, earlier))
		}
		for magic := range e.magic.values() {
			if earlier := c.byMagic[magic]; earlier != nil {
				problems = append(problems, c.taken(e.positions[magic.Kind.key()], "the "+string(magic.Kind)+" "+magic.Value, earlier))
			}
			c.byMagic[magic] = e
			c.values[magic.Kind] = append(c.values[magic.Kind], magic.Value)
		}
		problems = append(problems, c.hiding(e)...)
		c.byName[e.name] = e
		c.all = append(c.all, e)
		if e.magic.global() {
			c.global = append(c.global, e)
		}
	}
	problems.addLines(string(file.data))
	return problems
}

// taken returns the problem of a name or a magic value that an earlier scenario has.
func (c *Catalogue) taken(at Position, what string, earlier *entry) Problem {
	text := what + " is taken: " + earlier.at.String()
	if slices.Contains(c.all[:c.builtin], earlier) {
		text += ", which is built in: choose another, or name your file " + path.Base(earlier.at.File) + " to replace all of that file"
	}
	return Problem{At: at, What: text}
}

// hiding returns a warning for each name and magic value of a scenario that hides one of the base.
func (c *Catalogue) hiding(e *entry) (warnings Problems) {
	if c.base == nil {
		return nil
	}
	warn := func(key, what string, hidden *entry) {
		text := what + " of " + hidden.at.File + ": choose another if that is not meant"
		warnings = append(warnings, Problem{At: e.positions[key], What: text, Warning: true})
	}
	hidden := c.base.byName[e.name]
	if hidden != nil {
		warn("name", "takes the place of the scenario "+e.name, hidden)
	}
	for magic := range e.magic.values() {
		if from := c.base.byMagic[magic]; from != nil && from != hidden {
			warn(magic.Kind.key(), "takes "+magic.Value+" from the scenario "+from.name, from)
		}
	}
	return warnings
}

// inherit adds the scenarios and magic values of the base that the catalogue does not hide. A scenario hides the one of the
// same name.
func (c *Catalogue) inherit() {
	if c.base == nil {
		return
	}
	for magic, e := range c.base.byMagic {
		if c.byMagic[magic] == nil && c.byName[e.name] == nil {
			c.byMagic[magic] = e
		}
	}
	hidden := func(e *entry) bool { return c.byName[e.name] != nil }
	inherited := slices.DeleteFunc(slices.Clone(c.base.all), hidden)
	c.global = slices.Concat(slices.DeleteFunc(slices.Clone(c.base.global), hidden), c.global)
	for _, e := range inherited {
		c.byName[e.name] = e
	}
	for kind, values := range c.base.values {
		c.values[kind] = append(c.values[kind], values...)
	}
	c.all, c.builtin = append(inherited, c.all...), len(inherited)
}

// Bytes returns the approximate memory of the scenarios that are neither built in nor of the base.
func (c *Catalogue) Bytes() int64 { return c.bytes }

// Len returns the number of scenarios.
func (c *Catalogue) Len() int { return len(c.all) }

// All returns the scenarios in the order of their files, the built-in ones first. The caller must not change them.
func (c *Catalogue) All() []*Scenario { return scenariosOf(c.all) }

// Names returns the names of the scenarios, in the order of All.
func (c *Catalogue) Names() (names []string) {
	for _, e := range c.all {
		names = append(names, e.name)
	}
	return names
}

// Added returns the scenarios that are neither built in nor of the base. The caller must not change them.
func (c *Catalogue) Added() []*Scenario { return scenariosOf(c.all[c.builtin:]) }

func scenariosOf(entries []*entry) []*Scenario {
	all := make([]*Scenario, len(entries))
	for i, e := range entries {
		all[i] = e.scenario()
	}
	return all
}

// Warnings returns the warnings about the files.
func (c *Catalogue) Warnings() Problems { return c.warnings }

// ByName returns the scenario with a name, or nil.
func (c *Catalogue) ByName(name string) *Scenario {
	if e := c.byName[name]; e != nil {
		return e.scenario()
	}
	return nil
}

// OtherKind explains that a scenario describes no resource of a kind, and names one that does, the nearest by its name. It
// returns "" for a scenario that describes one.
func (c *Catalogue) OtherKind(s *Scenario, kind Kind) string {
	if s.Magic.leadsTo(kind) {
		return ""
	}
	described := "rules for every call"
	for _, other := range []Kind{VerificationRequestID, QualificationCheckID, TenantPropertyID} {
		if s.Magic.leadsTo(other) {
			described = "a " + string(other)
			break
		}
	}
	text := fmt.Sprintf("The scenario %s describes %s, not a %s", s.Name, described, kind)
	var names []string // of the kind
	for _, e := range c.all {
		if slices.ContainsFunc(slices.Collect(e.magic.values()), func(m MagicValue) bool { return m.Kind == kind }) {
			names = append(names, e.name)
		}
	}
	if names == nil {
		return text
	}
	return text + api.DidYouMean(s.Name, names, ": name one such as "+names[0])
}

// ByID returns the scenario of a resource's id, or nil. Ids are case-sensitive.
func (c *Catalogue) ByID(kind Kind, id string) *Scenario {
	if e := c.byMagic[MagicValue{kind, id}]; e != nil {
		return e.scenario()
	}
	return nil
}

// BySSN returns the scenario of a credentials session for a number: the number's own, else the one for any number, or nil.
func (c *Catalogue) BySSN(ssn api.SSN) *Scenario {
	return cmp.Or(c.ByID(SSN, MagicSSN(ssn.Digits()).String()), c.ByID(SSN, string(AnySSN)))
}

// Nearest returns the magic value of a kind that was probably meant by a mistyped one.
func (c *Catalogue) Nearest(kind Kind, mistyped string) (value string, ok bool) {
	return api.Nearest(mistyped, c.values[kind])
}

// ForKey returns the global scenarios for an API key, given the part of the key after sk_test_, in the order of their files.
func (c *Catalogue) ForKey(name string) (all []*Scenario) {
	for _, e := range c.global {
		matched, _ := path.Match(cmp.Or(e.magic.APIKey, "*"), name) // validated patterns are well-formed
		if matched {
			all = append(all, e.scenario())
		}
	}
	return all
}
