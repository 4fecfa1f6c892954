package etcd

import (
	"context"
	"encoding/json"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// listen hears of what is amended, and of the others.
func (g *group) listen(ctx context.Context) error {
	from := g.heardUpTo() + 1
	for news := range g.client.Watch(clientv3.WithRequireLeader(ctx), g.prefix, clientv3.WithPrefix(), clientv3.WithRev(from)) {
		if err := news.Err(); err != nil {
			return err
		}
		g.news.Store(int64(g.kept.elapsed()))
		for _, event := range news.Events {
			if err := g.hear(event); err != nil {
				return err
			}
		}
	}
	return errLeft
}

func (g *group) heardUpTo() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.heard
}

// hear takes in what one event tells.
func (g *group) hear(event *clientv3.Event) error {
	key, revision := string(event.Kv.Key), event.Kv.ModRevision
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.tell()
	g.heard = revision
	switch {
	case key == g.memberKey() && event.Type == clientv3.EventTypeDelete:
		return errLeft
	case key == g.memberKey():
		g.kept.begin(revision) // the others wait for this replica from here on, and what was amended before is heard of
		g.absent.end()
	case key == g.noticeKey():
		g.hearNotice(event.Kv.Value, revision)
	case event.Type == clientv3.EventTypeDelete:
		delete(g.others, strings.TrimPrefix(key, g.membersPrefix()))
	default:
		g.hearOfMember(key, event.Kv.CreateRevision, event.Kv.Value)
	}
	return nil
}

func (g *group) hearNotice(value []byte, revision int64) {
	var n notice
	err := json.Unmarshal(value, &n)
	switch {
	case err != nil:
		g.kept.end() // of a later release: it may have amended anything
	case n.Settle && n.By != g.self:
		g.owe(revision)
		return
	case n.Settle: // whoever settles does so here itself
		return
	}
	if n.Key != nil {
		g.kept.amended(string(n.Key), revision)
	}
	if n.By != g.self {
		g.asked = revision
		wake(g.wake)
	}
}

// wake sends to a channel, unless what was sent before has not been received yet.
func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (g *group) hearOfMember(key string, joined int64, value []byte) {
	name, ok := strings.CutPrefix(key, g.membersPrefix())
	if !ok || strings.HasPrefix(name, g.self+"/") {
		return
	}
	said, before := parseProgress(value), g.others[name].progress
	said = progress{heard: max(said.heard, before.heard), settled: max(said.settled, before.settled)} // it may be written twice, and late
	g.others[name] = member{joined: joined, progress: said}
	g.absent.hears(replicaName(name))
}

// askForNews has the watch tell how far it is.
func (g *group) askForNews(ctx context.Context) {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), leaseTime/3)
	defer cancel()
	_ = g.client.RequestProgress(ctx) // what cannot be asked is not answered either
}
