// Package etcd keeps a [store.Store] in etcd, where the processes of many machines share it.
package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
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
	member, err := reach(ctx, t.endpoints, secured)
	if err != nil {
		return nil, t.unusable(err)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints: t.endpoints[member : member+1], TLS: secured, Username: t.set["user"], Password: t.set["password"], Logger: zap.NewNop(),
		DialTimeout: callTime, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, PermitWithoutStream: true,
	})
	if err != nil {
		return nil, t.unusable(err)
	}
	s := &Store{target: t, client: client, data: t.prefix + "/data/", retry: make(chan struct{}, 1)}
	s.member.Store(int64(member))
	if err := s.enter(ctx); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return s, nil
}

// reach returns the first member that answers, and an error once none does. The client waits for a connection until its time
// is up, and does not tell why there is none.
func reach(ctx context.Context, endpoints []string, secured *tls.Config) (member int, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	causes, asked := make([]string, len(endpoints)), make(chan int, len(endpoints))
	for i, endpoint := range endpoints {
		go func() {
			if err := reachOne(ctx, endpoint, secured); err != nil {
				causes[i] = err.Error()
			}
			asked <- i
		}()
	}
	for range endpoints {
		if member := <-asked; causes[member] == "" {
			return member, nil
		}
	}
	return 0, errors.New(strings.Join(causes, "; "))
}

// reachOne asks a member for its status.
func reachOne(ctx context.Context, endpoint string, secured *tls.Config) error {
	security := insecure.NewCredentials()
	if secured != nil {
		security = credentials.NewTLS(secured)
	}
	conn, err := grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(security))
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = pb.NewMaintenanceClient(conn).Status(ctx, &pb.StatusRequest{})
	if _, answered := rpctypes.Error(err).(rpctypes.EtcdError); err == nil || answered {
		return nil
	}
	text := status.Convert(err).Message()
	if _, cause, ok := strings.Cut(text, `desc = "`); ok { // within gRPC's words
		text = strings.TrimSuffix(cause, `"`)
	}
	return fmt.Errorf("%s: %s", endpoint, strings.TrimPrefix(text, "transport: "))
}

// format is how what is stored is to be read.
const format = "2"

// enter finds out whether the store is ours to use, and makes an empty one ours.
func (s *Store) enter(ctx context.Context) error {
	mark := s.target.prefix + "/format"
	answer, err := ask(ctx, s, passing, func(ctx context.Context) (*clientv3.TxnResponse, error) {
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
		if done && !t.compacted {
			if err == nil {
				err = t.err // that fn has passed over
			}
			return err
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
	timer := time.NewTimer(span/2 + rand.N(span))
	defer timer.Stop()
	select {
	case <-timer.C:
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
	switch full := func(a *pb.AlarmMember) bool { return a.Alarm == pb.AlarmType_NOSPACE }; {
	case len(answer.Alarms) == 0:
		return nil
	case slices.ContainsFunc(answer.Alarms, full):
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
