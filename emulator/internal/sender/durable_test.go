package sender_test

import (
	"context"
	"net/http"
	"path/filepath"
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

// What is due goes out after a restart, without any call in its world.
func TestRestart(t *testing.T) {
	t.Parallel()
	r, file := lab.Receive(t), "file:"+filepath.Join(t.TempDir(), "worlds.db")
	hang := make(chan struct{})
	r.SetAnswer(func(http.ResponseWriter, *http.Request, string) { <-hang })
	stopped := lab.Opened(t, file)
	e, err := emulator.New(emulator.WithStore(stopped), emulator.WithClock(emulator.FrozenAt(lab.Epoch)))
	lab.NoError(t, err)
	w := lab.WorldOf(t, e, lab.Key)
	lab.Subscribe(t, apitest.New(t, lab.ServeHandler(t, e), lab.Key), r.URL)
	for _, id := range []string{"vr_processing", "vr_pending_approval"} {
		_, err := w.Move(t.Context(), id, emulator.Move{State: "canceled"})
		lab.NoError(t, err)
	}
	lab.Until(t, "an attempt", func() bool { return len(r.Bodies()) == 1 })
	e.Shutdown()
	close(hang)
	lab.NoError(t, e.Close())
	r.SetAnswer(nil)
	lab.Launch(t, emulator.WithStore(lab.Opened(t, file)))
	lab.Until(t, "the other one", func() bool { return strings.Contains(strings.Join(r.States(t), ","), "vr_pending_approval canceled") })
}

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

// Three replicas send each webhook once, whoever is asked.
func TestReplicas(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	r := lab.Receive(t)
	var clients []*apitest.Client
	for _, url := range lab.Sharing(t, 3, cluster) {
		clients = append(clients, apitest.New(t, url, lab.Key))
	}
	lab.Subscribe(t, clients[0], r.URL)
	var want []string
	for i := range 12 {
		c, id := clients[i%3], "vr_"+string(rune('a'+i))
		lab.PlayScript(t, c, `POST verification-requests {"id":"`+id+`","state":"pending-approval"} → 201`)
		lab.PlayScript(t, clients[(i+1)%3], "move "+id+" processing")
		lab.PlayScript(t, clients[(i+2)%3], "move "+id+" completed")
		want = append(want, id+" processing", id+" completed")
	}
	lab.WaitFor(t, r, len(want))
	lab.PlayScript(t, clients[1], `POST clock/advance {"by":"72h"} → 200 …"failed":0,"due":0}`)
	last := make(map[string]string)
	for _, received := range r.States(t) {
		id, state, _ := strings.Cut(received, " ")
		if state == "completed" && last[id] != "processing" {
			t.Errorf("%s is completed after %q", id, last[id])
		}
		last[id] = state
	}
	if got := r.States(t); len(got) != len(want) {
		t.Errorf("%d webhooks, want %d: %v", len(got), len(want), got)
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
