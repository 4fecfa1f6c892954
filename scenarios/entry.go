package scenarios

// entry is a scenario of a catalogue: what leads to it, and itself once it is asked for.
type entry struct {
	name  string
	magic Magic
	at    Position
	found *Scenario // nil where from has it
	from  *document
	row   int // of those that from makes
}

// loaded returns the entry of a scenario that was read.
func loaded(s *Scenario) *entry { return &entry{name: s.Name, magic: s.Magic, at: s.At, found: s} }

// scenario returns the scenario, which is always the same one: nil of no entry.
func (e *entry) scenario() *Scenario {
	switch {
	case e == nil:
		return nil
	case e.from == nil:
		return e.found
	}
	return e.from.scenarios()[e.row]
}

func scenariosOf(entries []*entry) []*Scenario {
	all := make([]*Scenario, len(entries))
	for i, e := range entries {
		all[i] = e.scenario()
	}
	return all
}
