// Package etcd is a [store.Store] in etcd, which any number of processes share.
//
// A transaction reads at one revision of etcd, that of its first read. Update buffers the writes of its function and commits
// them by one transaction of etcd, on condition that nothing it read has changed since: no key that it got, and no key in the
// range of a scan. After a conflict it runs the function again at a newer revision. Nothing is cached between transactions.
//
// When the response to a commit is lost, an Update that has read something sends the same transaction of etcd again. Its
// conditions hold at most once, so it is applied at most once. When the outcome remains unknown, Update returns
// [store.ErrOutcomeUnknown]: either all of its writes are committed or none, and the caller may read to find out.
//
// Begin with etcdStore.run; tx.go is the transaction, call.go retries single requests and changes the member, target.go parses
// etcd://…, errors.go adds advice to errors.
package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/understudy-sandbox/understudy/store"
)

// etcdStore is a [store.Store] in etcd.
type etcdStore struct {
	target     target
	client     *clientv3.Client
	member     atomic.Int64  // the index in target.endpoints of the member in use, modulo their number
	dataPrefix string        // the key prefix of the data
	retrying   chan struct{} // a lock: one transaction at a time is retried after a conflict

	running sync.RWMutex // held for reading by each method, and for writing by Close
	closed  bool
}

// IsSpec reports whether [Open] opens spec.
func IsSpec(spec string) bool { return strings.HasPrefix(spec, scheme) }

// Open opens the store etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]. PREFIX is the etcd key prefix, by default
// /understudy. The settings are user and password; tls=true if the system trusts the server's certificate; ca, a file (PEM)
// with the authorities of that certificate; cert and key, files with the client's certificate and key. Each may be a variable
// instead: UNDERSTUDY_ETCD_USER and so on.
//
// The error for an invalid spec is a [store.ErrSpec].
func Open(ctx context.Context, spec string, environment func(name string) string) (store.Store, error) {
	t, err := parse(spec, environment)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrSpec, err)
	}
	tlsConfig, err := t.tls()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", t, err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: t.endpoints, TLS: tlsConfig, Username: t.settings["user"], Password: t.settings["password"], Logger: zap.NewNop(),
		DialTimeout: callTimeout, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, PermitWithoutStream: true,
		MaxUnaryRetries: 2, // the second has a new token if the first had expired
		DialOptions:     []grpc.DialOption{grpc.WithChainUnaryInterceptor(failFast)},
	})
	if err != nil {
		return nil, t.unusable(err)
	}
	client.SetEndpoints(t.endpoints[0])
	s := &etcdStore{target: t, client: client, dataPrefix: t.prefix + "/data/", retrying: make(chan struct{}, 1)}
	if err := s.checkFormat(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// failFast makes a call fail with the cause as soon as there is no connection. By default the client waits for the timeout.
func failFast(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(ctx, method, request, reply, conn, append(options, grpc.WaitForReady(false))...)
}

// format is the version of the stored data's layout.
const format = "3"

// checkFormat refuses a store of another format, and writes the format of an empty one.
func (s *etcdStore) checkFormat(ctx context.Context) error {
	key := s.target.prefix + "/format"
	unreachable := 0 // members in a row
	retryable := func(err error) bool {
		if unreachable++; status.Code(err) != codes.Unavailable { // the code is gRPC's; errors of etcd have another type
			unreachable = 0
		}
		return transient(err) && unreachable < len(s.target.endpoints)
	}
	response, err := call(ctx, s, retryable, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return s.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, format)).Else(clientv3.OpGet(key)).Commit()
	})
	if err != nil {
		return s.target.unusable(err)
	}
	if response.Succeeded {
		return nil
	}
	if found := string(response.Responses[0].GetResponseRange().Kvs[0].Value); found != format {
		return fmt.Errorf("store %s has format %q, this Understudy reads %q: use the release that created it, or name another prefix", s, found, format)
	}
	return nil
}

func (s *etcdStore) View(ctx context.Context, fn func(store.Tx) error) error {
	return s.run(ctx, func(t *tx) (done bool, err error) { return true, fn(t) })
}

// Update commits nothing if fn writes nothing: its reads are of one revision.
func (s *etcdStore) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.run(ctx, func(t *tx) (done bool, err error) {
		buffer := store.NewBuffer(t)
		if err := fn(buffer); err != nil || t.err != nil {
			return true, err
		}
		return t.commit(buffer.Writes())
	})
}

// run attempts a transaction until it is done, at a revision that etcd has not compacted. After a conflict it takes turns with
// other retries of this process, because retries that run together conflict again.
func (s *etcdStore) run(ctx context.Context, attempt func(t *tx) (done bool, err error)) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	waiting, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	for attempts := 1; ; attempts++ {
		t := &tx{ctx: ctx, store: s, read: make(map[string][]byte)}
		done, err := attempt(t)
		if done && !errors.Is(t.err, rpctypes.ErrCompacted) {
			return cmp.Or(err, t.err) // t.err if fn has ignored it
		}
		if attempts > 1 {
			backOff(waiting, attempts)
		} else {
			select {
			case s.retrying <- struct{}{}:
				defer func() { <-s.retrying }()
			case <-waiting.Done():
			}
		}
		if waiting.Err() != nil {
			return fmt.Errorf("store %s: the transaction met a conflict in each of %d attempts: %w", s, attempts, waiting.Err())
		}
	}
}

// backOff waits for a random time that grows with the number of attempts.
func backOff(ctx context.Context, attempts int) {
	span := min(time.Millisecond<<min(attempts, 10), 100*time.Millisecond)
	select {
	case <-time.After(span/2 + rand.N(span)):
	case <-ctx.Done():
	}
}

// Watch returns once etcd has created the watch.
func (s *etcdStore) Watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	late := time.AfterFunc(callTimeout, cancel)
	events := s.client.Watch(ctx, s.dataPrefix+prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	first, ok := <-events
	if err := first.Err(); err != nil || !ok || !late.Stop() {
		cancel()
		return nil, s.wrap(fmt.Errorf("watch: %w", errors.Join(err, ctx.Err())))
	}
	changed := make(chan struct{}, 1)
	go func() {
		defer cancel()
		defer close(changed)
		for event := range events {
			if event.Err() != nil {
				return
			}
			select {
			case changed <- struct{}{}:
			default: // a change is pending already
			}
		}
	}()
	return changed, nil
}

// Ready sends a transaction that may read and write below the prefix and does not write, because its condition never holds. It
// needs what every write needs: the permissions, a majority of the members, and space.
func (s *etcdStore) Ready(ctx context.Context) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	_, err = call(ctx, s, transient, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		never := clientv3.Compare(clientv3.ModRevision(s.dataPrefix), "<", 0)
		return s.client.Txn(ctx).If(never).Then(clientv3.OpPut(s.dataPrefix, "")).Else(clientv3.OpGet(s.dataPrefix)).Commit()
	})
	if err != nil {
		return s.wrap(err)
	}
	return nil
}

func (s *etcdStore) Shared() bool { return true }

// String returns the spec without its settings.
func (s *etcdStore) String() string { return s.target.String() }

func (s *etcdStore) Close() error {
	s.running.Lock()
	defer s.running.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	if err := s.client.Close(); err != nil {
		return fmt.Errorf("store %s: close: %w", s, err)
	}
	return nil
}

// begin lets Close wait until end is called.
func (s *etcdStore) begin(ctx context.Context) (end func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.running.RLock()
	if s.closed {
		s.running.RUnlock()
		return nil, store.ErrClosed
	}
	return s.running.RUnlock, nil
}
