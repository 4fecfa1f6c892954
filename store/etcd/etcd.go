// Package etcd keeps a [store.Store] in etcd, where the processes of many machines share it.
package etcd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/understudy-sandbox/understudy/store"
)

// Bounds of what one call takes when members of etcd, or replicas, fail: an election takes about a second.
const (
	callTime  = 5 * time.Second      // to read or write, and as long before that for other writes of the key
	awaitTime = leaseTime + callTime // after that, for others to hear of it
)

// Store is a [store.Store] in etcd. Any number of processes may have the same one open.
type Store struct {
	target target
	client *clientv3.Client
	data   string // begins the keys of what is stored
	kept   *kept
	group  *group
	hints  hints
	heads  hints // of logs
	lanes  lanes
	tags   tags
	wrote  wrote
	space  space

	recalls recalls

	crowded atomic.Bool // others add to the logs to which this replica does

	calls  sync.RWMutex // held for reading by each call, and for writing by Close
	closed bool

	leave context.CancelFunc // ends this replica's part in its group
	left  sync.WaitGroup
}

// Option is a choice for [Open].
type Option func(*Store)

// WithLogger sets where it is logged that the replica has left its group and is back, and for which replica amendments
// wait. Default: nowhere.
func WithLogger(log *slog.Logger) Option { return func(s *Store) { s.group.absent.log = log } }

// Names reports whether a text names a store in etcd.
func Names(spec string) bool { return strings.HasPrefix(spec, scheme) }

// Open opens the store etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]; without a prefix it is /understudy. The
// settings are user and password; tls=true for a server with a certificate that the system trusts; ca, a file (PEM) with
// the authorities of the server's; cert and key, files with the client's own. Each may stand in the environment instead, as
// UNDERSTUDY_ETCD_USER and so on.
//
// An error for a text that names no store is a [store.ErrSpec].
func Open(ctx context.Context, spec string, environment func(name string) string, options ...Option) (*Store, error) {
	t, err := parse(spec, environment)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrSpec, err)
	}
	secured, err := t.tls()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", t, err)
	}
	if err := reach(ctx, t.endpoints, secured); err != nil {
		return nil, t.unusable(err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: t.endpoints, TLS: secured, Username: t.set["user"], Password: t.set["password"],
		DialTimeout: callTime, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, PermitWithoutStream: true,
		DialOptions: balanced(), Logger: zap.NewNop(),
	})
	if err != nil {
		return nil, t.unusable(err)
	}
	began := time.Now()
	s := newStore(t, client, func() time.Duration { return time.Since(began) })
	for _, option := range options {
		option(s)
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

func newStore(t target, client *clientv3.Client, elapsed func() time.Duration) *Store {
	k, hints, heads := newKept(elapsed), newHints(hintKeys), newHints(headKeys)
	return &Store{
		target: t, client: client, data: t.prefix + "/data/", kept: k, group: newGroup(client, t.prefix+"/group/", k, hints.forget, heads.forget),
		hints: hints, heads: heads, lanes: newLanes(), tags: newTags(),
	}
}

// start enters the store, and keeps this replica in its group until Close.
func (s *Store) start(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	ctx, s.leave = context.WithCancel(context.WithoutCancel(ctx))
	s.left.Go(func() { s.group.run(ctx) })
	return nil
}

// format is how what is stored is to be read.
const format = "1"

// enter finds out whether the store is ours to use, and joins its group.
func (s *Store) enter(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	mark := s.formatKey()
	answer, err := ask(ctx, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return s.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(mark), "=", 0)).
			Then(clientv3.OpPut(mark, format)).Else(clientv3.OpGet(mark)).Commit()
	})
	if err == nil && !answer.Succeeded {
		if found := string(answer.Responses[0].GetResponseRange().Kvs[0].Value); found != format {
			return fmt.Errorf("store %s has format %q, this Understudy knows %q: use the one that made it, or name another prefix", s, found, format)
		}
	}
	if err == nil {
		err = s.group.join(ctx)
	}
	if err != nil {
		return s.target.unusable(err)
	}
	return nil
}

// String returns what Open was given, without its settings.
func (s *Store) String() string { return s.target.String() }

// Close leaves the group and closes the connections.
func (s *Store) Close() error {
	s.calls.Lock()
	closed := s.closed
	s.closed = true
	s.calls.Unlock() // before it leaves: what settles calls the store
	if closed {
		return nil
	}
	s.leave()
	s.left.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	s.leaveWrote(ctx)
	s.group.leave(context.Background())
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("store %s: close: %w", s, err)
	}
	return nil
}

// begin begins a call that ends with end.
func (s *Store) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.calls.RLock()
	if s.closed {
		s.calls.RUnlock()
		return nil, store.ErrClosed
	}
	return s.calls.RUnlock, nil
}
