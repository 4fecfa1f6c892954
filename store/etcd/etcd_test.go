package etcd_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	cluster := etcdtest.Run(t, 1)
	var stores atomic.Int32
	storetest.Contract(t, func(t *testing.T) store.Store {
		return open(t, fmt.Sprintf("etcd://%s/contract/%d", cluster.Endpoints(), stores.Add(1)))
	})
}

func open(t *testing.T, spec string) store.Store {
	t.Helper()
	s, err := etcd.Open(t.Context(), spec, environment(nil))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
