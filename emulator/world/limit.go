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
	if span != "" && !strings.ContainsAny(span[:1], "0123456789") {
		span = "1" + span
	}
	per, spanErr := time.ParseDuration(span)
	if !ok || err != nil || spanErr != nil || requests < 1 || per < time.Duration(requests) {
		return Limit{}, fmt.Errorf("%q is not a rate limit: write requests/time, such as 10/s, 600/m or 5/10s", text)
	}
	return Limit{Requests: requests, Per: per}, nil
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
			return nil, limited(limit, wait)
		}
		return json.Marshal(next)
	})
}

func limited(limit Limit, wait time.Duration) *api.Error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	refusal := api.NewError(http.StatusTooManyRequests, "rate limit "+limit.String()+" of this world, counted on its clock")
	refusal.Header.Set("Retry-After", strconv.FormatInt(seconds, 10))
	return refusal
}
