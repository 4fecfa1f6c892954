package behavior

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is a rate limit on a world's clock: a burst of Requests, and then one request each Per/Requests. The zero value is
// no limit.
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

// UnmarshalText reads a limit as [ParseLimit] does. Its error does not repeat the text.
func (l *Limit) UnmarshalText(text []byte) error {
	count, span, ok := strings.Cut(string(text), "/")
	requests, err := strconv.Atoi(count)
	if span != "" && strings.ContainsAny(span[:1], "smhuµndw") { // a unit alone
		span = "1" + span
	}
	per, spanErr := ParseSpan(span)
	limit := Limit{Requests: requests, Per: per}
	if !ok || err != nil || spanErr != nil || limit == (Limit{}) || limit.Check() != nil {
		return errors.New("is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s")
	}
	*l = limit
	return nil
}

// Check returns an error for a limit that is neither positive nor zero.
func (l Limit) Check() error {
	if l != (Limit{}) && (l.Requests < 1 || l.Per < time.Duration(l.Requests)) {
		return fmt.Errorf("%d requests in %v are no rate limit: both must be positive", l.Requests, l.Per)
	}
	return nil
}

// String returns the limit as [ParseLimit] reads it, "off" for no limit.
func (l Limit) String() string {
	if l == (Limit{}) {
		return "off"
	}
	return fmt.Sprintf("%d/%s", l.Requests, l.Per)
}

// Admit applies the generic cell rate algorithm to one more request, given the theoretical arrival time tat, which is zero
// for the first. It returns the next one, and how long to wait when the request is not admitted.
func (l Limit) Admit(tat, now time.Time) (next time.Time, wait time.Duration) {
	if tat.Before(now) {
		tat = now
	}
	next = tat.Add(l.Per / time.Duration(l.Requests))
	return next, max(0, next.Sub(now)-l.Per)
}
