package store_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/store"
	"github.com/understudy-sandbox/understudy/store/storetest"
)

var (
	mustPut   = storetest.Put
	wantValue = storetest.WantValue
	wantKeys  = storetest.WantKeys
	increment = storetest.Increment
)

func TestContract(t *testing.T) {
	t.Parallel()
	t.Run("temp", func(t *testing.T) {
		t.Parallel()
		storetest.Contract(t, func(t *testing.T) store.Store { return openTemp(t) })
	})
	t.Run("file", func(t *testing.T) {
		t.Parallel()
		storetest.Contract(t, func(t *testing.T) store.Store {
			s := openFile(t, newPath(t))
			store.DB(s).NoSync = true // no machine crashes here
			return s
		})
	})
}
