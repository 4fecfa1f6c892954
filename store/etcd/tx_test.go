package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// The function of Update runs again if another process has changed a key that it read or writes.
func TestUpdateConflict(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	put := func(key string) func(store.Tx) error {
		return func(tx store.Tx) error { return tx.Put(key, []byte("other")) }
	}
	get := func(key string) func(store.Tx) error {
		return func(tx store.Tx) error { _, err := tx.Get(key); return err }
	}
	scan := func(upTo string) func(store.Tx) error {
		return func(tx store.Tx) (err error) {
			for entry, err := range tx.Scan("p/", "") {
				if err != nil || entry.Key == upTo {
					return err
				}
			}
			return nil
		}
	}
	for name, tt := range map[string]struct {
		reads, other func(store.Tx) error
		runs         int
	}{
		"key read":                        {get("p/1"), put("p/1"), 2},
		"key read as missing":             {get("new"), put("new"), 2},
		"key written":                     {get("a"), put("mine"), 2},
		"key scanned":                     {scan(""), put("p/3"), 2},
		"key scanned and deleted":         {scan(""), func(tx store.Tx) error { return tx.Delete("p/3") }, 2},
		"key added to a scan":             {scan(""), put("p/2"), 2},
		"key added after the last one":    {scan(""), put("p/9"), 2},
		"key added beyond a stopped scan": {scan("p/3"), put("p/4"), 1},
		"key not read":                    {get("p/1"), put("p/3"), 1},
		"nothing read":                    {func(store.Tx) error { return nil }, put("mine"), 1},
		"key read, equal value":           {get("p/1"), func(tx store.Tx) error { return tx.Put("p/1", []byte("1")) }, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := fmt.Sprintf("etcd://%s/%s", cluster.Endpoints(), strings.ReplaceAll(name, " ", "-"))
			one, other := open(t, spec), open(t, spec)
			for _, key := range []string{"a", "p/1", "p/3", "p/5", "mine"} {
				storetest.Put(t, one, key, []byte("1"))
			}
			runs := 0
			err := one.Update(t.Context(), func(tx store.Tx) error {
				err := tt.reads(tx)
				if runs++; runs == 1 {
					err = errors.Join(err, other.Update(t.Context(), tt.other))
				}
				return errors.Join(err, tx.Put("mine", []byte("2")))
			})
			if err != nil || runs != tt.runs {
				t.Errorf("%d runs, %v; want %d", runs, err, tt.runs)
			}
			storetest.WantValue(t, other, "mine", []byte("2"))
		})
	}
}

func TestUpdateConflictContext(t *testing.T) {
	t.Parallel()
	spec := "etcd://" + etcdtest.Run(t, 1).Endpoints()
	one, other := open(t, spec), open(t, spec)
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	err := one.Update(ctx, func(tx store.Tx) error {
		if runs++; runs == 5 {
			cancel()
		}
		_, err := tx.Get("n")
		storetest.Increment(t, other, "n")
		return errors.Join(err, tx.Put("n", []byte("x")))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after %d runs: %v", runs, err)
	}
	storetest.WantValue(t, other, "n", fmt.Append(nil, runs))
}

// An Update whose response is lost is applied once, and returns ErrOutcomeUnknown.
func TestUpdateLostResponse(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, read := range map[string]bool{"with a read it is retried": true, "without a read it is not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prefix := fmt.Sprint("/lost-", read)
			link := etcdtest.NewLink(t, cluster.Endpoints())
			one, other := open(t, "etcd://"+link.Endpoint+prefix), open(t, "etcd://"+cluster.Endpoints()+prefix)
			changed, err := other.Watch(t.Context(), "n")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error)
			go func() {
				done <- one.Update(t.Context(), func(tx store.Tx) error {
					if read {
						if _, err := tx.Get("n"); err != nil {
							return err
						}
					}
					link.HoldAnswers()
					return tx.Put("n", []byte("1"))
				})
			}()
			<-changed
			link.Disconnect() // held data is lost
			link.Heal()
			if err := <-done; !errors.Is(err, store.ErrOutcomeUnknown) {
				t.Errorf("Update returned %v", err)
			}
			storetest.WantValue(t, other, "n", []byte("1"))
		})
	}
}

// Once the response to a first attempt is lost, no later failure makes the outcome known.
func TestUpdateLostResponseThenRefused(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	allow := cluster.RequireUser(t, "/twice/")
	link := etcdtest.NewLink(t, cluster.Endpoints())
	one, other := open(t, "etcd://"+link.Endpoint+"/twice?user=understudy&password=sesame"), open(t, "etcd://"+cluster.Endpoints()+"/twice?user=understudy&password=sesame")
	changed, err := other.Watch(t.Context(), "n")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		done <- one.Update(t.Context(), func(tx store.Tx) error {
			if _, err := tx.Get("n"); err != nil {
				return err
			}
			link.HoldAnswers()
			return tx.Put("n", []byte("1"))
		})
	}()
	<-changed
	allow("") // the second attempt is refused, and the first was applied
	link.Disconnect()
	link.Heal()
	if err := <-done; !errors.Is(err, store.ErrOutcomeUnknown) || !errors.Is(err, rpctypes.ErrPermissionDenied) {
		t.Errorf("Update returned %v", err)
	}
	allow("rw")
	storetest.WantValue(t, other, "n", []byte("1"))
}

