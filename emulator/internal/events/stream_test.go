package events_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/clock"
	"github.com/understudy-sandbox/understudy/emulator/internal/events"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
	"github.com/understudy-sandbox/understudy/store"
)

// away is a shared store that cannot be reached.
type away struct{ store.Store }

var errAway = errors.New("the store is away")

func (away) View(context.Context, func(store.Tx) error) error       { return errAway }
func (away) Watch(context.Context, string) (<-chan struct{}, error) { return nil, errAway }

// Proxies close silent connections, and browsers do not reconnect after a 500.
func TestStreamUnreadableJournal(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{
		Size: 10, Store: away{}, RecordKey: func(string) string { return "w" }, Prefix: func(journal.Ref) string { return "w/" },
	})
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	wall := clock.Clock{Pause: func(ctx context.Context, span time.Duration) error {
		if span < 15*time.Second { // the heartbeat
			if tries++; tries == 3 {
				cancel()
			}
			return ctx.Err()
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	s := &events.Stream{Journal: j, World: "w", Streams: events.Streams{Limits: limits.New(), Stopping: t.Context(), Clock: wall}}
	client := httptest.NewRecorder()
	s.ServeHTTP(client, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	const want = ": the journal cannot be read now\n\n"
	if text := client.Body.String(); strings.Count(text, want) != 3 || !strings.HasSuffix(text, want) || !client.Flushed {
		t.Errorf("after three tries the client has %q", text)
	}
}
