// Package etcd keeps a [store.Store] in etcd, where the processes of many machines share it.
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

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/understudy-sandbox/understudy/store"
)

// Store is a [store.Store] in etcd. Any number of processes may have the same one open.
//
// A transaction reads at one revision of etcd. Update commits by a transaction of etcd, on condition that what was read
// has not changed since; else it runs again.
type Store struct {
	target target
	client *clientv3.Client
	member atomic.Int64  // the member of target.endpoints that is asked, modulo their number
	data   string        // the prefix of the keys that are stored
	retry  chan struct{} // holds one: of the transactions that met a conflict one runs at a time

	calls  sync.RWMutex // held for reading by each call, and for writing by Close
	closed bool
}

// Names reports whether a text names a store in etcd.
func Names(spec string) bool { return strings.HasPrefix(spec, scheme) }

// Open opens the store etcd://HOST:PORT[,HOST:PORT…][/PREFIX][?SETTING=VALUE&…]; without a prefix it is /understudy. The
// settings are user and password; tls=true for a server with a certificate that the system trusts; ca, a file (PEM) with
// the authorities of the server's; cert and key, files with the client's own. Each may stand in the environment instead, as
// UNDERSTUDY_ETCD_USER and so on.
//
// An error for a text that names no store is a [store.ErrSpec].
func Open(ctx context.Context, spec string, environment func(name string) string) (*Store, error) {
	t, err := parse(spec, environment)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", store.ErrSpec, err)
	}
	secured, err := t.tls()
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", t, err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: t.endpoints, TLS: secured, Username: t.set["user"], Password: t.set["password"], Logger: zap.NewNop(),
		DialTimeout: callTime, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, PermitWithoutStream: true,
		MaxUnaryRetries: 2, // the second is with a token that has not expired
		DialOptions:     []grpc.DialOption{grpc.WithChainUnaryInterceptor(failFast)},
	})
	if err != nil {
		return nil, t.unusable(err)
	}
	client.SetEndpoints(t.endpoints[0])
	s := &Store{target: t, client: client, data: t.prefix + "/data/", retry: make(chan struct{}, 1)}
	if err := s.enter(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// failFast has a call fail as soon as there is no connection, and say why. The client has calls wait until their time is up.
func failFast(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	return invoke(ctx, method, request, reply, conn, append(options, grpc.WaitForReady(false))...)
}

// format is how what is stored is to be read.
const format = "2"

// enter finds out whether the store is ours to use, and makes an empty one ours.
func (s *Store) enter(ctx context.Context) error {
	mark := s.target.prefix + "/format"
	unreached := 0 // members, one after another
	again := func(err error) bool {
		if unreached++; status.Code(err) != codes.Unavailable { // gRPC's: an answer of etcd has another type
			unreached = 0
		}
		return passing(err) && unreached < len(s.target.endpoints)
	}
	answer, err := ask(ctx, s, again, func(ctx context.Context) (*clientv3.TxnResponse, error) {
		return s.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(mark), "=", 0)).
			Then(clientv3.OpPut(mark, format)).Else(clientv3.OpGet(mark)).Commit()
	})
	if err != nil {
		return s.target.unusable(err)
	}
	if answer.Succeeded {
		return nil
	}
	if found := string(answer.Responses[0].GetResponseRange().Kvs[0].Value); found != format {
		return fmt.Errorf("store %s has format %q, this Understudy knows %q: use the one that made it, or name another prefix", s, found, format)
	}
	return nil
}

func (s *Store) View(ctx context.Context, fn func(store.Tx) error) error {
	return s.run(ctx, func(t *tx) (done bool, err error) { return true, fn(t) })
}

// Update needs no commit when fn has written nothing: it has seen one revision.
func (s *Store) Update(ctx context.Context, fn func(store.Tx) error) error {
	return s.run(ctx, func(t *tx) (done bool, err error) {
		buffer := store.NewBuffer(t)
		if err := fn(buffer); err != nil || t.err != nil {
			return true, err
		}
		return t.commit(buffer.Writes())
	})
}

// run tries a transaction until it is done at a revision that etcd still has. After a conflict it waits for the others of
// this process that met one: else they would go on meeting each other.
func (s *Store) run(ctx context.Context, try func(t *tx) (done bool, err error)) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	waiting, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	for tries := 1; ; tries++ {
		t := &tx{ctx: ctx, store: s, found: make(map[string][]byte)}
		done, err := try(t)
		if done && !errors.Is(t.err, rpctypes.ErrCompacted) {
			return cmp.Or(err, t.err) // the latter when fn has passed over it
		}
		if tries > 1 {
			pause(waiting, tries)
		} else {
			select {
			case s.retry <- struct{}{}:
				defer func() { <-s.retry }()
			case <-waiting.Done():
			}
		}
		if waiting.Err() != nil {
			return fmt.Errorf("store %s: %d tries of the transaction met conflicts with others: %w", s, tries, waiting.Err())
		}
	}
}

// pause waits a time, drawn at random, that grows with the number of tries.
func pause(ctx context.Context, tries int) {
	span := min(time.Millisecond<<min(tries, 10), 100*time.Millisecond)
	select {
	case <-time.After(span/2 + rand.N(span)):
	case <-ctx.Done():
	}
}

// Watch returns once etcd watches.
func (s *Store) Watch(ctx context.Context, prefix string) (<-chan struct{}, error) {
	end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	late := time.AfterFunc(callTime, cancel)
	events := s.client.Watch(ctx, s.data+prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	first, ok := <-events
	if err := first.Err(); err != nil || !ok || !late.Stop() {
		cancel()
		return nil, s.failed(fmt.Errorf("etcd does not watch: %w", errors.Join(err, ctx.Err())))
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

// Ready asks for the alarms of etcd: most members must be there to answer, and one that is full has raised one.
func (s *Store) Ready(ctx context.Context) error {
	end, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	answer, err := ask(ctx, s, passing, s.client.AlarmList)
	if err != nil {
		return s.failed(err)
	}
	if len(answer.Alarms) == 0 {
		return nil
	}
	if answer.Alarms[0].Alarm == pb.AlarmType_NOSPACE {
		return s.failed(rpctypes.ErrNoSpace)
	}
	return s.failed(rpctypes.ErrCorrupt)
}

func (s *Store) Shared() bool { return true }

// String returns what Open was given, without its settings.
func (s *Store) String() string { return s.target.String() }

func (s *Store) Close() error {
	s.calls.Lock()
	defer s.calls.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
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
