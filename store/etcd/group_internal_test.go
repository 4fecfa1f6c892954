package etcd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// replica is a store whose clock the test may hold, and which counts what it asks of etcd's keys.
type replica struct {
	*Store
	asks  atomic.Int64
	sent  atomic.Int64 // the bytes of values in its transactions
	late  atomic.Int64 // how many of them nobody answered in time
	txns  atomic.Int64 // how many transactions it has given to a connection
	stood atomic.Int64 // how long the clock is ahead of where it stands; below 0: it runs
}

// newReplica opens a store under a prefix, which the end of the test closes. Its clock runs.
func newReplica(t *testing.T, endpoints, prefix string) *replica {
	t.Helper()
	r := &replica{}
	r.stood.Store(-1)
	began := time.Now()
	client, err := clientv3.New(clientv3.Config{
		Endpoints: strings.Split(endpoints, ","), DialTimeout: callTime, Logger: zap.NewNop(),
		DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second, PermitWithoutStream: true, // as Open does
		DialOptions: append(balanced(), grpc.WithChainUnaryInterceptor(r.count), grpc.WithStatsHandler(sending{&r.txns})),
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Store = newStore(target{endpoints: []string{endpoints}, prefix: prefix}, client, func() time.Duration {
		if stood := r.stood.Load(); stood >= 0 {
			return time.Duration(stood)
		}
		return time.Since(began)
	})
	if err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *replica) count(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption) error {
	if strings.HasPrefix(method, "/etcdserverpb.KV/") {
		r.asks.Add(1)
	}
	if txn, ok := request.(*etcdserverpb.TxnRequest); ok {
		for _, op := range txn.Success {
			r.sent.Add(int64(len(op.GetRequestPut().GetValue())))
		}
	}
	err := invoke(ctx, method, request, reply, conn, options...)
	if ctx.Err() != nil {
		r.late.Add(1)
	}
	return err
}

// sending counts the transactions that a connection has taken.
type sending struct{ txns *atomic.Int64 }

func (sending) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (sending) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (sending) HandleConn(context.Context, stats.ConnStats)                       {}

func (s sending) HandleRPC(_ context.Context, what stats.RPCStats) {
	if out, ok := what.(*stats.OutPayload); ok {
		if _, ok := out.Payload.(*etcdserverpb.TxnRequest); ok {
			s.txns.Add(1)
		}
	}
}

// stop has the clock stand where it is, go has it go on by a span.
func (r *replica) stop()                { r.stood.Store(int64(r.kept.elapsed())) }
func (r *replica) goOn(d time.Duration) { r.stood.Add(int64(d)) }

func still([]byte) bool { return true }

// number returns the number that a key has by Recall.
func (r *replica) number(t *testing.T, key string) int {
	t.Helper()
	value, err := r.Recall(t.Context(), key, still)
	if err != nil {
		t.Error(err)
		return -1
	}
	n, err := strconv.Atoi(string(value))
	if err != nil {
		t.Errorf("%q is no number", value)
	}
	return n
}

func (r *replica) amend(t *testing.T, key string, n int) {
	t.Helper()
	err := r.Amend(t.Context(), key, func([]byte) ([]byte, error) { return strconv.AppendInt(nil, int64(n), 10), nil })
	if err != nil {
		t.Error(err)
	}
}

// keep recalls a key until it is recalled from memory.
func (r *replica) keep(t *testing.T, key string) {
	t.Helper()
	poll(t, "the value is kept", func() bool {
		before := r.asks.Load()
		_, err := r.Recall(t.Context(), key, still)
		return err == nil && r.asks.Load() == before
	})
}

// poll waits for a state of things.
func poll(t *testing.T, what string, is func() bool) {
	t.Helper()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(time.Minute); !is(); <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to it that %s", what)
		}
	}
}

func many(short int) int {
	if os.Getenv("CI") == "true" && !testing.Short() {
		return 10 * short
	}
	return short
}

// Store: once Amend has returned nil, no Recall, in whatever process, returns what was before.
func TestNoRecallIsStaleOnceAnAmendmentIsOver(t *testing.T) {
	t.Parallel()
	endpoints := etcdtest.Run(t, 1).Endpoints()
	t.Run("in turn", func(t *testing.T) {
		t.Parallel()
		one, other := newReplica(t, endpoints, "/turn"), newReplica(t, endpoints, "/turn")
		for n := range many(300) {
			one.amend(t, "a", n)
			if got := other.number(t, "a"); got != n {
				t.Fatalf("%d was amended, and the other replica recalls %d", n, got)
			}
			one, other = other, one
		}
	})
	t.Run("while others recall", func(t *testing.T) {
		t.Parallel()
		both := []*replica{newReplica(t, endpoints, "/together"), newReplica(t, endpoints, "/together")}
		var over atomic.Int64
		both[0].amend(t, "a", 0)
		ctx, stop := context.WithCancel(t.Context())
		var recalling sync.WaitGroup
		for i := range 4 {
			recalling.Go(func() {
				for ctx.Err() == nil && !t.Failed() {
					least := over.Load()
					if got := both[i%2].number(t, "a"); int64(got) < least {
						t.Errorf("%d was amended, and replica %d recalls %d", least, i%2, got)
					}
				}
			})
		}
		for n := range many(200) {
			both[n%2].amend(t, "a", n)
			over.Store(int64(n))
		}
		stop()
		recalling.Wait()
	})
}

