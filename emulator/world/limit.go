package world

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Limit is how often a world serves requests on its own clock: as many as Requests at once, and then one each
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

// admit judges one more request by the generic cell rate algorithm, whose theoretical arrival time tat is. It returns the
// next one, or how long to wait.
func (l Limit) admit(tat, now time.Time) (next time.Time, wait time.Duration) {
	if tat.Before(now) {
		tat = now
	}
	next = tat.Add(l.Per / time.Duration(l.Requests))
	return next, max(0, next.Sub(now)-l.Per)
}

// Admit counts a request against the world's limit. Its error is an [*api.Error] with status 429.
//
// The count stands in the store and not in memory, so that it holds for all replicas and survives a restart.
func (w *World) Admit(ctx context.Context) error {
	limit := w.worlds.config.Limit
	if limit == (Limit{}) {
		return nil
	}
	return w.update(ctx, "limit", func(old []byte) ([]byte, error) {
		var tat time.Time
		if old != nil {
			if err := json.Unmarshal(old, &tat); err != nil {
				return nil, err
			}
		}
		next, wait := limit.admit(tat, w.now)
		if wait > 0 {
			return nil, w.limited(wait)
		}
		return json.Marshal(next)
	})
}

func (w *World) limited(wait time.Duration) *api.Error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	diagnosis := "rate limit " + w.worlds.config.Limit.String() + " of this world, counted on its clock"
	if w.frozen {
		diagnosis += ", which is frozen: nothing more is served until it moves"
	}
	refusal := api.NewError(http.StatusTooManyRequests, diagnosis)
	refusal.Header.Set("Retry-After", strconv.FormatInt(seconds, 10))
	return refusal
}
