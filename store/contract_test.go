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

func TestStoreTemp(t *testing.T) {
	t.Parallel()
	storetest.Contract(t, func(t *testing.T) store.Store { return open(t, "temp") })
}

func TestStoreFile(t *testing.T) {
	t.Parallel()
	storetest.Contract(t, func(t *testing.T) store.Store {
		s := open(t, "file:"+newPath(t))
		store.DB(s).NoSync = true // the test does not crash the machine
		return s
	})
}
