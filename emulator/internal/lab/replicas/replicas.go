// Package replicas starts replicas of the emulator on one etcd cluster, for the tests that need etcd. Package lab goes without, as
// etcd's client is a fifth of the time in which a test is linked.
package replicas

import (
	"os"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// Store opens a store in a cluster, below a prefix of the test.
func Store(t *testing.T, cluster *etcdtest.Cluster) store.Store {
	t.Helper()
	s, err := etcd.Open(t.Context(), "etcd://"+cluster.Endpoints()+"/"+strings.ReplaceAll(t.Name(), "/", "-"), os.Getenv)
	lab.NoError(t, err)
	return s
}

// Serve starts n replicas on the store of a test, and returns their addresses.
func Serve(t *testing.T, n int, cluster *etcdtest.Cluster, options ...emulator.Option) (urls []string) {
	t.Helper()
	for range n {
		urls = append(urls, lab.Serve(t, append(options, emulator.WithStore(Store(t, cluster)))...))
	}
	return urls
}

// Clients returns clients of two replicas.
func Clients(t *testing.T, cluster *etcdtest.Cluster, options ...emulator.Option) (a, b *apitest.Client) {
	t.Helper()
	urls := Serve(t, 2, cluster, options...)
	return apitest.New(t, urls[0], lab.Key), apitest.New(t, urls[1], lab.Key)
}
