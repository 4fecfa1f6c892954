package scenarios

import (
	"embed"
	"errors"
	"io/fs"
	"path"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// builtin holds the scenarios that answer in every world.
//
//go:embed catalogue/*.yaml
var builtin embed.FS

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
	byName    map[string]*Scenario
	byMagic   map[magicValue]*Scenario
	values    map[Kind][]string // in the order of the scenarios
	worldwide []*Scenario
}

type magicValue struct {
	kind  Kind
	value string
}

// Builtin returns the embedded catalogue.
func Builtin() (*Catalogue, error) { return Load(builtin) }

// Load reads the scenario files (.yaml, .yml) of a file system. Its error has all [Problems], and the reason that a file
// could not be read.
func Load(files fs.FS) (*Catalogue, error) {
	c := &Catalogue{
		byName:  make(map[string]*Scenario),
		byMagic: make(map[magicValue]*Scenario),
		values:  make(map[Kind][]string),
	}
	var problems Problems
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isScenarioFile(name) {
			return err
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		found, wrong := Parse(name, data)
		problems = append(problems, wrong...)
		for _, s := range found {
			problems = append(problems, c.add(s)...)
		}
		return nil
	})
	if err := errors.Join(err, problems.err()); err != nil {
		return nil, err
	}
	return c, nil
}

func isScenarioFile(name string) bool {
	extension := path.Ext(name)
	return extension == ".yaml" || extension == ".yml"
}

// add takes a scenario in, or says whose name or magic value it repeats.
func (c *Catalogue) add(s *Scenario) (problems Problems) {
	if earlier, ok := c.byName[s.Name]; ok {
		problems = append(problems, Problem{s.At, "the name " + s.Name + " is taken: " + earlier.At.String()})
	}
	for _, magic := range s.Magic.values() {
		if earlier, ok := c.byMagic[magic]; ok {
			problems = append(problems, Problem{s.At, "the " + string(magic.kind) + " " + magic.value + " is taken: " + earlier.At.String()})
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
func (c *Catalogue) Len() int { return len(c.scenarios) }

// All returns the scenarios in the order of their files. The caller may not change them.
func (c *Catalogue) All() []*Scenario { return c.scenarios }

// ByName returns the scenario of a name, nil when there is none.
func (c *Catalogue) ByName(name string) *Scenario { return c.byName[name] }

// ByID returns the scenario of a resource's id, nil when there is none. Ids are case-sensitive.
func (c *Catalogue) ByID(kind Kind, id string) *Scenario { return c.byMagic[magicValue{kind, id}] }

// BySSN returns the scenario that a credentials session for a number follows: the number's own, else that of any
// number, else nil.
func (c *Catalogue) BySSN(ssn api.SSN) *Scenario {
	if s, ok := c.byMagic[magicValue{SSN, ssn.Digits()}]; ok {
		return s
	}
	return c.byMagic[magicValue{SSN, string(AnySSN)}]
}

// Nearest returns the magic value of a kind that a mistyped one most likely stands for.
func (c *Catalogue) Nearest(kind Kind, mistyped string) (value string, ok bool) {
	return api.Nearest(mistyped, c.values[kind])
}

// ForKey returns the worldwide scenarios of an API key, by what follows sk_test_ in it, in the order of their files.
func (c *Catalogue) ForKey(name string) (all []*Scenario) {
	for _, s := range c.worldwide {
		if s.Magic.APIKey == "" {
			all = append(all, s)
		} else if matched, _ := path.Match(s.Magic.APIKey, name); matched { // a valid pattern is never malformed
			all = append(all, s)
		}
	}
	return all
}
