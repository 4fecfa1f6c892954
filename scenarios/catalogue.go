package scenarios

import (
	"cmp"
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

// MagicValue is something that a client sends and that leads to a scenario.
type MagicValue struct {
	Kind  Kind
	Value string // as people write it: numbers with dashes
}

// MagicValues returns what leads to the scenario.
func (s *Scenario) MagicValues() (all []MagicValue) {
	for magic := range s.Magic.values() {
		all = append(all, MagicValue{magic.kind, magic.String()})
	}
	return all
}

// Catalogue is a set of scenarios in which no magic value and no name stands twice. It never changes.
type Catalogue struct {
	all      []*entry
	builtin  int // how many of the first are built in, or of the base
	byName   map[string]*entry
	byMagic  map[magicValue]*entry
	values   map[Kind][]string // in the order of the scenarios, those of the base last
	global   []*entry          // of all, those whose rules are for every request
	warnings Problems
	replaced []replacement
	base     *Catalogue // that this one is laid over; nil when it stands alone
}

// entry is a scenario of a catalogue, and what leads to it.
type entry struct {
	name      string
	magic     Magic
	at        Position
	positions map[string]Position // of name and magic values, by their keys; nil when it is built in
	scenario  func() *Scenario    // always the same one
}

func newCatalogue(base *Catalogue) *Catalogue {
	return &Catalogue{
		byName:  make(map[string]*entry),
		byMagic: make(map[magicValue]*entry),
		values:  make(map[Kind][]string),
		base:    base,
	}
}

// key returns the kind's key in scenario files.
func (k Kind) key() string { return strings.ToLower(strings.ReplaceAll(string(k), " ", "_")) }

type magicValue struct {
	kind  Kind
	value string
}

// String returns the value as people write it: numbers with dashes.
func (m magicValue) String() string {
	if m.kind == SSN {
		return MagicSSN(m.value).String()
	}
	return m.value
}

// add adds the scenarios of a file. It returns an error for each name and magic value that they repeat, and a warning for
// each that they take from the base.
func (c *Catalogue) add(file parsedFile) (problems Problems) {
	for i := range file.found {
		e := &file.found[i]
		if earlier := c.byName[e.name]; earlier != nil && e.name != "" {
			problems = append(problems, c.taken(e.positions["name"], "the name "+e.name, earlier))
		}
		for magic := range e.magic.values() {
			if earlier := c.byMagic[magic]; earlier != nil {
				problems = append(problems, c.taken(e.positions[magic.kind.key()], "the "+string(magic.kind)+" "+magic.value, earlier))
			}
			c.byMagic[magic] = e
			c.values[magic.kind] = append(c.values[magic.kind], magic.value)
		}
		problems = append(problems, c.taking(e)...)
		c.byName[e.name] = e
		c.all = append(c.all, e)
		if e.magic.global() {
			c.global = append(c.global, e)
		}
	}
	problems.cite(string(file.data))
	return problems
}

// taken reports a name or a magic value that an earlier scenario has.
func (c *Catalogue) taken(at Position, what string, earlier *entry) Problem {
	text := what + " is taken: " + earlier.at.String()
	if slices.Contains(c.all[:c.builtin], earlier) {
		text += ", which is built in: choose another, or name your file " + path.Base(earlier.at.File) + " to replace all of that file"
	}
	return Problem{At: at, What: text}
}

// taking returns a warning for each name and magic value that a scenario takes from the base.
func (c *Catalogue) taking(e *entry) (warnings Problems) {
	if c.base == nil {
		return nil
	}
	warn := func(key, what string, from *entry) {
		text := what + " of " + from.at.File + ": choose another if that is not meant"
		warnings = append(warnings, Problem{At: e.positions[key], What: text, Warning: true})
	}
	covered := c.base.byName[e.name]
	if covered != nil {
		warn("name", "takes the place of the scenario "+e.name, covered)
	}
	for magic := range e.magic.values() {
		if from := c.base.byMagic[magic]; from != nil && from != covered {
			warn(magic.kind.key(), "takes "+magic.String()+" from the scenario "+from.name, from)
		}
	}
	return warnings
}

// inherit adds what the base has and the catalogue does not hide: it hides a scenario whose name it has.
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
	under := slices.DeleteFunc(slices.Clone(c.base.all), hidden)
	c.global = slices.Concat(slices.DeleteFunc(slices.Clone(c.base.global), hidden), c.global)
	for _, e := range under {
		c.byName[e.name] = e
	}
	for kind, values := range c.base.values {
		c.values[kind] = append(c.values[kind], values...)
	}
	c.all, c.builtin = append(under, c.all...), len(under)
}

// global reports whether nothing that a request asks for leads to the scenario, and so every request does.
func (m Magic) global() bool { return m == Magic{APIKey: m.APIKey} }

// values yields the magic values that are set.
func (m Magic) values() iter.Seq[magicValue] {
	return func(yield func(magicValue) bool) {
		for _, magic := range [...]magicValue{
			{VerificationRequestID, m.VerificationRequest},
			{TenantPropertyID, m.TenantProperty},
			{QualificationCheckID, m.QualificationCheck},
			{SSN, string(m.SSN)},
			{APIKey, m.APIKey},
		} {
			if magic.value != "" && !yield(magic) {
				return
			}
		}
	}
}

// Len returns how many scenarios there are.
func (c *Catalogue) Len() int { return len(c.all) }

// All returns the scenarios in the order of their files, the built-in ones first. The caller may not change them.
func (c *Catalogue) All() []*Scenario { return scenariosOf(c.all) }

// Names returns the names of the scenarios, in the order of All.
func (c *Catalogue) Names() (names []string) {
	for _, e := range c.all {
		names = append(names, e.name)
	}
	return names
}

// Own returns the scenarios that are not built in. The caller may not change them.
func (c *Catalogue) Own() []*Scenario { return scenariosOf(c.all[c.builtin:]) }

func scenariosOf(entries []*entry) []*Scenario {
	all := make([]*Scenario, len(entries))
	for i, e := range entries {
		all[i] = e.scenario()
	}
	return all
}

// Warnings returns what is allowed in the files and probably not meant.
func (c *Catalogue) Warnings() Problems { return c.warnings }

// ByName returns the scenario of a name, nil when there is none.
func (c *Catalogue) ByName(name string) *Scenario {
	if e := c.byName[name]; e != nil {
		return e.scenario()
	}
	return nil
}

// ByID returns the scenario of a resource's id, nil when there is none. Ids are case-sensitive.
func (c *Catalogue) ByID(kind Kind, id string) *Scenario {
	if e := c.byMagic[magicValue{kind, id}]; e != nil {
		return e.scenario()
	}
	return nil
}

// BySSN returns the scenario that a credentials session for a number follows: the number's own, else that of any
// number, else nil.
func (c *Catalogue) BySSN(ssn api.SSN) *Scenario {
	return cmp.Or(c.ByID(SSN, ssn.Digits()), c.ByID(SSN, string(AnySSN)))
}

// Nearest returns the magic value of a kind that a mistyped one most likely stands for.
func (c *Catalogue) Nearest(kind Kind, mistyped string) (value string, ok bool) {
	return api.Nearest(mistyped, c.values[kind])
}

// ForKey returns the global scenarios of an API key, by what follows sk_test_ in it, in the order of their files.
func (c *Catalogue) ForKey(name string) (all []*Scenario) {
	for _, e := range c.global {
		matched, _ := path.Match(cmp.Or(e.magic.APIKey, "*"), name) // a valid pattern is never malformed
		if matched {
			all = append(all, e.scenario())
		}
	}
	return all
}
