// Package behavior is what a magic value does. The rules and the timeline of a scenario, a call and the counters so far flow in; a
// decision and the counters after the call, or the next place on the timeline, flow out. It stores no state.
package behavior

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios/internal/source"
)

// Rule changes how a call is answered when all of its conditions hold. One of Respond, Fault and Limit answers; Delay goes
// with any of them or stands alone. A rule on webhooks has Deliver alone.
type Rule struct {
	On          Operation   `yaml:"on"`
	State       []api.State `yaml:"state"` // of the verification request before the call; nil is any
	Calls       calls       `yaml:"calls"`
	Every       int         `yaml:"every"`
	Probability probability `yaml:"probability"`
	Times       int         `yaml:"times"`   // 0 is without limit
	Between     []offset    `yaml:"between"` // the time of the world's clock since the world began: from the first to before the second; nil is any
	Limit       Limit       `yaml:"limit"`   // the rule applies to calls above this rate, and answers 429 without Respond
	Delay       *delay      `yaml:"delay"`
	Respond     *Response   `yaml:"respond"`
	Fault       Fault       `yaml:"fault"`
	Deliver     *deliver    `yaml:"deliver"`

	At source.Position `yaml:"-"`
}

// Operation is what a rule's on names: the verb of operations of the API, or any verb, for every kind of resource or for one,
// as in "get qualification_check".
type Operation string

// OnAny names every operation.
const OnAny Operation = "any"

// OnWebhook names the deliveries of webhooks, which are no calls.
const OnWebhook Operation = "webhook"

// Verbs are those of the operations, the reading one first.
var Verbs = []Operation{"get", "cancel", "update", "create", "list", "report", "reverify"}

// Values lists what on may name: the Verbs, then those of each resource.
func (Operation) Values() []Operation {
	all := append([]Operation{OnAny}, Verbs...)
	for _, resource := range []Operation{"verification_request", "qualification_check", "tenant_property", "credentials_session", "company"} {
		for _, verb := range append([]Operation{OnAny}, Verbs...) {
			if on := verb + " " + resource; slices.ContainsFunc(operations(), func(op api.Operation) bool { return Covers(on, op) }) {
				all = append(all, on)
			}
		}
	}
	return append(all, OnWebhook)
}

// Covers reports whether on names an operation.
func Covers(on Operation, op api.Operation) bool {
	verb, resource, limited := strings.Cut(string(on), " ")
	return (verb == string(OnAny) || verb == op.Verb) && (!limited || resource == strings.ReplaceAll(op.Resource, " ", "_"))
}

// Verifies reports whether the rule can apply to calls for verification requests, or to webhooks about them.
func (r *Rule) Verifies() bool {
	return r.On == OnWebhook || slices.ContainsFunc(operations(), func(op api.Operation) bool {
		return op.Resource == "verification request" && Covers(r.On, op)
	})
}

// operations returns the operations of the API. The caller must not change them: requests ask for them.
var operations = sync.OnceValue(api.Operations)

// Fault is a fault of the connection.
type Fault string

const (
	NoFault Fault = ""

	// The connection ends before the call is carried out: by a reset, or in order and without a byte of an answer.
	ConnectionReset Fault = "connection-reset"
	Empty           Fault = "empty"

	// The call is carried out and its answer is damaged: half of the body arrives, or bytes that are not HTTP, or the body
	// arrives in pieces with pauses between them.
	Truncated Fault = "truncated"
	Malformed Fault = "malformed"
	Dribble   Fault = "dribble"
)

// Values lists the faults that a rule may name.
func (Fault) Values() []Fault { return []Fault{ConnectionReset, Empty, Truncated, Malformed, Dribble} }

// Prevents reports whether the call is not carried out.
func (f Fault) Prevents() bool { return f == ConnectionReset || f == Empty }

// calls is a range of call numbers, counted from 1 and written as 1, 2-3 or 4- (all from the fourth on). The zero value is
// all calls.
type calls struct{ First, Last int } // Last is 0 for a range without end

