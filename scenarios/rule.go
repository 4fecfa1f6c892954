package scenarios

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Rule says when a call is answered otherwise than by its resource. All its conditions must hold. One of Respond, Fault
// and Limit answers; Delay goes with any of them or stands alone.
type Rule struct {
	On          Operation   `yaml:"on"`          // what is called
	State       []api.State `yaml:"state"`       // in which the call finds its verification request; default: any
	Calls       Calls       `yaml:"calls"`       // which of these calls, counted from 1; default: all
	Every       int         `yaml:"every"`       // every n-th of these calls; default: each
	Probability Probability `yaml:"probability"` // that it applies to a call; drawn from the seed
	Times       int         `yaml:"times"`       // how often it applies at most; default: without end
	Limit       Limit       `yaml:"limit"`       // it applies to calls above this rate, and answers 429
	Delay       *Delay      `yaml:"delay"`       // before the answer
	Respond     *Response   `yaml:"respond"`     // the answer
	Fault       Fault       `yaml:"fault"`       // that the connection has instead of the answer, or with it

	At Position `yaml:"-"`
}

// Response is the error that a rule answers with.
type Response struct {
	Status  int               `yaml:"status"`  // 400 to 599
	Message string            `yaml:"message"` // default: the status's own
	Headers map[string]string `yaml:"headers"` // beside the usual ones, or in their place
}

// Operation is what a client does to a resource, in one verb.
type Operation string

const (
	OnAny    Operation = "any"
	OnGet    Operation = "get"    // spec 4.2 and 4.5
	OnCancel Operation = "cancel" // spec 4.1
	OnUpdate Operation = "update" // spec 4.3
	OnCreate Operation = "create" // spec 4.4
)

// Values lists the operations that a rule may name.
func (Operation) Values() []Operation { return []Operation{OnAny, OnGet, OnCancel, OnUpdate, OnCreate} }

// Fault is what goes wrong on the connection.
type Fault string

const (
	NoFault Fault = ""

	// The connection ends before anything is done: with a reset, or in order and without a byte of an answer.
	ConnectionReset Fault = "connection-reset"
	Empty           Fault = "empty"

	// The call is carried out and its answer is lost on the way: half of the body comes, or bytes that are no HTTP, or
	// the body comes in pieces with pauses between them.
	Truncated Fault = "truncated"
	Malformed Fault = "malformed"
	Dribble   Fault = "dribble"
)

// Values lists the faults that a rule may name.
func (Fault) Values() []Fault { return []Fault{ConnectionReset, Empty, Truncated, Malformed, Dribble} }

// Prevents reports whether the call is not carried out.
func (f Fault) Prevents() bool { return f == ConnectionReset || f == Empty }

// Calls is a range of call numbers, written as 1, 2-3 or 4- (the fourth and all that follow). The zero value is all.
type Calls struct{ First, Last int } // Last is 0 when there is none

// UnmarshalText reads a range.
func (c *Calls) UnmarshalText(text []byte) error {
	first, last, ranged := strings.Cut(string(text), "-")
	from, err := strconv.Atoi(first)
	to := from
	if ranged {
		to, _ = strconv.Atoi(last) // 0 is refused below
	}
	open := ranged && last == ""
	if err != nil || from < 1 || to < from && !open {
		return errors.New("is not a call number such as 1, a range such as 2-3, or 4- for the fourth and all that follow")
	}
	*c = Calls{First: from, Last: to}
	return nil
}

// holds reports whether a call number is in the range.
func (c Calls) holds(number int) bool {
	return number >= c.First && (c.Last == 0 || number <= c.Last)
}

// String returns the range as it is written.
func (c Calls) String() string {
	switch {
	case c.Last == 0:
		return fmt.Sprintf("%d-", c.First)
	case c.First == c.Last:
		return fmt.Sprint(c.First)
	}
	return fmt.Sprintf("%d-%d", c.First, c.Last)
}

// Probability is a chance above 0 and up to 1. The zero value is none stated: always.
type Probability float64

