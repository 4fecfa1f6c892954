package behavior

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Timeline is the states of a verification request in their order: at least one step.
type Timeline []Step

// Step is a state, and what leads to it from the step before.
type Step struct {
	State               api.State               `json:"state" yaml:"state"`
	After               After                   `json:"after,omitzero" yaml:"after"` // zero in the first step
	CancellationReason  *api.CancellationReason `json:"cancellation_reason,omitzero" yaml:"cancellation_reason"`
	CancellationDetails *string                 `json:"cancellation_details,omitzero" yaml:"cancellation_details"`
}

// After is the condition that ends a step: one of the three.
type After struct {
	Reads   int      `json:"reads,omitzero" yaml:"reads"`     // this many reads have shown the step; see [Timeline.Read]
	Elapsed Duration `json:"elapsed,omitzero" yaml:"elapsed"` // this much time has passed on the world's clock; see [Timeline.Advance]
	Manual  bool     `json:"manual,omitzero" yaml:"manual"`   // the control plane has set the state; see [Timeline.Transition]
}

// String describes the condition in words, such as "after 2 reads".
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

// ValidateTimeline adds violations of steps, each at its number.
func ValidateTimeline(t Timeline, found *fixtures.Violations) {
	for i, step := range t {
		at := "timeline." + strconv.Itoa(i)
		if i == 0 {
			found.Require(step.After == After{}, at, "the first step is the start, and nothing can come before it: leave after out")
		} else {
			step.validateTransition(t[i-1].State, at, found)
		}
		found.Require(step.State != "", at, "a step needs a state, such as {state: processing, after: {reads: 2}}: one of %s", strings.ReplaceAll(strings.Trim(fmt.Sprint(step.State.Values()), "[]"), " ", ", "))
		because := step.CancellationReason != nil || step.CancellationDetails != nil
		found.Require(step.State == api.StateCanceled || !because, at, "only a canceled request has a cancellation reason and details: leave them out, or write state: canceled")
	}
}

// validateTransition checks a step against the state before it, by the state table of spec section 3.
func (s Step) validateTransition(from api.State, at string, found *fixtures.Violations) {
	found.Require(count(s.After.Reads > 0, s.After.Elapsed > 0, s.After.Manual) == 1, at, "a step needs after, which takes one of {reads: 1}, {elapsed: 10m} and {manual: true}: write after: {elapsed: 10m}")
	if why := Forbidden(from, s.State); from != "" && s.State != "" {
		found.Require(why == "", at, "%s", why)
	}
}

// count returns the number of conditions that hold.
func count(conditions ...bool) (n int) {
	for _, holds := range conditions {
		if holds {
			n++
		}
	}
	return n
}

// Forbidden explains why spec section 3 forbids a transition between two states, and returns "" for an allowed one.
func Forbidden(from, to api.State) string {
	switch {
	case from.Terminal() && to == api.StateCanceled && from != to:
		return fmt.Sprintf("nothing leaves %s, which is a terminal state, but by a cancellation of the service (spec section 3, the row from any state)", from)
	case from.Terminal():
		return fmt.Sprintf("nothing leaves %s, which is a terminal state (spec section 3)", from)
	case from == to:
		return fmt.Sprintf("it is %s already: a step goes to another state", from)
	case from == api.StatePendingApproval && to == api.StateCompleted:
		return "nothing is completed before it was processed: put {state: processing} between (spec section 3)"
	}
	return ""
}

// Duration is a span of time on a world's clock, written as 90s, 10m, 48h or 7d.
type Duration time.Duration

var (
	// overflowing matches spans of time that are well-formed, among those that cannot be parsed.
	overflowing = source.Expression(`^\+?([0-9]+(\.[0-9]*)?(h|m|s|ms|us|µs|ns))+$`)

	days = source.Expression(`([0-9]+\.?[0-9]*|\.[0-9]+)[dw]`)
	iso  = source.Expression(`^([+-]?)P([0-9.]+W)?([0-9.]+D)?(?:T([0-9.]+H)?([0-9.]+M)?([0-9.]+S)?)?$`)
)

