package etcd

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// join makes the replica one of the group. Nothing is kept yet, and nothing that was known counts: revisions may have gone
// back since, where etcd has lost its data or was given older ones.
func (g *group) join(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	g.leave(ctx)
	asked := g.kept.elapsed()
	granted, err := ask(ctx, func(ctx context.Context) (*clientv3.LeaseGrantResponse, error) {
		return g.client.Grant(ctx, int64(leaseTime/time.Second)) // what is granted twice runs out by itself
	})
	if err != nil {
		return err
	}
	g.lease = granted.ID
	g.renewed(asked, granted.TTL)
	present, err := ask(ctx, func(ctx context.Context) (*clientv3.GetResponse, error) {
		return g.client.Get(ctx, g.prefix, clientv3.WithPrefix())
	})
	if err != nil {
		return err
	}
	revision := present.Header.Revision

	for _, joined := range g.joined {
		joined()
	}
	g.mu.Lock()
	g.progress, g.said, g.asked = progress{heard: revision}, progress{}, revision
	g.owe(revision)
	now := g.progress
	g.others = make(map[string]member)
	for _, kv := range present.Kvs {
		g.hearOfMember(string(kv.Key), kv.CreateRevision, kv.Value)
	}
	g.tell()
	g.mu.Unlock()
	return g.say(ctx, now)
}

// leave gives the lease up, if there is one and etcd is reached: then nobody waits for it to run out.
func (g *group) leave(ctx context.Context) {
	if g.lease == clientv3.NoLease {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	_, _ = g.client.Revoke(ctx, g.lease)
}

// say tells the others how far the replica has come.
func (g *group) say(ctx context.Context, now progress) error {
	ctx, cancel := context.WithTimeout(ctx, leaseTime)
	defer cancel()
	_, err := ask(ctx, func(ctx context.Context) (*clientv3.PutResponse, error) {
		return g.client.Put(ctx, g.memberKey(), now.String(), clientv3.WithLease(g.lease))
	})
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.said = now
	g.mu.Unlock()
	return nil
}

func (g *group) renewed(asked time.Duration, seconds int64) {
	g.kept.until.Store(int64(asked + min(leaseTime, time.Duration(seconds)*time.Second)))
}

// keepLease renews the lease for as long as there is one, and the watch is heard: a replica that is deaf while its lease
// holds would have all amendments wait.
func (g *group) keepLease(ctx context.Context) error {
	for wanted := g.kept.elapsed(); pause(ctx, leaseTime/3); { // news of later than that
		asked := g.kept.elapsed()
		if time.Duration(g.news.Load()) >= wanted {
			wanted = asked
		} else if asked-wanted > deafTime {
			return errDeaf
		}
		g.askForNews(ctx)
		once, cancel := context.WithTimeout(ctx, leaseTime/2)
		renewed, err := ask(once, func(ctx context.Context) (*clientv3.LeaseKeepAliveResponse, error) {
			return g.client.KeepAliveOnce(ctx, g.lease)
		})
		cancel()
		switch {
		case err == nil:
			g.renewed(asked, renewed.TTL)
		case errors.Is(err, rpctypes.ErrLeaseNotFound), !g.kept.live():
			return errLeft
		}
	}
	return ctx.Err()
}
