package world_test

import (
	"context"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/store"
)

// reopening is a store on which a world is opened again while what it remembered is being deleted.
type reopening struct {
	store.Store
	reopen func()
}

func (s *reopening) DeletePrefix(ctx context.Context, prefix string) error {
	if reopen := s.reopen; reopen != nil {
		s.reopen = nil
		reopen()
	}
	return s.Store.DeletePrefix(ctx, prefix)
}

// Contract 3: a world that is forgotten is as if its key had never been used. What the key does next is of the next world,
// which loses nothing to the end of the one before.
func TestAWorldThatIsOpenedWhileItIsDeletedKeepsWhatItThenRemembers(t *testing.T) {
	t.Parallel()
	w := newWall()
	counted, make := living(t, w)
	s := &reopening{Store: counted.Store}
	counted.Store = s
	worlds := make(0)
	if state := use(t, worlds, "again"); state != api.StatePendingApproval {
		t.Fatal(state)
	}
	s.reopen = func() {
		w.pass(time.Millisecond)
		use(t, worlds, "again")
	}
	if err := worlds.Delete(t.Context(), world.IDOf("svc_sk_test_again")); err != nil {
		t.Fatal(err)
	}
	if state := use(t, worlds, "again"); state != api.StateProcessing {
		t.Errorf("the second read of the new world finds %s", state)
	}
}
