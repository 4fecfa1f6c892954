package world

import (
	"context"
	"sync"
	"time"

	"github.com/understudy-sandbox/understudy/store"
)

// Sender sends what is due. Package sender implements it.
type Sender interface {
	// Rouse looks what is due in a world.
	Rouse(world string)

	// Complete carries out what is due in a world, until nothing is or ctx ends, and returns how many deliveries were taken and
	// how many attempts failed.
	Complete(ctx context.Context, world string) (sent, failed int, err error)

	// Changed returns a channel that is closed after the next attempt in a world.
	Changed(world string) <-chan struct{}
}

// SetSender sets the sender of all worlds, before their first use.
func (ws *Worlds) SetSender(s Sender) { ws.sender = s }

// announced is a delivery that a transaction has made.
type announced struct {
	key   string // of the store
	early bool   // it comes before the answer
}

// holds are the deliveries that wait until the answers to the calls that made them have left, by their keys. A call that is
// retried may name those of another one, too, so that they are counted.
type holds struct {
	mu   sync.Mutex
	keys map[string]int
}

func (h *holds) add(all []announced, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range all {
		if h.keys[a.key] += by; h.keys[a.key] == 0 {
			delete(h.keys, a.key)
		}
	}
}

func (h *holds) has(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys[key] > 0
}

// hold holds the deliveries of a transaction before it is committed.
func (tx *Tx) hold() {
	tx.worlds.holding.add(tx.announced, 1)
	tx.held = append(tx.held, tx.announced...)
}

// earlyTime bounds how long an answer waits for the deliveries that come before it.
const earlyTime = 15 * time.Second

// dispatch sends the deliveries of an update once it has ended, or keeps them until Release.
func (w *World) dispatch(ctx context.Context, tx *Tx, err error) {
	ws := w.worlds
	var early, later []announced
	for _, a := range tx.held {
		if a.early && err == nil {
			early = append(early, a)
		} else {
			later = append(later, a)
		}
	}
	if w.holds && err == nil {
		w.held = append(w.held, later...)
		later = nil
	}
	ws.holding.add(early, -1)
	ws.holding.add(later, -1)
	ws.sender.Rouse(w.id)
	if len(early) > 0 {
		w.await(ctx, early)
	}
}

// await waits for the first attempt of each delivery.
func (w *World) await(ctx context.Context, early []announced) {
	ctx, cancel := context.WithTimeout(ctx, earlyTime)
	defer cancel()
	for {
		changed := w.worlds.sender.Changed(w.id)
		waits, err := w.worlds.unattempted(ctx, early)
		if err != nil || !waits {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// unattempted reports whether one of some deliveries is due and was not attempted yet.
func (ws *Worlds) unattempted(ctx context.Context, all []announced) (waits bool, err error) {
	err = ws.config.Store.View(ctx, func(tx store.Tx) error {
		waits = false
		for _, a := range all {
			var d Delivery
			if err := load(tx, a.key, &d); err != nil {
				return err
			}
			waits = waits || d.Status == DeliveryDue && len(d.Attempts) == d.Begun
		}
		return nil
	})
	return waits, err
}

// watchClaims notes the claims of other processes that a look has passed, and when to look again.
func (ws *Worlds) watchClaims(id string, claims map[string]string, look *Look) {
	if len(claims) == 0 {
		ws.claims.Delete(id)
		return
	}
	seen, _ := ws.claims.LoadOrStore(id, new(ages))
	now := ws.config.Clock.Elapsed()
	for _, s := range seen.(*ages).look(claims, now) {
		look.in(s.since + claimAge - now)
	}
}

// isOld reports whether this process has seen a claim unchanged for long enough to take it over.
func (ws *Worlds) isOld(id, item, claim string) bool {
	seen, ok := ws.claims.Load(id)
	if !ok {
		return false
	}
	a := seen.(*ages)
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok := a.seen[item]
	return ok && s.value == claim && ws.config.Clock.Elapsed()-s.since >= claimAge
}

// Hold keeps the deliveries that calls of w cause until Release. It returns w, which is not for concurrent use then.
func (w *World) Hold() *World {
	w.holds = true
	return w
}

// Release sends the deliveries that Hold has kept. Before it does, it calls flush, which makes the answer leave.
func (w *World) Release(flush func() error) {
	if len(w.held) == 0 {
		return
	}
	_ = flush() // it fails only when the client left
	w.worlds.holding.add(w.held, -1)
	w.held = nil
	w.worlds.sender.Rouse(w.id)
}
