package scenarios

import (
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

// Catalogue is a set of scenarios in which no magic value and no name stands twice. It never changes.
type Catalogue struct {
	entries  []*entry
	builtin  int // how many of the first are built in
	byName   map[string]*entry
	byMagic  map[magicValue]*entry
	values   map[Kind][]string // in the order of the scenarios
	global   []*entry
	texts    map[string]string // of the files that are not built in, by name
	warnings Problems
	replaced []replacement
	base     *Catalogue // that this one is laid over; nil when it stands alone
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

// add takes a scenario in, or says whose name or magic value it repeats.
func (c *Catalogue) add(e *entry, places map[string]Position) (problems Problems) {
	if earlier, ok := c.byName[e.name]; ok && e.name != "" {
		problems = append(problems, c.taken(places["name"], "the name "+e.name, earlier))
	}
	for magic := range e.magic.values() {
		if earlier, ok := c.byMagic[magic]; ok {
			problems = append(problems, c.taken(places[magic.kind.key()], "the "+string(magic.kind)+" "+magic.value, earlier))
		}
		c.byMagic[magic] = e
		c.values[magic.kind] = append(c.values[magic.kind], magic.value)
	}
	if e.magic.global() {
		c.global = append(c.global, e)
	}
	c.byName[e.name] = e
	c.entries = append(c.entries, e)
	return problems
}

// taken says that an earlier scenario has what another claims at a place, and where that is.
func (c *Catalogue) taken(at Position, what string, earlier *entry) Problem {
	text := what + " is taken: " + earlier.at.String()
	if slices.Contains(c.entries[:c.builtin], earlier) {
		text += ", which is built in: choose another, or name your file " + path.Base(earlier.at.File) + " to replace all of that file"
	}
	return Problem{At: at, What: text}
}

// taking warns of what a scenario takes from those that the catalogue lies over.
func (c *Catalogue) taking(e *entry, places map[string]Position) (warnings Problems) {
	if c.base == nil {
		return nil
	}
	warn := func(key, what string, from *entry) {
		text := what + " of " + from.at.File + ": choose another if that is not meant"
		warnings = append(warnings, Problem{At: places[key], What: text, Warning: true})
	}
	covered := c.base.named(e.name)
	if covered != nil {
		warn("name", "takes the place of the scenario "+e.name, covered)
	}
	for magic := range e.magic.values() {
		if from := c.base.find(magic); from != nil && from != covered {
			warn(magic.kind.key(), "takes "+magic.String()+" from the scenario "+from.name, from)
		}
	}
	return warnings
}

// values yields what there is.
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

// global reports whether nothing of a request leads here, and so every request.
func (m Magic) global() bool { return m == Magic{APIKey: m.APIKey} }

// Len returns how many scenarios there are.
func (c *Catalogue) Len() int { return len(c.visible()) }

// All returns the scenarios in the order of their files, the built-in ones first. The caller may not change them.
func (c *Catalogue) All() []*Scenario { return scenariosOf(c.visible()) }

// visible returns what is not covered, in the order of the files.
func (c *Catalogue) visible() []*entry {
	if c.base == nil {
		return c.entries
	}
	return slices.Concat(slices.DeleteFunc(slices.Clone(c.base.visible()), c.covers), c.entries)
}

// Own returns the scenarios that are not built in. The caller may not change them.
func (c *Catalogue) Own() []*Scenario { return scenariosOf(c.entries[c.builtin:]) }

// Warnings returns what is allowed in the files and probably not meant.
func (c *Catalogue) Warnings() Problems { return c.warnings }

// ByName returns the scenario of a name, nil when there is none.
func (c *Catalogue) ByName(name string) *Scenario { return c.named(name).scenario() }

func (c *Catalogue) named(name string) *entry {
	if e := c.byName[name]; e != nil || c.base == nil {
		return e
	}
	return c.base.named(name)
}

// ByID returns the scenario of a resource's id, nil when there is none. Ids are case-sensitive.
func (c *Catalogue) ByID(kind Kind, id string) *Scenario {
	return c.find(magicValue{kind, id}).scenario()
}

func (c *Catalogue) find(magic magicValue) *entry {
	e := c.byMagic[magic]
	if e != nil || c.base == nil {
		return e
	}
	if e = c.base.find(magic); e == nil || c.covers(e) {
		return nil
	}
	return e
}

// BySSN returns the scenario that a credentials session for a number follows: the number's own, else that of any
// number, else nil.
func (c *Catalogue) BySSN(ssn api.SSN) *Scenario {
	if s := c.ByID(SSN, ssn.Digits()); s != nil {
		return s
	}
	return c.ByID(SSN, string(AnySSN))
}

// Nearest returns the magic value of a kind that a mistyped one most likely stands for.
func (c *Catalogue) Nearest(kind Kind, mistyped string) (value string, ok bool) {
	values := c.values[kind]
	for under := c.base; under != nil; under = under.base {
		values = append(slices.Clone(values), under.values[kind]...)
	}
	return api.Nearest(mistyped, values)
}

// ForKey returns the global scenarios of an API key, by what follows sk_test_ in it, in the order of their files.
func (c *Catalogue) ForKey(name string) []*Scenario { return scenariosOf(c.forKey(name)) }

func (c *Catalogue) forKey(name string) (all []*entry) {
	if c.base != nil {
		all = slices.DeleteFunc(c.base.forKey(name), c.covers)
	}
	for _, e := range c.global {
		if e.magic.APIKey == "" {
			all = append(all, e)
		} else if matched, _ := path.Match(e.magic.APIKey, name); matched { // a valid pattern is never malformed
			all = append(all, e)
		}
	}
	return all
}

// Over returns a catalogue of files that lies over another: a name or a magic value that both have is that of the files.
// Its error is all [Problems] of the files.
func (f Files) Over(base *Catalogue) (*Catalogue, error) {
	c := newCatalogue(0)
	c.base = base
	return c.finish(c.addFiles(f))
}

// covers reports whether a scenario of the base is out of sight, as its name is taken.
func (c *Catalogue) covers(e *entry) bool { return c.byName[e.name] != nil }
