package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// leaseTime is for how long a replica that is not heard of may still return what it keeps, and so how long an amendment
// waits for one that was killed. etcd grants no less than 2s by its default settings.
const leaseTime = 3 * time.Second

// deafTime is for how long a watch may be asked for news and tell none.
const deafTime = 2 * time.Second

// group is the replicas on one store, as one of them sees it. They keep values in memory (see [Store.Recall]) by leases, as
// Gray and Cheriton describe them: an amendment is over when each replica has said that it heard of it, or its lease has
// run out; and a replica whose lease has run out, by its own clock and counted from before it asked for it, returns nothing
// that it keeps.
//
// An amendment writes a key, and in the same transaction the notice, which tells what was amended. Every replica watches
// the notice and the keys in which the others say up to which revision they have heard.
type group struct {
	client *clientv3.Client
	prefix string // of the keys by which the group talks
	self   string // this replica's name in it, one for all its leases
	kept   *kept
	joined []func()      // are called at each join: what keys were is no longer known
	wake   chan struct{} // there is something to say
	absent absence

	lease clientv3.LeaseID // that the replica has now, or had last
	news  atomic.Int64     // when the watch last told anything, by kept.elapsed

	mu       sync.Mutex
	progress                   // of this replica
	said     progress          // and what it has said of it
	asked    int64             // the revision of the last notice of others, of which it must say that it heard
	others   map[string]member // by name
	changed  chan struct{}     // closed, and another, at each change
	settling settling
}

// member is another replica of the group.
type member struct {
	joined int64 // the revision at which it did; it heard of all before
	progress
}

func newGroup(client *clientv3.Client, prefix string, k *kept, joined ...func()) *group {
	return &group{
		client: client, prefix: prefix, self: ulid.Make().String(), kept: k, joined: joined,
		wake: make(chan struct{}, 1), changed: make(chan struct{}), settling: settling{wake: make(chan struct{}, 1)},
		absent: absence{log: slog.New(slog.DiscardHandler), elapsed: k.elapsed},
	}
}

func (g *group) noticeKey() string        { return g.prefix + "notice" }
func (g *group) membersPrefix() string    { return g.prefix + "replica/" }
func (g *group) put(n notice) clientv3.Op { return clientv3.OpPut(g.noticeKey(), n.encode()) }

// memberKey is another one with each lease: what a member that hung writes late is then nobody's, and not of the next lease.
func (g *group) memberKey() string {
	return g.membersPrefix() + g.self + "/" + strconv.FormatInt(int64(g.lease), 36)
}

// run keeps the replica in the group until ctx ends. It has joined it once.
func (g *group) run(ctx context.Context) {
	for {
		err := g.follow(ctx) // whatever ended it, it is begun again
		g.kept.end()
		if ctx.Err() != nil {
			return
		}
		g.absent.begin(err)
		for g.join(ctx) != nil {
			if !pause(ctx, leaseTime/10) {
				return
			}
		}
	}
}

// Why a replica is no longer in its group.
var (
	errLeft = errors.New("the lease ran out")
	errDeaf = errors.New("the watch tells nothing, though it was asked")
)

// follow hears of what is amended, and keeps the lease, until one of these fails.
func (g *group) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var parts sync.WaitGroup
	g.news.Store(int64(g.kept.elapsed()))
	parts.Go(func() { cancel(g.keepLease(ctx)) })
	parts.Go(func() { cancel(g.answer(ctx)) })
	parts.Go(func() { cancel(g.settle(ctx)) })
	defer parts.Wait()
	cancel(g.listen(ctx))
	return context.Cause(ctx) // of the part that failed first
}

// answer says to the others how far the replica has come, whenever there is something to be said.
func (g *group) answer(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-g.wake:
		}
		g.mu.Lock()
		now, owes := g.progress, g.asked > g.said.heard || g.settled > g.said.settled
		g.mu.Unlock()
		if !owes {
			continue
		}
		if err := g.say(ctx, now); err != nil {
			return err
		}
	}
}

// tell wakes those who wait for the group.
func (g *group) tell() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// await returns once every replica has heard of a revision, or has lost its lease.
func (g *group) await(ctx context.Context, revision int64) error {
	err := g.until(ctx, revision, func(m member) int64 { return m.heard })
	if err != nil {
		return fmt.Errorf("not every replica has heard of what is written: %w", err)
	}
	return nil
}

// awaitSeen is await for a revision that another replica may have written. Each says by itself that it heard of what others
// amend, but not of what it has itself, nor of what it amended while it was alone: where one has not said so, all are asked.
func (g *group) awaitSeen(ctx context.Context, revision int64) error {
	g.mu.Lock()
	late := g.late(revision, func(m member) int64 { return m.heard })
	g.mu.Unlock()
	if late == "" {
		return nil
	}
	asked, err := ask(ctx, func(ctx context.Context) (*clientv3.PutResponse, error) {
		return g.client.Put(ctx, g.noticeKey(), notice{By: g.self}.encode())
	})
	if err != nil {
		return fmt.Errorf("not every replica is known to have heard of what is there: %w", err)
	}
	return g.await(ctx, asked.Header.Revision)
}

// until returns once this replica has heard of a revision and each other has come up to it, or has lost its lease.
func (g *group) until(ctx context.Context, revision int64, come func(member) int64) error {
	slow := time.NewTimer(slowTime)
	defer slow.Stop()
	for {
		g.mu.Lock()
		late, changed := g.late(revision, come), g.changed
		g.mu.Unlock()
		if late == "" {
			return nil
		}
		select {
		case <-changed:
		case <-slow.C:
			g.absent.waitsFor(late)
		case <-ctx.Done():
			return fmt.Errorf("%s is late: %w", late, context.Cause(ctx))
		}
	}
}

// late names a replica that is not as far as a revision, "" when there is none.
func (g *group) late(revision int64, come func(member) int64) string {
	if g.heard < revision {
		return "this replica"
	}
	for name, m := range g.others {
		if max(m.joined, come(m)) < revision {
			return replicaName(name)
		}
	}
	return ""
}

// replicaName is how a member of the group is shown.
func replicaName(member string) string { return "replica " + member }

// pause lets a span pass, more or less, and reports whether ctx goes on.
func pause(ctx context.Context, span time.Duration) bool {
	timer := time.NewTimer(span/2 + rand.N(span))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
