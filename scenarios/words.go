package scenarios

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

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
	switch {
	case n%100/10 == 1:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return fmt.Sprint(n, suffix)
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
