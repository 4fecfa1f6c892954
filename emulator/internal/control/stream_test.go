package control_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/store"
)

// away is a shared store that is out of reach.
type away struct{ store.Store }

var errAway = errors.New("the store is away")

func (away) View(context.Context, func(store.Tx) error) error       { return errAway }
func (away) Watch(context.Context, string) (<-chan struct{}, error) { return nil, errAway }

// Proxies cut a stream off that is silent for long, and browsers do not come back to one that is answered 500.
func TestStreamUnreadableJournal(t *testing.T) {
	t.Parallel()
	j := journal.New(journal.Config{
		Size: 10, Store: away{}, RecordKey: func(string) string { return "w" }, Prefix: func(journal.Ref) string { return "w/" },
	})
	ctx, leave := context.WithCancel(t.Context())
	tries := 0
	clock := world.Clock{Pause: func(ctx context.Context, span time.Duration) error {
		if span < 15*time.Second { // what is between two signs of life
			if tries++; tries == 3 {
				leave()
			}
			return ctx.Err()
		}
		<-ctx.Done()
		return ctx.Err()
	}}
	s := &control.Stream{Journal: j, World: "w", Stopping: t.Context(), Clock: clock}
	client := httptest.NewRecorder()
	s.ServeHTTP(client, httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	const want = ": the journal cannot be read now\n\n"
	if text := client.Body.String(); strings.Count(text, want) != 3 || !strings.HasSuffix(text, want) || !client.Flushed {
		t.Errorf("after three tries the client has %q", text)
	}
}