// Issue, more than one machine: a still value costs no round trip.
func TestAValueThatIsKeptAsksNothingOfEtcd(t *testing.T) {
	t.Parallel()
	r := newReplica(t, etcdtest.Run(t, 1).Endpoints(), "/kept")
	r.amend(t, "a", 1)
	r.stop() // so that the lease holds, however slow the machine is
	r.keep(t, "a")
	before, epoch := r.asks.Load(), r.Epoch()
	for range 1000 {
		if got := r.number(t, "a"); got != 1 {
			t.Fatal(got)
		}
	}
	if asks := r.asks.Load() - before; asks != 0 {
		t.Errorf("1000 recalls ask etcd %d times", asks)
	}
	if r.Epoch() != epoch {
		t.Error("nothing was amended, and the epoch is another")
	}
}

func TestWhatIsTooLongIsNotKept(t *testing.T) {
	t.Parallel()
	r := newReplica(t, etcdtest.Run(t, 1).Endpoints(), "/long")
	err := r.Amend(t.Context(), "a", func([]byte) ([]byte, error) { return make([]byte, keptSize+1), nil })
	if err != nil {
		t.Fatal(err)
	}
	r.keep(t, "none")
	before := r.asks.Load()
	for range 3 {
		if value, err := r.Recall(t.Context(), "a", still); err != nil || len(value) != keptSize+1 {
			t.Fatal(len(value), err)
		}
	}
	if asks := r.asks.Load() - before; asks != 3 {
		t.Errorf("3 recalls ask %d times", asks)
	}
}

// A replica that is cut off returns what it keeps for as long as its lease holds: nothing can have been amended without it.
// From then on it returns an error, and the others wait no longer.
func TestAReplicaThatIsCutOffReturnsNothingStale(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	link := etcdtest.NewLink(t, cluster.Endpoints())
	one, other := newReplica(t, cluster.Endpoints(), "/cut"), newReplica(t, link.Endpoint, "/cut")
	one.amend(t, "a", 1)
	other.keep(t, "a")
	other.stop()
	link.Cut()
	if got := other.number(t, "a"); got != 1 {
		t.Errorf("while the lease holds it recalls %d", got)
	}
	epoch := other.Epoch()
	other.goOn(leaseTime)
	one.amend(t, "a", 2)
	if value, err := other.Recall(t.Context(), "a", still); err == nil {
		t.Errorf("2 was amended, and a replica that is cut off recalls %q", value)
	}
	if other.Epoch() == epoch {
		t.Error("the epoch is the same, and something was amended")
	}
	link.Heal()
	other.stood.Store(-1)
	poll(t, "the replica is back", func() bool {
		value, err := other.Recall(t.Context(), "a", still)
		return err == nil && string(value) == "2"
	})
	other.keep(t, "a")
}

// What a watch has missed may be compacted away when it is begun again.
func TestAWatchThatBreaksIsBegunAgain(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	for name, compact := range map[string]bool{"as it was": false, "after a compaction": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := fmt.Sprintf("/watch-%t", compact)
			link := etcdtest.NewLink(t, cluster.Endpoints())
			one, other := newReplica(t, cluster.Endpoints(), prefix), newReplica(t, link.Endpoint, prefix)
			for n := range 3 {
				one.amend(t, "a", n)
				other.keep(t, "a")
				link.Cut()
				amended := make(chan bool)
				go func() {
					one.amend(t, "a", n+10)
					close(amended)
				}()
				poll(t, "it is written", func() bool {
					got, err := client.Get(t.Context(), prefix+"/data/a")
					if err != nil || len(got.Kvs) == 0 || string(unpack(got.Kvs[0]).value) != strconv.Itoa(n+10) {
						return false
					}
					if compact {
						_, err = client.Compact(t.Context(), got.Header.Revision)
					}
					return err == nil
				})
				link.Heal()
				<-amended
				poll(t, "the replica hears again", func() bool {
					value, err := other.Recall(t.Context(), "a", still)
					return err == nil && string(value) == strconv.Itoa(n+10)
				})
				other.keep(t, "a")
			}
		})
	}
}

func TestAReplicaThatIsClosedLeavesAtOnce(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	one, other := newReplica(t, cluster.Endpoints(), "/left"), newReplica(t, cluster.Endpoints(), "/left")
	one.amend(t, "a", 1)
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := cluster.Client(t).Get(t.Context(), "/left/group/replica/", clientv3.WithPrefix())
	if err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Key) != one.group.memberKey() {
		t.Errorf("the group is %v, %v", got, err)
	}
	one.amend(t, "a", 2)
}