// UnmarshalText reads a range.
func (c *calls) UnmarshalText(text []byte) error {
	first, last, ranged := strings.Cut(string(text), "-")
	from, err := strconv.Atoi(first)
	to := from
	if ranged {
		to, _ = strconv.Atoi(last) // 0 is refused below
	}
	open := ranged && last == ""
	if err != nil || from < 1 || to < from && !open {
		return errors.New("is not a call number such as 1, a range such as 2-3, or 4- for all from the fourth on")
	}
	*c = calls{First: from, Last: to}
	return nil
}

// contains reports whether a call number is in the range.
func (c calls) contains(number int) bool {
	return number >= c.First && (c.Last == 0 || number <= c.Last)
}

// String returns the range as scenario files write it.
func (c calls) String() string {
	switch {
	case c.Last == 0:
		return fmt.Sprintf("%d-", c.First)
	case c.First == c.Last:
		return fmt.Sprint(c.First)
	}
	return fmt.Sprintf("%d-%d", c.First, c.Last)
}

// probability is a number above 0 and up to 1. The zero value stands for no probability in the rule, which then always
// applies.
type probability float64

// UnmarshalText reads a probability.
func (p *probability) UnmarshalText(text []byte) (err error) {
	*p, err = parsePositive[probability](text, 1, "is not a probability above 0 and up to 1, such as 0.1")
	return err
}

// parsePositive reads a number above 0 and up to most.
func parsePositive[T ~float64](text []byte, most float64, failure string) (T, error) {
	number, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(number > 0 && number <= most) {
		return 0, errors.New(failure)
	}
	return T(number), nil
}

// String describes the rule in words, such as "calls 2-3 of get: 429 Too Many Requests".
func (r *Rule) String() string {
	var effects []string
	if r.Delay != nil {
		effects = append(effects, "delayed by "+r.Delay.String())
	}
	switch {
	case r.Deliver != nil:
		effects = append(effects, r.Deliver.String())
	case r.Fault != NoFault:
		effects = append(effects, "fault "+string(r.Fault))
	case r.Respond != nil:
		effects = append(effects, r.Respond.words(r.Limit))
	case r.Limit != (Limit{}):
		effects = append(effects, new(Response).words(r.Limit))
	}
	return r.condition() + ": " + strings.Join(effects, ", ")
}

// condition describes in words which calls the rule applies to.
func (r *Rule) condition() string {
	which, call, of := "every "+string(r.On), "call", " of "+string(r.On)
	if resource, any := strings.CutPrefix(string(r.On), string(OnAny)); any {
		of = strings.Replace(resource, " ", " of ", 1)
		which = "every call" + of
	}
	if r.On == OnWebhook {
		call, of = string(r.On), ""
	}
	switch {
	case r.Every > 0:
		which = fmt.Sprintf("every %s %s", ordinal(r.Every), strings.TrimPrefix(which, "every "))
	case r.Calls == calls{1, 1}:
		which = "the first " + call + of
	case r.Calls.First > 0 && r.Calls.First == r.Calls.Last:
		which = fmt.Sprintf("%s %d%s", call, r.Calls.First, of)
	case r.Calls.Last > 0:
		which = fmt.Sprintf("%ss %d-%d%s", call, r.Calls.First, r.Calls.Last, of)
	case r.Calls.First > 0:
		which = fmt.Sprintf("from %s %d%s", call, r.Calls.First, of)
	}
	if r.Every > 0 && r.Calls != (calls{}) {
		which += fmt.Sprintf(" of %ss %s", call, r.Calls)
	}
	if len(r.State) > 0 {
		which += " while " + r.states(" or ")
	}
	if r.Between != nil {
		which += fmt.Sprintf(" from %s to before %s after the world began", Duration(r.Between[0]), Duration(r.Between[1]))
	}
	if r.Probability > 0 {
		which += fmt.Sprintf(", with probability %v", float64(r.Probability))
	}
	if r.Times == 1 {
		which += ", once"
	} else if r.Times > 1 {
		which += fmt.Sprintf(", %d times", r.Times)
	}
	if r.Limit != (Limit{}) {
		which += " above " + r.Limit.String()
	}
	return which
}

func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 && n%10 <= 3 {
		suffix = []string{"th", "st", "nd", "rd"}[n%10]
	}
	return fmt.Sprint(n, suffix)
}
