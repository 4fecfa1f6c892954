package journal

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// A world that asks more than those whose batches it shares keeps to its size too.
func TestStore_trim_of_a_busy_world(t *testing.T) {
	t.Parallel()
	kept, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()
	s := &shared{Config: Config{
		Size: 2, Store: kept,
		Current: func(store.Tx, string) (int64, error) { return 1, nil },
		Prefix:  func(p Place) string { return p.World + "/" },
	}}
	for range 10 {
		b := &batch{values: make(map[Place][][]byte)}
		for n := range maxBatch {
			p := place("busy")
			if n > 5 {
				p = place(fmt.Sprint(n))
			}
			b.values[p] = append(b.values[p], []byte{entryForm})
			b.count++
		}
		if err := s.commit(b); err != nil {
			t.Fatal(err)
		}
	}
	storetest.WantKeys(t, kept, "busy/", "busy/#", entryKey("busy/", 59), entryKey("busy/", 60))
}
