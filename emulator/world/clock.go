package world

import "time"

// Clock is what new worlds take their time from. The zero value runs with the machine.
type Clock struct {
	Frozen time.Time        // when set, every world starts frozen at this instant
	Wall   func() time.Time // the machine's clock; default [time.Now]
}

// FrozenAt returns the clock of worlds that start frozen at an instant.
func FrozenAt(instant time.Time) Clock { return Clock{Frozen: instant} }

func (c Clock) wall() time.Time {
	if c.Wall == nil {
		return time.Now()
	}
	return c.Wall()
}

// newRecord returns the record of a world that is made now.
func (c Clock) newRecord(seed uint64) record {
	if c.Frozen.IsZero() {
		return record{Seed: seed, Created: c.wall().UTC().Truncate(time.Second)}
	}
	return record{Seed: seed, Created: c.Frozen.UTC(), Frozen: true}
}

// String returns the clock as the flag --clock has it: real, or the instant.
func (c Clock) String() string {
	if c.Frozen.IsZero() {
		return "real"
	}
	return c.Frozen.UTC().Format(time.RFC3339Nano)
}