// Clusters compact their history now and then: a transaction at a compacted revision runs again.
func TestCompacted(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	s := open(t, "etcd://"+cluster.Endpoints())
	for name, call := range map[string]func(context.Context, func(store.Tx) error) error{"View": s.View, "Update": s.Update} {
		runs := 0
		err := call(t.Context(), func(tx store.Tx) error {
			_, _ = tx.Get("a")
			if runs++; runs == 1 {
				put, err := client.Put(t.Context(), "other", "key")
				if err != nil {
					return err
				}
				if _, err := client.Compact(t.Context(), put.Header.Revision); err != nil {
					return err
				}
			}
			_, err := tx.Get("b")
			return err
		})
		if err != nil || runs != 2 {
			t.Errorf("%s ran %d times: %v", name, runs, err)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	link := etcdtest.NewLink(t, etcdtest.Run(t, 1).Endpoints())
	s := open(t, "etcd://"+link.Endpoint)
	link.Hold()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // far more than callTimeout
	defer cancel()
	get := func(tx store.Tx) error { _, err := tx.Get("a"); return err }
	var running sync.WaitGroup
	for name, call := range map[string]func() error{
		"View":         func() error { return s.View(ctx, get) },
		"Update":       func() error { return s.Update(ctx, get) },
		"blind Update": func() error { return s.Update(ctx, func(tx store.Tx) error { return tx.Put("a", nil) }) },
		"Watch":        func() error { _, err := s.Watch(ctx, "a"); return err },
		"Ready":        func() error { return s.Ready(ctx) },
	} {
		running.Go(func() {
			if err := call(); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "store etcd://"+link.Endpoint) {
				t.Errorf("%s returned %v", name, err)
			}
		})
	}
	running.Wait()
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	s := open(t, "etcd://"+etcdtest.Run(t, 1).Endpoints())
	for name, fn := range map[string]func(store.Tx) error{
		"value of 1.9 MiB": func(tx store.Tx) error { return tx.Put("a", make([]byte, 1900<<10)) },
		"value of 3 MiB":   func(tx store.Tx) error { return tx.Put("a", make([]byte, 3<<20)) },
		"200 keys": func(tx store.Tx) (err error) {
			for i := range 200 {
				err = errors.Join(err, tx.Put(fmt.Sprint(i), nil))
			}
			return err
		},
	} {
		if err := s.Update(t.Context(), fn); !errors.Is(err, store.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	storetest.WantKeys(t, s, "")
}

// fill makes a cluster refuse writes, as it does at its quota, until makeRoom.
func fill(t *testing.T, c *etcdtest.Cluster) (makeRoom func()) {
	t.Helper()
	client := c.Client(t)
	status, err := client.Status(t.Context(), c.Members[0].Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	alarm := &pb.AlarmRequest{MemberID: status.Header.MemberId, Action: pb.AlarmRequest_ACTIVATE, Alarm: pb.AlarmType_NOSPACE}
	if _, err := pb.NewMaintenanceClient(client.ActiveConnection()).Alarm(t.Context(), alarm); err != nil {
		t.Fatal(err)
	}
	return func() {
		if _, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestReadyFull(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	s := open(t, "etcd://"+cluster.Endpoints())
	storetest.Put(t, s, "a", []byte("1"))
	makeRoom := fill(t, cluster)
	const want = "database space exceeded (no space left on device): compact and defragment etcd, or raise its quota, and disarm the alarm"
	update := s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("a", []byte("2")) })
	for name, err := range map[string]error{"Update": update, "Ready": s.Ready(t.Context())} {
		if !errors.Is(err, rpctypes.ErrNoSpace) || errors.Is(err, store.ErrTooLarge) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	storetest.WantValue(t, s, "a", []byte("1"))
	if err := store.DeletePrefix(t.Context(), s, "a"); err != nil {
		t.Errorf("a delete is refused: %v", err)
	}
	makeRoom()
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	storetest.Put(t, s, "a", []byte("2"))
}

// All keys of a store begin with PREFIX/data/, except for PREFIX/format.
func TestKeyPrefix(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	storetest.Put(t, open(t, "etcd://"+cluster.Endpoints()+"/own"), "a/b", []byte("1"))
	got, err := cluster.Client(t).Get(t.Context(), "/own", clientv3.WithPrefix())
	if err != nil || len(got.Kvs) != 2 || string(got.Kvs[0].Key) != "/own/data/a/b" || string(got.Kvs[1].Key) != "/own/format" {
		t.Errorf("%v, %v", got, err)
	}
}
