package scenarios

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
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

// credentialsSession is the kind of resource to which a social security number leads.
const credentialsSession Kind = "credentials session"

// leadsTo reports whether a magic value leads to a resource of a kind.
func (m Magic) leadsTo(kind Kind) bool {
	for magic := range m.values() {
		if magic.Kind == kind || magic.Kind == SSN && (kind == VerificationRequestID || kind == credentialsSession) {
			return true
		}
	}
	return false
}

// calledBy reports whether a magic value leads to calls of an operation: an id to those on the resource, a social security number
// to those that create one, too. A list is of no resource.
func (m Magic) calledBy(op api.Operation) bool {
	switch {
	case op.Verb == "list":
		return false
	case op.Verb == "create":
		return m.SSN != ""
	}
	return m.leadsTo(Kind(op.Resource))
}

// global reports whether the rules of the scenario apply to every call, or to every call with the API key.
func (m Magic) global() bool { return m == Magic{APIKey: m.APIKey} }

// Catalogue is a set of scenarios with unique names and magic values. It is immutable.
type Catalogue struct {
	all       []*entry
	inherited int // the number of entries of the base, which come first
	byName    map[string]*entry
	byMagic   map[MagicValue]*entry
	values    map[Kind][]string // in the order of the scenarios
	global    []*entry          // of all, those with global rules
	replaced  map[*entry]*entry // by their replacements
	warnings  Problems
	bytes     int64      // see Bytes
	base      *Catalogue // nil without a base
}

// entry is a scenario of a catalogue. A built-in scenario is parsed when it is first used.
type entry struct {
	name      string
	magic     Magic
	replaces  []string
	at        Position
	positions map[string]Position // of the name, of replaces and of the magic values, by their keys; nil when it is built in
	scenario  func() *Scenario    // returns the same pointer each time
}

func newCatalogue(base *Catalogue) *Catalogue {
	return &Catalogue{
		byName:   make(map[string]*entry),
		byMagic:  make(map[MagicValue]*entry),
		values:   make(map[Kind][]string),
		replaced: make(map[*entry]*entry),
		base:     base,
	}
}

// register adds a scenario.
func (c *Catalogue) register(e *entry) {
	c.all = append(c.all, e)
	c.byName[e.name] = e
	for magic := range e.magic.values() {
		c.byMagic[magic] = e
		c.values[magic.Kind] = append(c.values[magic.Kind], magic.Value)
	}
	if e.magic.global() {
		c.global = append(c.global, e)
	}
}

// indexed is the approximate memory of the index of a scenario, in bytes.
const indexed = 256

// inherit adds the scenarios of the base that the files do not replace.
func (c *Catalogue) inherit() {
	if c.base == nil {
		return
	}
	for _, e := range c.base.all {
		if c.replaced[e] == nil {
			c.register(e)
		}
	}
	c.inherited = len(c.all)
	c.bytes += indexed * int64(len(c.all))
}

// replace takes out the scenarios that one of the files replaces, and one of the base whose name it has without saying so.
func (c *Catalogue) replace(e *entry, of []parsedFile) (problems Problems) {
	if c.base == nil {
		return nil
	}
	if taken := c.base.byName[e.name]; taken != nil && !slices.Contains(e.replaces, e.name) {
		problems = append(problems, taking(e.positions["name"], "the name "+e.name, taken))
		c.replaced[taken] = e
	}
	for _, name := range e.replaces {
		target, what := c.base.byName[name], ""
		if target == nil {
			target = otherNamed(name, e, of)
		}
		by := e // or what replaces that
		for by != nil && by != target {
			by = c.replaced[by]
		}
		switch {
		case target == nil:
			what = "there is no other scenario " + source.Quote(name) + api.DidYouMean(name, c.base.Names(), ": leave replaces out, or name the one whose place this takes")
		case c.replaced[target] != nil && c.replaced[target] != e:
			what = "replaces " + name + ", as " + c.replaced[target].at.String() + " does: leave it out in one of them"
		case by != nil:
			what = "replaces " + name + " at " + target.at.String() + ", which replaces this: leave it out in one of them"
		default:
			c.replaced[target] = e
			continue
		}
		problems = append(problems, Problem{At: e.positions["replaces"], What: what})
	}
	return problems
}

// otherNamed returns the scenario of files with a name, except one; nil without.
func otherNamed(name string, except *entry, files []parsedFile) *entry {
	for _, file := range files {
		for i := range file.found {
			if e := &file.found[i]; e.name == name && e != except {
				return e
			}
		}
	}
	return nil
}

// add adds a scenario of the files. It returns an error for each name and magic value that is taken.
func (c *Catalogue) add(e *entry) (problems Problems) {
	if c.replaced[e] != nil {
		return nil
	}
	if earlier := c.byName[e.name]; earlier != nil && e.name != "" {
		problems = append(problems, taking(e.positions["name"], "the name "+e.name, earlier))
	}
	for magic := range e.magic.values() {
		if earlier := c.byMagic[magic]; earlier != nil {
			problems = append(problems, taking(e.positions[magic.Kind.key()], "the "+string(magic.Kind)+" "+magic.Value, earlier))
		}
	}
	c.register(e)
	return problems
}

// taking returns the problem of a name or a magic value that another scenario has.
func taking(at Position, what string, earlier *entry) Problem {
	built := ""
	if earlier.positions == nil {
		built = ", which is built in"
	}
	return Problem{At: at, What: what + " is taken: " + earlier.at.String() + built + ": choose another, or write replaces: " + earlier.name + " to take its place"}
}

// lose returns a warning of the magic values that nobody has after a scenario has replaced others.
func (c *Catalogue) lose(e *entry) (warnings Problems) {
	if e.replaces == nil {
		return nil
	}
	var lost []string
	for replaced, by := range c.replaced {
		for magic := range replaced.magic.values() {
			if by == e && c.byMagic[magic] == nil {
				lost = append(lost, magic.Value)
			}
		}
	}
	if slices.Sort(lost); lost == nil {
		return nil
	}
	what := "leaves magic values without a scenario: " + strings.Join(lost, " ")
	return Problems{{At: e.positions["replaces"], What: what, Warning: true}}
}

// Bytes returns the approximate memory of the scenarios that are neither built in nor of the base, and of the index of those.
func (c *Catalogue) Bytes() int64 { return c.bytes }

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
func (c *Catalogue) Added() []*Scenario { return scenariosOf(c.all[c.inherited:]) }

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
