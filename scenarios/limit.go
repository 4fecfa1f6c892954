package scenarios

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is how often something is served on a world's clock: as many as Requests at once, and then one each
// Per/Requests. The zero value is no limit.
type Limit struct {
	Requests int
	Per      time.Duration
}

// ParseLimit reads a limit such as 10/s, 600/m or 5/10s.
func ParseLimit(text string) (Limit, error) {
	count, span, ok := strings.Cut(text, "/")
	requests, err := strconv.Atoi(count)
	if span != "" && strings.ContainsAny(span[:1], "smhuµn") { // a unit alone
		span = "1" + span
	}
	per, spanErr := time.ParseDuration(span)
	limit := Limit{Requests: requests, Per: per}
	if !ok || err != nil || spanErr != nil || limit == (Limit{}) || limit.Check() != nil {
		return Limit{}, fmt.Errorf("%q is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s", text)
	}
	return limit, nil
}

// UnmarshalText reads what [ParseLimit] does.
func (l *Limit) UnmarshalText(text []byte) error {
	limit, err := ParseLimit(string(text))
	if err != nil {
		return fmt.Errorf("is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s")
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
