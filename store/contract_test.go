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

func TestTempKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Contract(t, func(t *testing.T) store.Store { return openTemp(t) })
}

func TestFileKeepsTheContract(t *testing.T) {
	t.Parallel()
	storetest.Contract(t, func(t *testing.T) store.Store { return openFile(t, newPath(t)) })
}
