package store_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	berrors "go.etcd.io/bbolt/errors"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
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

// While a commit is under way, what it writes is read, changed and deleted as all else.
func TestATemporaryStoreGoesOnWhileItCommits(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	const keys, writes = 3000, 50_000
	name := func(n int) string { return fmt.Sprintf("%d/%04d", n%10, n) }
	want := make(map[string][]byte)
	for i := range writes {
		key := name(rand.IntN(keys))
		value := []byte(strconv.Itoa(i))
		if i%7 == 0 {
			value = nil
		}
		mustPut(t, s, key, value)
		want[key] = value
		other := name(rand.IntN(keys))
		wantValue(t, s, other, want[other])
		if i%9973 == 0 {
			prefix := strconv.Itoa(rand.IntN(10)) + "/"
			if err := s.DeletePrefix(t.Context(), prefix); err != nil {
				t.Fatal(err)
			}
			maps.DeleteFunc(want, func(key string, _ []byte) bool { return strings.HasPrefix(key, prefix) })
		}
	}
	maps.DeleteFunc(want, func(_ string, value []byte) bool { return value == nil })
	storetest.WantKeys(t, s, "", slices.Sorted(maps.Keys(want))...)
	for key, value := range want {
		wantValue(t, s, key, value)
	}
}

// A write that found no room is refused; what was acknowledged before is not lost.
func TestATemporaryStoreWithoutRoomKeepsWhatItHas(t *testing.T) {
	t.Parallel()
	s := openTemp(t)
	mustPut(t, s, "early", []byte("1"))
	store.DB(s).MaxSize = 1
	put := func(key string, value []byte) error {
		return s.Update(t.Context(), key, func([]byte) ([]byte, error) { return value, nil })
	}
	var refused error
	written, latest := 0, 0
	for n := 0; refused == nil; n++ {
		if n == 1_000 {
			t.Fatal("a gigabyte went where there is room for a byte")
		}
		if refused = put("latest", fmt.Append(nil, n)); refused == nil {
			latest = n
			refused = put(fmt.Sprint("large", n), make([]byte, 1<<20))
		}
		if refused == nil {
			written++
		}
	}
	if !errors.Is(refused, berrors.ErrMaxSizeReached) {
		t.Errorf("refused with %v", refused)
	}
	whole := func() {
		t.Helper()
		wantValue(t, s, "early", []byte("1"))
		wantValue(t, s, "latest", fmt.Append(nil, latest))
		wantValue(t, s, fmt.Sprint("large", written), nil)
	}
	whole()
	store.DB(s).MaxSize = 0
	found := 0
	if err := s.Scan(t.Context(), "large", "", func(string, []byte) error { found++; return nil }); err != nil || found != written {
		t.Errorf("of %d acknowledged writes there are %d, %v", written, found, err)
	}
	whole()
}
