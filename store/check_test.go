package store_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/understudy-sandbox/understudy/store"
)

func TestAStoreThatWasWrittenIsWhole(t *testing.T) {
	t.Parallel()
	s, err := store.Open("temp")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		err := s.Update(t.Context(), fmt.Sprintf("key/%d", i), func([]byte) ([]byte, error) { return make([]byte, 1000), nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(s.DeletePrefix(t.Context(), "key/1"), s.(store.Checker).Check(t.Context())); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.(store.Checker).Check(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed, it says %v", err)
	}
}
