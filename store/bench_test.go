package store_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	bolt "go.etcd.io/bbolt"

	"github.com/understudy-sandbox/understudy/store"
)

// BenchmarkUpdate compares an Update of two reads and a write with bbolt's own at its defaults. TMPDIR selects the disk to
// measure.
func BenchmarkUpdate(b *testing.B) {
	value := make([]byte, 1000)
	for _, writers := range []int{1, 32} {
		for _, spec := range []string{"file:PATH", "temp"} {
			b.Run(fmt.Sprintf("%s/writers=%d", spec, writers), func(b *testing.B) {
				s := open(b, strings.Replace(spec, "PATH", newPath(b), 1))
				divide(b, writers, func(key string) error {
					return s.Update(b.Context(), func(tx store.Tx) error {
						_, _ = tx.Get("a")
						_, _ = tx.Get(key)
						return tx.Put(key, value)
					})
				})
			})
		}
		b.Run(fmt.Sprintf("bbolt/writers=%d", writers), func(b *testing.B) {
			db, err := bolt.Open(newPath(b), 0o600, nil)
			if err != nil {
				b.Fatal(err)
			}
			defer db.Close()
			if err := db.Update(withBucket("data")); err != nil {
				b.Fatal(err)
			}
			divide(b, writers, func(key string) error {
				return db.Update(func(tx *bolt.Tx) error {
					data := tx.Bucket([]byte("data"))
					data.Get([]byte("a"))
					data.Get([]byte(key))
					return data.Put([]byte(key), value)
				})
			})
		})
	}
}

// divide divides b.N writes to new keys among writers.
func divide(b *testing.B, writers int, write func(key string) error) {
	var n atomic.Int64
	var running sync.WaitGroup
	b.ResetTimer()
	for range writers {
		running.Go(func() {
			for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
				if err := write(strconv.FormatInt(i, 10)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	running.Wait()
	b.StopTimer()
}