// UnmarshalText reads a chance.
func (p *Probability) UnmarshalText(text []byte) (err error) {
	*p, err = aboveZero[Probability](text, 1, "is not a probability above 0 and up to 1, such as 0.1")
	return err
}

// aboveZero reads a number above 0 and up to some.
func aboveZero[T ~float64](text []byte, most float64, failure string) (T, error) {
	number, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(number > 0 && number <= most) {
		return 0, errors.New(failure)
	}
	return T(number), nil
}

// String says in words what the rule does, such as "calls 2-3 of get: 429 Too Many Requests".
func (r *Rule) String() string {
	var does []string
	if r.Delay != nil {
		does = append(does, "held back for "+r.Delay.String())
	}
	switch {
	case r.Fault != NoFault:
		does = append(does, "fault "+string(r.Fault))
	case r.Respond != nil:
		does = append(does, strings.TrimSpace(fmt.Sprint(r.Respond.Status, " ", http.StatusText(r.Respond.Status))))
	case r.Limit != (Limit{}):
		does = append(does, "429 Too Many Requests")
	}
	return r.condition() + ": " + strings.Join(does, ", ")
}

// condition says which calls the rule applies to.
func (r *Rule) condition() string {
	which, of := "every "+string(r.On), " of "+string(r.On)
	if r.On == OnAny {
		which, of = "every call", ""
	}
	switch {
	case r.Every > 0:
		which = fmt.Sprintf("every %s %s", ordinal(r.Every), strings.TrimPrefix(which, "every "))
	case r.Calls == Calls{1, 1}:
		which = "the first call" + of
	case r.Calls.First > 0 && r.Calls.First == r.Calls.Last:
		which = fmt.Sprintf("call %d%s", r.Calls.First, of)
	case r.Calls.Last > 0:
		which = fmt.Sprintf("calls %d-%d%s", r.Calls.First, r.Calls.Last, of)
	case r.Calls.First > 0:
		which = fmt.Sprintf("from call %d%s", r.Calls.First, of)
	}
	if r.Every > 0 && r.Calls != (Calls{}) {
		which += fmt.Sprintf(" of calls %s", r.Calls)
	}
	if len(r.State) > 0 {
		which += " while " + r.states(" or ")
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

// Delay is how long an answer is held back, in real time and not on the world's clock: exactly one of three.
type Delay struct {
	Fixed     Duration   `yaml:"fixed"`     // always as long
	Between   []Duration `yaml:"between"`   // the least and the greatest, all as likely
	LogNormal *LogNormal `yaml:"lognormal"` // as latencies are: mostly short, now and then long
}

// LogNormal is a distribution of which half lies below the median.
type LogNormal struct {
	Median Duration `yaml:"median"`
	Sigma  Sigma    `yaml:"sigma"` // of the logarithm: 0.4 spreads 95 % over a factor of 2.2 to either side
	Max    Duration `yaml:"max"`   // nothing is longer; default: 10 minutes
}

// Sigma is a standard deviation above 0 and up to 5.
type Sigma float64

// UnmarshalText reads a standard deviation.
func (s *Sigma) UnmarshalText(text []byte) (err error) {
	*s, err = aboveZero[Sigma](text, 5, "is not a sigma above 0 and up to 5, such as 0.4")
	return err
}

// String says how long the delay is.
func (d *Delay) String() string {
	switch {
	case d.Fixed > 0:
		return d.Fixed.String()
	case d.LogNormal != nil:
		return fmt.Sprintf("about %s (log-normal, sigma %v)", d.LogNormal.Median, float64(d.LogNormal.Sigma))
	default:
		return fmt.Sprintf("%s to %s", d.Between[0], d.Between[1])
	}
}

// maxDelay bounds every delay.
const maxDelay = 10 * time.Minute

// drawn reports whether the delay differs from call to call.
func (d *Delay) drawn() bool { return d != nil && d.Fixed == 0 }

// span returns the delay of a call by a uniform chance from 0 to below 1.
func (d *Delay) span(chance float64) time.Duration {
	switch {
	case d == nil:
		return 0
	case d.Fixed > 0:
		return time.Duration(d.Fixed)
	case d.LogNormal != nil:
		return d.LogNormal.span(chance)
	default:
		least, greatest := time.Duration(d.Between[0]), time.Duration(d.Between[1])
		return least + time.Duration(chance*float64(greatest-least))
	}
}

func (l *LogNormal) span(chance float64) time.Duration {
	limit := float64(cmp.Or(l.Max, Duration(maxDelay)))
	normal := math.Sqrt2 * math.Erfinv(2*chance-1) // -Inf at 0, which is no delay
	return time.Duration(min(limit, float64(l.Median)*math.Exp(float64(l.Sigma)*normal)))
}

// Validate lists what is wrong with the delay.
func (d Delay) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(count(d.Fixed > 0, d.Between != nil, d.LogNormal != nil) == 1, "", "a delay is one of {fixed: 1s}, {between: [50ms, 250ms]} and {lognormal: {median: 80ms, sigma: 0.4}}")
	found.Require(d.Between == nil || len(d.Between) == 2 && d.Between[0] <= d.Between[1], "between", "takes the least and the greatest delay: between: [50ms, 250ms]")
	for _, span := range append([]Duration{d.Fixed}, d.Between...) {
		found.Require(time.Duration(span) <= maxDelay, "", "a delay may be 10m at most")
	}
	return found
}

// Validate lists what is wrong with the distribution.
func (l LogNormal) Validate() []fixtures.Violation {
	found := fixtures.Violations{}
	found.Require(l.Median != 0 && l.Sigma != 0, "", "a lognormal delay needs a median and a sigma: {median: 80ms, sigma: 0.4}")
	found.Require((l.Max == 0 || l.Max >= l.Median) && time.Duration(max(l.Max, l.Median)) <= maxDelay, "max", "must be at least the median, and both at most 10m")
	return found
}

// Limit is how often something is served on a world's clock: as many as Requests at once, and then one each
// Per/Requests. The zero value is no limit.
type Limit struct {
	Requests int
	Per      time.Duration
}

// ParseLimit reads a limit such as 10/s, 600/m or 5/10s.
func ParseLimit(text string) (limit Limit, err error) {
	if err = limit.UnmarshalText([]byte(text)); err != nil {
		err = fmt.Errorf("%q %w", text, err)
	}
	return limit, err
}

// UnmarshalText reads what [ParseLimit] does.
func (l *Limit) UnmarshalText(text []byte) error {
	count, span, ok := strings.Cut(string(text), "/")
	requests, err := strconv.Atoi(count)
	if span != "" && strings.ContainsAny(span[:1], "smhuµn") { // a unit alone
		span = "1" + span
	}
	per, spanErr := time.ParseDuration(span)
	limit := Limit{Requests: requests, Per: per}
	if !ok || err != nil || spanErr != nil || limit == (Limit{}) || limit.Check() != nil {
		return errors.New("is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s")
	}
	*l = limit
	return nil
}

// Check returns an error for a limit that is none.
func (l Limit) Check() error {
	if l != (Limit{}) && (l.Requests < 1 || l.Per < time.Duration(l.Requests)) {
		return fmt.Errorf("%d requests in %v are no rate limit: both must be positive", l.Requests, l.Per)
	}
	return nil
}

// String returns the limit as [ParseLimit] reads it, "off" when there is none.
func (l Limit) String() string {
	if l == (Limit{}) {
		return "off"
	}
	return fmt.Sprintf("%d/%s", l.Requests, l.Per)
}

// Admit judges one more request by the generic cell rate algorithm, whose theoretical arrival time tat is; zero before
// the first. It returns the next one, or how long to wait.
func (l Limit) Admit(tat, now time.Time) (next time.Time, wait time.Duration) {
	if tat.Before(now) {
		tat = now
	}
	next = tat.Add(l.Per / time.Duration(l.Requests))
	return next, max(0, next.Sub(now)-l.Per)
}
