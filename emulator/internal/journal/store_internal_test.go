package journal

import (
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

// A world with most of the entries of each batch does not exceed its size either.
func TestStoreTrimBusyWorld(t *testing.T) {
	t.Parallel()
	temp, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	defer temp.Close()
	s := newShared(Config{
		Size: 2, Store: temp,
		Current: func(store.Tx, string) (int64, error) { return 1, nil },
		Prefix:  func(p Ref) string { return p.World + "/" },
	})
	for range 10 {
		b := &batch{values: make(map[Ref][][]byte)}
		for n := range maxBatch {
			ref := refOf("busy")
			if n > 5 {
				ref = refOf(fmt.Sprint(n))
			}
			b.values[ref] = append(b.values[ref], []byte{entryFormat})
			b.count++
		}
		if err := s.commit(b); err != nil {
			t.Fatal(err)
		}
	}
	storetest.WantKeys(t, temp, "busy/", "busy/#", entryKey("busy/", 59), entryKey("busy/", 60))
}
