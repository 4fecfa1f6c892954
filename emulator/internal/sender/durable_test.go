package sender_test

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
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

// A replica takes over a delivery of one that has gone, once it has itself seen the claim unchanged for ten seconds.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	gone, machine := make(chan struct{}), lab.NewMachine(lab.Epoch)
	stuck := emulator.Clock{Frozen: lab.Epoch, Pause: func(ctx context.Context, _ time.Duration) error { <-gone; return nil }}
	a := lab.Serve(t, emulator.WithStore(lab.InCluster(t, cluster)), emulator.WithClock(stuck))
	clock := machine.Clock()
	passed := make(chan struct{}, 100)
	clock.Pause = func(ctx context.Context, span time.Duration) error {
		select {
		case <-passed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b := lab.Start(t, emulator.WithStore(lab.InCluster(t, cluster)), emulator.WithClock(clock))
	r := lab.Receive(t)
	client := apitest.New(t, a, lab.Key)
	lab.Subscribe(t, client, r.URL)
	lab.PutFault(t, client, `{"rule":{"on":"cancel","delay":{"fixed":"1m"}}}`)
	answered := make(chan int, 1)
	go func() {
		answered <- client.Send("PUT", "/verification-requests/vr_processing/cancel", lab.BodyOf(lab.CancelOther)).Status
	}()
	lab.Until(t, "a delivery", func() bool {
		return strings.Contains(string(b.Get(lab.Control+"deliveries").Body), "delivery-1")
	})
	if got := r.Bodies(); len(got) > 0 {
		t.Errorf("it was sent before the answer has left: %s", got)
	}
	waited := time.Duration(0)
	lab.Until(t, "the take-over", func() bool {
		if waited < 10*time.Second && len(r.Bodies()) > 0 {
			t.Fatalf("it was taken over after %s", waited)
		}
		waited += 500 * time.Millisecond
		machine.Pass(500 * time.Millisecond)
		select {
		case passed <- struct{}{}:
		default: // one is pending
		}
		_, err := http.Get(a + "/_understudy/v1/health") // which lets time pass
		lab.NoError(t, err)
		return len(r.Bodies()) > 0
	})
	lab.WantEvents(t, r, "vr_processing canceled")
	close(gone)
	if status := <-answered; status != 200 {
		t.Errorf("the call was answered %d", status)
	}
	lab.PlayScript(t, b, `POST clock/advance {"by":"48h"} → 200 …"failed":0,"due":0}`)
	if diff := cmp.Diff(1, len(r.Bodies())); diff != "" {
		t.Error(diff)
	}
}
