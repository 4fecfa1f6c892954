package etcd_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/etcd"
	"github.com/understudy-sandbox/understudy/store/etcd/etcdtest"
)

// BenchmarkUpdate measures an Update of two reads and a write on one member.
func BenchmarkUpdate(b *testing.B) {
	s, err := etcd.Open(b.Context(), "etcd://"+etcdtest.Run(b, 1).Endpoints(), environment(nil))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		err := s.Update(b.Context(), func(tx store.Tx) error {
			_, _ = tx.Get("a")
			_, _ = tx.Get("b")
			return tx.Put("b", []byte(strconv.Itoa(i)))
		})
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}
