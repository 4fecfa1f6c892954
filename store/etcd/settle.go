package etcd

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// settleTime is how long a replica is waited for that does not settle: until it is known for dead, and a call more.
const settleTime = leaseTime + callTime

// settling is what a replica has to do when another one settles. It is not done where amendments are heard of: these do
// not wait for it.
type settling struct {
	do   func(context.Context) error // nil: nothing
	owed int64                       // the revision of the last notice of others, to which the replica must settle
	wake chan struct{}
}

// OnSettle sets what this replica does when somebody settles.
func (s *Store) OnSettle(settle func(context.Context) error) {
	s.group.mu.Lock()
	defer s.group.mu.Unlock()
	s.group.settling.do = settle
}

// Settle has this replica settle, and puts a notice that has the others do so.
func (s *Store) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	here := make(chan error, 1)
	go func() { here <- s.group.settleHere(ctx) }() // it calls the store by itself
	err := s.settleOthers(ctx)
	return errors.Join(err, <-here)
}

func (s *Store) settleOthers(ctx context.Context) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	telling, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	told, err := ask(telling, func(ctx context.Context) (*clientv3.PutResponse, error) { // who is told twice settles twice
		return s.client.Put(ctx, s.group.noticeKey(), notice{By: s.group.self, Settle: true}.encode())
	})
	if err != nil {
		return s.failed(err)
	}
	err = s.group.until(ctx, told.Header.Revision, func(m member) int64 { return m.settled })
	if err != nil {
		return s.failed(fmt.Errorf("what the replicas have gathered is not written: %w", err))
	}
	return nil
}

func (g *group) settleHere(ctx context.Context) error {
	g.mu.Lock()
	do := g.settling.do
	g.mu.Unlock()
	if do == nil {
		return nil
	}
	return do(ctx)
}

// owe has the replica settle, and then say that it has done so up to a revision.
func (g *group) owe(revision int64) {
	if g.settling.do == nil {
		g.settled = revision
		wake(g.wake)
		return
	}
	g.settling.owed = revision
	wake(g.settling.wake)
}

// settle settles whenever others ask for it, and tries again where that fails: it is never said without.
func (g *group) settle(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-g.settling.wake:
		}
		g.mu.Lock()
		owed := g.settling.owed
		g.mu.Unlock()
		for try := 0; g.settleHere(ctx) != nil; try++ {
			if !pause(ctx, backOff(try+3)) {
				return ctx.Err()
			}
		}
		g.mu.Lock()
		g.settled = max(g.settled, owed)
		g.mu.Unlock()
		wake(g.wake)
	}
}
