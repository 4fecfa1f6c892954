package world

import "time"

// Instants are those at which the steps of a timeline were entered, by the steps' numbers: nil for one that was jumped
// over, or that was entered before instants were remembered. They end with the last that was entered.
type Instants []*time.Time

// At returns the instant at which a step was entered, nil when there is none.
func (in Instants) At(step int) *time.Time {
	if step >= len(in) {
		return nil
	}
	return in[step]
}

// enter returns the instants once a step is entered: those of later ones are forgotten, as they lie ahead again.
func (in Instants) enter(step int, at time.Time) Instants {
	entered := make(Instants, step, step+1)
	copy(entered, in)
	return append(entered, new(at.UTC()))
}
