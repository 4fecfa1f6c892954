package scenarios

// Global reports whether the rules of the scenario apply to every call.
func (s *Scenario) Global() bool { return s.Magic.global() }
