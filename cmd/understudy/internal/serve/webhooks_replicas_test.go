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
	for name, killed := range map[string]bool{"nothing": false, "replicas": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			worlds, requests, kills := scale()
			if !killed {
				kills = 0
			}
			replicas, r := newCluster(t), receive(t)
			var turn atomic.Int64
			c := &course{t: t, worlds: worlds, requests: requests, client: &http.Client{Timeout: time.Minute}}
			c.url = func() string { return replicas.replicas[turn.Add(1)%3].server.Load().URL }
			c.run("http://"+r.addr+"/", kills/2, func(i int) {
				replicas.replicas[i%3].kill()
				replicas.replicas[i%3].start(t)
			})
			c.want(r, !killed)
		})
	}
}
