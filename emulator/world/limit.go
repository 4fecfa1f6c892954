package world

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Admit counts a request against the world's limit. Its error is an [*api.Error] with status 429.
//
// The count stands in the store and not in memory, so that it holds for all replicas and survives a restart.
func (w *World) Admit(ctx context.Context) error {
	limit := w.worlds.config.Limit
	if limit == (scenarios.Limit{}) {
		return nil
	}
	return w.update(ctx, "limit", func(old []byte) ([]byte, error) {
		var tat time.Time
		if old != nil {
			if err := json.Unmarshal(old, &tat); err != nil {
				return nil, err
			}
		}
		next, wait := limit.Admit(tat, w.now)
		if wait > 0 {
			return nil, w.limited(wait)
		}
		return json.Marshal(next)
	})
}

func (w *World) limited(wait time.Duration) *api.Error {
	diagnosis := "rate limit " + w.worlds.config.Limit.String() + " of this world, counted on its clock" + w.ifFrozen()
	refusal := api.NewError(http.StatusTooManyRequests, diagnosis)
	refusal.Header.Set("Retry-After", seconds(wait))
	return refusal
}

// ifFrozen says what a limit means on a clock that stands.
func (w *World) ifFrozen() string {
	if !w.Frozen() {
		return ""
	}
	return ", which is frozen: nothing more is served until it moves"
}

// seconds writes a wait as Retry-After has it, in whole seconds that are enough.
func seconds(wait time.Duration) string {
	return strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10)
}
