package scenarios

import "github.com/understudy-sandbox/understudy/emulator/api"

// Timeline is how a verification request moves from state to state: at least one step.
type Timeline []Step

// Step is a state and what leads to it.
type Step struct {
	State               api.State               `yaml:"state"`
	After               After                   `yaml:"after"` // empty in the first step
	CancellationReason  *api.CancellationReason `yaml:"cancellation_reason"`
	CancellationDetails *string                 `yaml:"cancellation_details"`

	At Position `yaml:"-"`
}

// After is what must have happened in the step before.
type After struct {
	Reads int `yaml:"reads"` // so many reads have shown it
}

// Cursor is where a resource stands on its timeline. The zero value is the start.
type Cursor struct {
	Step  int `json:"step"`
	Reads int `json:"reads"` // that have shown the step; counted only while a read can end it
}

// Still reports whether no read can move the timeline on from p.
func (t Timeline) Still(p Cursor) bool { return p.Step >= len(t)-1 }

// Read returns where a read finds the resource: it moves on first when the step has been shown often enough, and is
// then itself one that shows a step.
func (t Timeline) Read(p Cursor) Cursor {
	if t.Still(p) {
		return p
	}
	if p.Reads >= t[p.Step+1].After.Reads {
		p = Cursor{Step: p.Step + 1}
	}
	if !t.Still(p) {
		p.Reads++
	}
	return p
}
