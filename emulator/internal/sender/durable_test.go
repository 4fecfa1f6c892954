package sender_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
)

// A world without a subscription writes nothing more, and a process without any has no goroutine more.
func TestNothingForNothing(t *testing.T) {
	c := lab.Start(t)
	c.Get("/verification-requests/" + timed)
	lab.Advance(t, c, "48h", `{"sent":0,"failed":0,"due":0}`)
	lab.PlayScript(t, c, "PUT /verification-requests/vr_processing/cancel "+lab.CancelOther+" → 200")
	stacks := make([]byte, 1<<20)
	if all := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(all, "sender.(*Sender)") {
		t.Errorf("the sender has a goroutine:\n%s", all)
	}
}

// recording records the keys that are written.
type recording struct {
	store.Store
	keys *[]string
}

func (s recording) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		puts := &lab.Puts{Tx: tx}
		err := fn(puts)
		*s.keys = append(*s.keys, puts.Keys...)
		return err
	})
}

// The keys that a life of requests writes are those of before: none for webhooks.
func TestNoKeysWithoutSubscriptions(t *testing.T) {
	t.Parallel()
	var keys []string
	c := lab.Start(t, emulator.WithStore(recording{lab.Opened(t, "temp"), &keys}))
	lab.PlayScript(t, c, `
		GET /verification-requests/vr_lifecycle_timed → 200
		PUT /verification-requests/vr_processing/cancel {"cancellation_reason":"other"} → 200
		POST /credentials/session SESSION(000-12-3456) → 201
		advance 48h
		GET /verification-requests/vr_lifecycle_timed → 200 state=completed
		move vr_lifecycle processing
		POST reset → 200`)
	for _, key := range keys {
		for _, part := range []string{"due/", "/queue/", "/delivery/", "/deliveries"} {
			if strings.Contains(key, part) {
				t.Errorf("%s was written", key)
			}
		}
	}
}
