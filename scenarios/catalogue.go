package scenarios

import (
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
	scenarios []*Scenario
	builtin   int // how many of the first are built in
	byName    map[string]*Scenario
	byMagic   map[magicValue]*Scenario
	values    map[Kind][]string // in the order of the scenarios
	worldwide []*Scenario
	texts     map[string]string // of the files, by name
	warnings  Problems
	replaced  []replacement
	base      *Catalogue // that this one is laid over; nil when it stands alone
}

// key returns the kind's key in scenario files.
func (k Kind) key() string { return strings.ToLower(strings.ReplaceAll(string(k), " ", "_")) }

type magicValue struct {
	kind  Kind
	value string
}

// add takes a scenario in, or says whose name or magic value it repeats.
func (c *Catalogue) add(s *Scenario, places map[string]Position) (problems Problems) {
	if earlier, ok := c.byName[s.Name]; ok && s.Name != "" {
		problems = append(problems, c.taken(places["name"], "the name "+s.Name, earlier))
	}
	for _, magic := range s.Magic.values() {
		if earlier, ok := c.byMagic[magic]; ok {
			problems = append(problems, c.taken(places[magic.kind.key()], "the "+string(magic.kind)+" "+magic.value, earlier))
		}
		c.byMagic[magic] = s
		c.values[magic.kind] = append(c.values[magic.kind], magic.value)
	}
	if s.Worldwide() {
		c.worldwide = append(c.worldwide, s)
	}
	c.byName[s.Name] = s
	c.scenarios = append(c.scenarios, s)
	return problems
}

// taken says that an earlier scenario has what another claims at a place, and where that is.
func (c *Catalogue) taken(at Position, what string, earlier *Scenario) Problem {
	text := what + " is taken: " + earlier.At.String()
	if slices.Contains(c.scenarios[:c.builtin], earlier) {
		text += ", which is built in: choose another, or name your file " + path.Base(earlier.At.File) + " to replace all of that file"
	}
	return Problem{At: at, What: text}
}

func (m Magic) values() []magicValue {
	all := []magicValue{
		{VerificationRequestID, m.VerificationRequest},
		{TenantPropertyID, m.TenantProperty},
		{QualificationCheckID, m.QualificationCheck},
		{SSN, string(m.SSN)},
		{APIKey, m.APIKey},
	}
	return slices.DeleteFunc(all, func(v magicValue) bool { return v.value == "" })
}

// Len returns how many scenarios there are.
func (c *Catalogue) Len() int { return len(c.All()) }

// All returns the scenarios in the order of their files, the built-in ones first. The caller may not change them.
func (c *Catalogue) All() []*Scenario {
	if c.base == nil {
		return c.scenarios
	}
	seen := slices.DeleteFunc(slices.Clone(c.base.All()), c.covers)
	return append(seen, c.scenarios...)
}

// Own returns the scenarios that are not built in. The caller may not change them.
func (c *Catalogue) Own() []*Scenario { return c.scenarios[c.builtin:] }

// Warnings returns what is allowed in the files and probably not meant.
func (c *Catalogue) Warnings() Problems { return c.warnings }

// Replaced names the built-in files that others of the same name stand in for, and these.
func (c *Catalogue) Replaced() (all []string) {
	for _, r := range c.replaced {
		all = append(all, r.file+" by "+r.by)
	}
	return all
}

// replacement is a built-in file, and the one that stands in for it.
type replacement struct{ file, by string }

// ByName returns the scenario of a name, nil when there is none.
func (c *Catalogue) ByName(name string) *Scenario {
	if s := c.byName[name]; s != nil || c.base == nil {
		return s
	}
	return c.base.ByName(name)
}

// ByID returns the scenario of a resource's id, nil when there is none. Ids are case-sensitive.
func (c *Catalogue) ByID(kind Kind, id string) *Scenario {
	s := c.byMagic[magicValue{kind, id}]
	if s != nil || c.base == nil {
		return s
	}
	if s = c.base.ByID(kind, id); s == nil || c.covers(s) {
		return nil
	}
	return s
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

// ForKey returns the worldwide scenarios of an API key, by what follows sk_test_ in it, in the order of their files.
func (c *Catalogue) ForKey(name string) (all []*Scenario) {
	if c.base != nil {
		all = slices.DeleteFunc(c.base.ForKey(name), c.covers)
	}
	for _, s := range c.worldwide {
		if s.Magic.APIKey == "" {
			all = append(all, s)
		} else if matched, _ := path.Match(s.Magic.APIKey, name); matched { // a valid pattern is never malformed
			all = append(all, s)
		}
	}
	return all
}

// Over returns a catalogue of files that lies over another: a name or a magic value that both have is that of the files.
// Its error is all [Problems] of the files.
func (f Files) Over(base *Catalogue) (*Catalogue, error) {
	c := newCatalogue()
	c.base = base
	return c.finish(c.addFiles(f))
}

// covers reports whether a scenario of the base is out of sight, as its name is taken.
func (c *Catalogue) covers(s *Scenario) bool { return c.byName[s.Name] != nil }