// errTooLong is the error for a span of time that overflows.
var errTooLong = errors.New("is too long a span of time: at most 285 years, or 2500000h")

var errNoSpan = errors.New("is not a span of time such as 90s, 10m, 48h or 7d")

// ParseSpan reads a span of time in Go's units and d (24 hours) and w (7 days), such as 1d12h, or in those of ISO 8601, such as
// P1DT12H. It may be 0 or negative. The error does not repeat the text.
func ParseSpan(text string) (time.Duration, error) {
	if iso().MatchString(text) {
		text = strings.ToLower(iso().ReplaceAllString(text, "$1$2$3$4$5$6"))
	}
	text = days().ReplaceAllStringFunc(text, func(part string) string {
		last := len(part) - 1
		n, _ := strconv.ParseFloat(part[:last], 64) // digits
		return strconv.FormatFloat(n*map[byte]float64{'d': 24, 'w': 7 * 24}[part[last]], 'f', -1, 64) + "h"
	})
	span, err := time.ParseDuration(text)
	if err != nil && overflowing().MatchString(text) {
		return 0, errTooLong
	} else if err != nil {
		return 0, errNoSpan
	}
	return span, nil
}

// UnmarshalText reads a positive span. Its error does not repeat the text.
func (d *Duration) UnmarshalText(text []byte) error {
	span, err := ParseSpan(string(text))
	if err == nil && span <= 0 {
		err = errNoSpan
	}
	if err == nil {
		*d = Duration(span)
	}
	return err
}

// offset is a span of time since a world began, which may be 0.
type offset time.Duration

// UnmarshalText reads a span that is not negative. Its error does not repeat the text.
func (o *offset) UnmarshalText(text []byte) error {
	span, err := ParseSpan(string(text))
	if err == nil && span < 0 {
		err = errNoSpan
	}
	*o = offset(span)
	return err
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

// MarshalText writes the span as String returns it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Cursor is the position of a resource on its timeline.
type Cursor struct {
	Step    int       `json:"step"`
	Reads   int       `json:"reads"`   // that have shown the step; 0 unless the next step has after: {reads: n}
	Entered time.Time `json:"entered"` // when the step began
}

// Transition returns the cursor after the control plane has set the state: on the next step with that state, else on the
// last one before. When no step has the state, it returns c and false.
func (t Timeline) Transition(c Cursor, to api.State, now time.Time) (at Cursor, ok bool) {
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

// Ended reports whether c is on the last step.
func (t Timeline) Ended(c Cursor) bool { return c.Step >= len(t)-1 }

// CountsReads reports whether the step after c begins after a number of reads.
func (t Timeline) CountsReads(c Cursor) bool { return !t.Ended(c) && t[c.Step+1].After.Reads > 0 }

// Advance returns the cursor after the steps that have ended by an instant. Each next step begins when the one before has
// ended, however late that is noticed.
func (t Timeline) Advance(c Cursor, now time.Time) Cursor {
	for !t.Ended(c) && t[c.Step+1].After.Elapsed > 0 {
		due := c.Entered.Add(time.Duration(t[c.Step+1].After.Elapsed))
		if now.Before(due) {
			break
		}
		c = Cursor{Step: c.Step + 1, Entered: due}
	}
	return c
}

// Read returns the cursor after a read, which shows its step. A step with after: {reads: n} begins with the first read that
// follows n reads of the step before.
func (t Timeline) Read(c Cursor, now time.Time) Cursor {
	c = t.Advance(c, now)
	if t.CountsReads(c) && c.Reads >= t[c.Step+1].After.Reads {
		c = Cursor{Step: c.Step + 1, Entered: now}
	}
	if t.CountsReads(c) {
		c.Reads++
	}
	return c
}
