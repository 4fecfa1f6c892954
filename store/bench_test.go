package store_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	bolt "go.etcd.io/bbolt"
)

// BenchmarkUpdate compares writes of this package, durable ones and temporary ones, with durable ones of bbolt at its defaults.
// Set TMPDIR to a folder on the disk to measure.
func BenchmarkUpdate(b *testing.B) {
	value := make([]byte, 1000)
	for _, writers := range []int{1, 32} {
		for _, spec := range []string{"file:PATH", "temp"} {
			b.Run(fmt.Sprintf("%s/writers=%d", spec, writers), func(b *testing.B) {
				s := openBench(b, strings.Replace(spec, "PATH", newPath(b), 1))
				share(b, writers, func(key string) error {
					return s.Update(b.Context(), key, func([]byte) ([]byte, error) { return value, nil })
				})
			})
		}
		for name, update := range map[string]func(*bolt.DB, func(*bolt.Tx) error) error{
			"bbolt.Update": (*bolt.DB).Update,
			"bbolt.Batch":  (*bolt.DB).Batch,
		} {
			b.Run(fmt.Sprintf("%s/writers=%d", name, writers), func(b *testing.B) {
				db, err := bolt.Open(newPath(b), 0o600, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				if err := db.Update(withBucket("data")); err != nil {
					b.Fatal(err)
				}
				share(b, writers, func(key string) error {
					return update(db, func(tx *bolt.Tx) error { return tx.Bucket([]byte("data")).Put([]byte(key), value) })
				})
			})
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := openBench(b, "temp")
	const keys = 1000
	for i := range keys {
		key := strconv.Itoa(i)
		if err := s.Update(b.Context(), key, func([]byte) ([]byte, error) { return make([]byte, 1000), nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			if _, err := s.Get(b.Context(), strconv.Itoa(i%keys)); err != nil {
				b.Error(err)
			}
		}
	})
}

// share divides b.N writes to new keys among writers.
func share(b *testing.B, writers int, write func(key string) error) {
	var n atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range writers {
		wg.Go(func() {
			for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
				if err := write(strconv.FormatInt(i, 10)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func openBench(b *testing.B, spec string) store.Store {
	b.Helper()
	s, err := store.Open(spec)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}
