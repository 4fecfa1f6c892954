package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// A transaction runs again when another process has changed what it read, or what it writes without reading.
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
		reads, others func(store.Tx) error
		runs          int
	}{
		"key that was read changes":            {get("p/1"), put("p/1"), 2},
		"key that was read as absent is made":  {get("new"), put("new"), 2},
		"key that is written changes":          {get("a"), put("mine"), 2},
		"key of a scan changes":                {scan(""), put("p/3"), 2},
		"key of a scan is deleted":             {scan(""), func(tx store.Tx) error { return tx.Delete("p/3") }, 2},
		"key comes into a scan":                {scan(""), put("p/2"), 2},
		"key comes into an empty scan":         {scan(""), put("p/9"), 2},
		"key comes behind the end of a scan":   {scan("p/3"), put("p/4"), 1},
		"key that was not read changes":        {get("p/1"), put("p/3"), 1},
		"nothing was read":                     {func(store.Tx) error { return nil }, put("mine"), 1},
		"an equal value is written to the key": {get("p/1"), func(tx store.Tx) error { return tx.Put("p/1", []byte("1")) }, 2},
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
					err = errors.Join(err, other.Update(t.Context(), tt.others))
				}
				return errors.Join(err, tx.Put("mine", []byte("2")))
			})
			if err != nil || runs != tt.runs {
				t.Errorf("it ran %d times, %v; want %d times", runs, err, tt.runs)
			}
			storetest.WantValue(t, other, "mine", []byte("2"))
		})
	}
}

func TestUpdateConflictEndsWithContext(t *testing.T) {
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

// A transaction whose answer is lost is carried out once, and its error says that this is not known.
func TestUpdateLostAnswer(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	for name, read := range map[string]bool{"after a read it is sent again": true, "without a read it is not": false} {
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
			link.Cut() // what is held is lost
			link.Heal()
			if err := <-done; !errors.Is(err, store.ErrOutcomeUnknown) {
				t.Errorf("Update returned %v", err)
			}
			storetest.WantValue(t, other, "n", []byte("1"))
		})
	}
}

// An operator has etcd compact its history, every hour or so.
func TestViewCompacted(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	client := cluster.Client(t)
	s := open(t, "etcd://"+cluster.Endpoints())
	for name, call := range map[string]func(context.Context, func(store.Tx) error) error{"View": s.View, "Update": s.Update} {
		runs := 0
		err := call(t.Context(), func(tx store.Tx) error {
			_, _ = tx.Get("a")
			if runs++; runs == 1 {
				put, err := client.Put(t.Context(), "something", "else")
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

func TestCallsWithoutAnswer(t *testing.T) {
	t.Parallel()
	link := etcdtest.NewLink(t, etcdtest.Run(t, 1).Endpoints())
	s := open(t, "etcd://"+link.Endpoint)
	link.Hold()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // far more than a call has
	defer cancel()
	get := func(tx store.Tx) error { _, err := tx.Get("a"); return err }
	var calling sync.WaitGroup
	for name, call := range map[string]func() error{
		"View":         func() error { return s.View(ctx, get) },
		"Update":       func() error { return s.Update(ctx, get) },
		"blind Update": func() error { return s.Update(ctx, func(tx store.Tx) error { return tx.Put("a", nil) }) },
		"Watch":        func() error { _, err := s.Watch(ctx, "a"); return err },
		"Ready":        func() error { return s.Ready(ctx) },
	} {
		calling.Go(func() {
			if err := call(); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "store etcd://"+link.Endpoint) {
				t.Errorf("%s returned %v", name, err)
			}
		})
	}
	calling.Wait()
}

// A member that hangs costs calls time, and none fails.
func TestCallsWithMemberThatHangs(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 3)
	var endpoints []string
	var links []*etcdtest.Link
	for _, m := range cluster.Members {
		links = append(links, etcdtest.NewLink(t, m.Endpoint))
		endpoints = append(endpoints, links[len(links)-1].Endpoint)
	}
	s := open(t, "etcd://"+strings.Join(endpoints, ","))
	const each, writers = 4, 4
	for _, link := range links {
		link.Hold()
		var running sync.WaitGroup
		for writer := range writers {
			running.Go(func() {
				for range each {
					storetest.Increment(t, s, fmt.Sprint(writer))
				}
			})
		}
		running.Wait()
		link.Cut() // what is held is lost, as with a member that is killed
		link.Heal()
	}
	for writer := range writers {
		storetest.WantValue(t, s, fmt.Sprint(writer), fmt.Append(nil, len(links)*each))
	}
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

func TestReadyFull(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	s := open(t, "etcd://"+cluster.Endpoints())
	storetest.Put(t, s, "a", []byte("1"))
	cluster.Fill(t)
	const says = "database space exceeded: compact and defragment etcd, or raise its quota, and disarm the alarm"
	update := s.Update(t.Context(), func(tx store.Tx) error { return tx.Put("a", []byte("2")) })
	for name, err := range map[string]error{"Update": update, "Ready": s.Ready(t.Context())} {
		if !errors.Is(err, rpctypes.ErrNoSpace) || errors.Is(err, store.ErrTooLarge) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %s", name, err, says)
		}
	}
	storetest.WantValue(t, s, "a", []byte("1"))
	if err := store.DeletePrefix(t.Context(), s, "a"); err != nil {
		t.Errorf("what makes room is refused: %v", err)
	}
	cluster.MakeRoom(t)
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	storetest.Put(t, s, "a", []byte("2"))
}

// A store's keys are below names of its own, so that two stores have none in common.
func TestKeysOfStore(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	storetest.Put(t, open(t, "etcd://"+cluster.Endpoints()+"/own"), "a/b", []byte("1"))
	got, err := cluster.Client(t).Get(t.Context(), "/own", clientv3.WithPrefix())
	if err != nil || len(got.Kvs) != 2 || string(got.Kvs[0].Key) != "/own/data/a/b" || string(got.Kvs[1].Key) != "/own/format" {
		t.Errorf("%v, %v", got, err)
	}
}
