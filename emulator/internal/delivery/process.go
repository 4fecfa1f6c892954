package delivery

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/understudy-sandbox/understudy/emulator/internal/stored"
	"github.com/understudy-sandbox/understudy/store"
)

// Process is what this process has of the deliveries of all worlds in memory: its claims, the deliveries that wait for an answer, and
// when it has seen the claims of others.
type Process struct {
	Sender Sender // to be set before the first use of the worlds

	store   store.Store
	shared  bool // by other processes
	targets Targets
	elapsed func() time.Duration // see [clock.Clock]

	id      string // begins the claims of this process to deliveries
	holding holds
	seen    sync.Map // of *stored.Ages of other processes' claims, by the ids of worlds
}

// NewProcess returns what a process has that has just begun, with the time since some instant.
func NewProcess(s store.Store, targets Targets, elapsed func() time.Duration) *Process {
	return &Process{
		store: s, shared: s.Shared(), targets: targets, elapsed: elapsed,
		id: ulid.Make().String() + ".", holding: holds{keys: make(map[string]int)},
	}
}

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

// Outbox returns an outbox of the process, whose other fields are to be set.
func (p *Process) Outbox() Outbox { return Outbox{process: p} }

// claim returns the claim of this process to a delivery, another one each time; "" where no other process has the store.
func (p *Process) claim() string {
	if !p.shared {
		return ""
	}
	return p.id + ulid.Make().String()
}

// claims reports whether a claim is of this process.
func (p *Process) claims(claim string) bool { return strings.HasPrefix(claim, p.id) }

// claimAge is for how long a process sees another's claim unchanged before it takes it over.
const claimAge = 10 * time.Second

// Watch notes the claims of other processes that a look has passed, and when to look once more.
func (p *Process) Watch(world string, look *Look) {
	if len(look.claims) == 0 {
		p.seen.Delete(world)
		return
	}
	seen, _ := p.seen.LoadOrStore(world, new(stored.Ages))
	now := p.elapsed()
	for _, s := range seen.(*stored.Ages).Look(look.claims, now) {
		look.in(s.Since + claimAge - now)
	}
}

// isOld reports whether this process has seen a claim unchanged for long enough to take it over.
func (p *Process) isOld(item Item) bool {
	seen, ok := p.seen.Load(item.World)
	if !ok {
		return false
	}
	s, ok := seen.(*stored.Ages).Of(item.name)
	return ok && s.Value == item.claim && p.elapsed()-s.Since >= claimAge
}

// holds are the deliveries that wait until the answers to the calls that made them have left, by their keys. A call that is
// retried may name those of another one, too, so that they are counted.
type holds struct {
	mu   sync.Mutex
	keys map[string]int
}

func (h *holds) add(all []Made, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range all {
		if h.keys[m.key] += by; h.keys[m.key] == 0 {
			delete(h.keys, m.key)
		}
	}
}

func (h *holds) has(key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.keys[key] > 0
}

// Hold holds the deliveries of a transaction that is about to be committed.
func (p *Process) Hold(all []Made) { p.holding.add(all, 1) }

// Release sends deliveries that were held.
func (p *Process) Release(world string, all []Made) {
	p.holding.add(all, -1)
	p.Sender.Rouse(world)
}

// earlyTime bounds how long an answer waits for the deliveries that come before it.
const earlyTime = 15 * time.Second

// Send sends the held deliveries of a transaction that was committed, and waits for the first attempts of those that come before the
// answer. With hold it sends only these, and returns the others.
func (p *Process) Send(ctx context.Context, world string, all []Made, hold bool) (held []Made) {
	var early []Made
	for _, m := range all {
		if m.early {
			early = append(early, m)
		} else {
			held = append(held, m)
		}
	}
	p.holding.add(early, -1)
	if !hold {
		p.holding.add(held, -1)
		held = nil
	}
	p.Sender.Rouse(world)
	if len(early) > 0 {
		p.await(ctx, world, early)
	}
	return held
}

// await waits for the first attempt of each delivery.
func (p *Process) await(ctx context.Context, world string, early []Made) {
	ctx, cancel := context.WithTimeout(ctx, earlyTime)
	defer cancel()
	for {
		changed := p.Sender.Changed(world)
		waits, err := p.unattempted(ctx, early)
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
func (p *Process) unattempted(ctx context.Context, all []Made) (waits bool, err error) {
	err = p.store.View(ctx, func(tx store.Tx) error {
		waits = false
		for _, m := range all {
			var d Delivery
			if err := stored.Load(tx, m.key, &d); err != nil {
				return err
			}
			waits = waits || d.Status == Due && len(d.Attempts) == d.Begun
		}
		return nil
	})
	return waits, err
}
