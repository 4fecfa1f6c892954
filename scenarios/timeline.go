package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Timeline is how a verification request moves from state to state: at least one step.
type Timeline []Step

// Step is a state and what leads to it.
type Step struct {
	State               api.State               `yaml:"state"`
	After               After                   `yaml:"after"` // empty in the first step
	CancellationReason  *api.CancellationReason `yaml:"cancellation_reason"`
	CancellationDetails *string                 `yaml:"cancellation_details"`
}

// After is what must have happened in the step before: one of the three.
type After struct {
	Reads   int      `yaml:"reads"`   // so many reads have shown it
	Elapsed Duration `yaml:"elapsed"` // so much of the world's time has passed in it
	Manual  bool     `yaml:"manual"`  // somebody has moved it on by the control plane
}

// String says in words what leads to a step, such as "after 2 reads".
func (a After) String() string {
	switch {
	case a.Reads == 1:
		return "after 1 read"
	case a.Reads > 1:
		return fmt.Sprintf("after %d reads", a.Reads)
	case a.Elapsed > 0:
		return "after " + a.Elapsed.String()
	case a.Manual:
		return "by hand"
	}
	return "from the start"
}

// Forbidden says why a verification request cannot go from one state to another by spec section 3, "" when it can.
func Forbidden(from, to api.State) string {
	switch {
	case from.Terminal():
		return fmt.Sprintf("nothing leaves %s, which is a terminal state (spec section 3)", from)
	case from == to:
		return fmt.Sprintf("it is %s already: a step goes to another state", from)
	case from == api.StatePendingApproval && to == api.StateCompleted:
		return "nothing is completed before it was processed: put {state: processing} between (spec section 3)"
	}
	return ""
}

// Duration is a span of a world's time, written as 90s, 10m or 48h.
type Duration time.Duration

// tooLong finds among what cannot be read as a span of time what is one.
var tooLong = regexp.MustCompile(`^\+?([0-9]+(\.[0-9]*)?(h|m|s|ms|us|µs|ns))+$`)

// ErrTooLong is the error of a span of time that cannot be counted.
var ErrTooLong = errors.New("is too long a span of time: 285 years, which are 2.5 million hours, are about the most")

// UnmarshalText reads a positive span.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := time.ParseDuration(string(text))
	if err != nil && tooLong.Match(text) {
		return ErrTooLong
	}
	if err != nil || span <= 0 {
		return fmt.Errorf("is not a span of time such as 90s, 10m or 48h")
	}
	*d = Duration(span)
	return nil
}

// String returns the span as scenario files write it, such as 48h or 1h30m.
func (d Duration) String() string {
	text := time.Duration(d).String()
	for _, empty := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, empty) {
			text = strings.TrimSuffix(text, empty[1:])
		}
	}
	return text
}

// MarshalText writes the span as String has it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Cursor is where a resource stands on its timeline.
type Cursor struct {
	Step    int       `json:"step"`
	Reads   int       `json:"reads"`   // that have shown the step; counted only while a read can end it
	Entered time.Time `json:"entered"` // the instant at which the step began
}

// Jump returns where a resource stands that was put into a state at an instant: at the next step with that state, else at
// the last one before. It is not ok when no step has the state, and c as it was then.
func (t Timeline) Jump(c Cursor, to api.State, now time.Time) (at Cursor, ok bool) {
	at = c
	for i := range t {
		if t[i].State != to {
			continue
		}
		at, ok = Cursor{Step: i, Entered: now}, true
		if i > c.Step {
			break
		}
	}
	return at, ok
}

// Still reports whether nothing moves the timeline on from c.
func (t Timeline) Still(c Cursor) bool { return c.Step >= len(t)-1 }

// Counts reports whether a read of a resource that stands at c counts.
func (t Timeline) Counts(c Cursor) bool { return !t.Still(c) && t[c.Step+1].After.Reads > 0 }

// Advance returns where the resource stands at an instant: each step whose time has come began at its own instant.
func (t Timeline) Advance(c Cursor, now time.Time) Cursor {
	for !t.Still(c) && t[c.Step+1].After.Elapsed > 0 {
		due := c.Entered.Add(time.Duration(t[c.Step+1].After.Elapsed))
		if now.Before(due) {
			break
		}
		c = Cursor{Step: c.Step + 1, Entered: due}
	}
	return c
}

// Read returns where a read at an instant finds the resource: it moves on first when the step has been shown often
// enough, and is then itself one that shows a step.
func (t Timeline) Read(c Cursor, now time.Time) Cursor {
	c = t.Advance(c, now)
	if t.Counts(c) && c.Reads >= t[c.Step+1].After.Reads {
		c = Cursor{Step: c.Step + 1, Entered: now}
	}
	if t.Counts(c) {
		c.Reads++
	}
	return c
}
