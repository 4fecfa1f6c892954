package etcd

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// wroteTime is for how long etcd remembers the last append of a process that does not add any more: far longer than one is
// tried again, and than a replica may have left its group meanwhile.
const wroteTime = time.Hour

// wroteKey has the id of this process's last append: whoever finds it there knows that the append was carried out. It is
// held by a lease of its own, so that none stays of a process that was killed.
func (s *Store) wroteKey() string { return s.target.prefix + "/wrote/" + s.group.self }

// wrote is the lease of wroteKey. The appends of the process renew it.
type wrote struct {
	mu      sync.Mutex
	lease   clientv3.LeaseID
	renewed time.Duration // when it last was, by kept.elapsed
}

// holdWrote returns the lease of wroteKey, which has most of its time left.
func (s *Store) holdWrote(ctx context.Context) (clientv3.LeaseID, error) {
	w, now := &s.wrote, s.kept.elapsed()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lease != clientv3.NoLease && now-w.renewed < wroteTime/4 {
		return w.lease, nil
	}
	if w.lease != clientv3.NoLease {
		_, err := s.client.KeepAliveOnce(ctx, w.lease)
		if err == nil {
			w.renewed = now
			return w.lease, nil
		}
		if !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return clientv3.NoLease, err
		}
	}
	granted, err := s.client.Grant(ctx, int64(wroteTime/time.Second)) // what is granted twice runs out by itself
	if err != nil {
		return clientv3.NoLease, err
	}
	w.lease, w.renewed = granted.ID, now
	return w.lease, nil
}

// lose has the next append take another lease: etcd does not know this one any more.
func (w *wrote) lose(lease clientv3.LeaseID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lease == lease {
		w.lease = clientv3.NoLease
	}
}

// leaveWrote deletes wroteKey, if etcd is reached.
func (s *Store) leaveWrote(ctx context.Context) {
	s.wrote.mu.Lock()
	defer s.wrote.mu.Unlock()
	if s.wrote.lease != clientv3.NoLease {
		_, _ = s.client.Revoke(ctx, s.wrote.lease)
	}
}
