package store_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/understudy-sandbox/understudy/store"
)

// Writes of a temporary store share commits; what is read is what was written last, whichever side of a commit it is.
func TestATemporaryStoreHasAllThatWasWrittenOnBothSidesOfACommit(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	before := commits(t, s)
	const keys = 5000
	var writers sync.WaitGroup
	for writer := range 4 {
		writers.Go(func() {
			for n := writer; n < keys; n += 4 {
				key := strconv.Itoa(n)
				mustPut(t, s, key, []byte("old"))
				mustPut(t, s, key, []byte("new"+key))
				if n%3 == 0 {
					mustPut(t, s, key, nil)
				}
			}
		})
	}
	writers.Wait()
	if n := commits(t, s) - before; n < 2 || n > 2*keys/1000+2 {
		t.Errorf("%d commits of %d writes", n, 2*keys+keys/3)
	}
	for n := range keys {
		want := []byte("new" + strconv.Itoa(n))
		if n%3 == 0 {
			want = nil
		}
		wantValue(t, s, strconv.Itoa(n), want)
	}
	left := 0
	if err := s.Scan(t.Context(), "", "", func(string, []byte) error { left++; return nil }); err != nil || left != keys-(keys+2)/3 {
		t.Errorf("%d keys, %v", left, err)
	}
	if err := s.DeletePrefix(t.Context(), "1"); err != nil {
		t.Fatal(err)
	}
	wantValue(t, s, "1", nil)
	wantValue(t, s, "2", []byte("new2"))
}

// A write that found no room is refused; what was acknowledged before is not lost.
func TestATemporaryStoreWithoutRoomKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	mustPut(t, s, "early", []byte("1"))
	store.DB(s).MaxSize = 1
	var refused error
	written := 0
	for refused == nil {
		if written == 1_000 {
			t.Fatal("a gigabyte went where there is room for a byte")
		}
		refused = s.Update(t.Context(), fmt.Sprint("large", written), func([]byte) ([]byte, error) { return make([]byte, 1<<20), nil })
		if refused == nil {
			written++
		}
	}
	if !errors.Is(refused, berrors.ErrMaxSizeReached) {
		t.Errorf("refused with %v", refused)
	}
	wantValue(t, s, "early", []byte("1"))
	wantValue(t, s, fmt.Sprint("large", written), nil)
	store.DB(s).MaxSize = 0
	if err := s.Scan(t.Context(), "large", "", func(string, []byte) error { written--; return nil }); err != nil || written != 0 {
		t.Errorf("%d acknowledged writes are lost, %v", written, err)
	}
	wantValue(t, s, "early", []byte("1"))
}
