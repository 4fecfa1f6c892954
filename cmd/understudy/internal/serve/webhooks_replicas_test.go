//go:build unix

package serve

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// The same holds for three replicas, of which one after the other is killed.
func TestWebhooksReplicas(t *testing.T) {
	t.Parallel()
	worlds, requests, kills := scale()
	replicas := newCluster(t)
	var turn atomic.Int64
	c := &course{t: t, worlds: worlds, requests: requests, client: &http.Client{Timeout: time.Minute}}
	c.url = func() string { return replicas.replicas[turn.Add(1)%3].server.Load().URL }
	c.run(receive(t), 0, nil)
	c.run(receive(t), kills/2, func(i int) {
		replicas.replicas[i%3].kill()
		replicas.replicas[i%3].start(t)
	})
}
