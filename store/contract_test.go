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
	for name, spec := range map[string]func(t *testing.T) string{
		"temp": func(*testing.T) string { return "temp" },
		"file": func(t *testing.T) string { return "file:" + newPath(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Contract(t, func(t *testing.T) store.Store {
				s := open(t, spec(t))
				store.DB(s).NoSync = true // no machine crashes here
				return s
			})
		})
	}
}
