package emulatortest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// The webhook that came twice, late and before another one, without a sleep.
func TestReceiver(t *testing.T) {
	t.Parallel()
	s := emulatortest.Run(t)
	t.Run("events come by the clock", func(t *testing.T) {
		t.Parallel()
		w := s.World(t)
		hook := w.Receiver()
		stateOf(s.Client(t), s.URL, "vr_lifecycle_timed")
		w.Advance(24 * time.Hour)
		if e := hook.Next("completed"); e.Name != "verification_request.state.change" || e.ID != "vr_lifecycle_timed" || e.Token == "" || !strings.Contains(string(e.Body), `"state":"completed"`) {
			t.Errorf("%+v", e)
		}
		if all := w.Deliveries(); len(all) != 2 || all[0].State != "processing" || all[1].Status != "delivered" {
			t.Errorf("%+v", all)
		}
	})
	t.Run("twice", func(t *testing.T) {
		t.Parallel()
		w := s.World(t)
		hook := w.Receiver()
		w.AddFault("webhook-twice")
		w.Move("vr_processing", "completed")
		if first, second := hook.Next("completed"), hook.Next("completed"); string(first.Body) != string(second.Body) {
			t.Errorf("%s\n%s", first.Body, second.Body)
		}
	})
	t.Run("late", func(t *testing.T) {
		t.Parallel()
		w := s.World(t)
		hook := w.Receiver()
		w.AddFault("{on: webhook, deliver: {late: 2h}}")
		w.Move("vr_processing", "completed")
		w.Move("vr_pending_approval", "processing")
		w.Advance(2*time.Hour - time.Second)
		if all := w.Deliveries(); len(all) != 2 || all[0].Status != "due" {
			t.Errorf("%+v", all)
		}
		w.Advance(time.Second)
		hook.Next("completed")
		hook.Next("processing")
	})
	t.Run("without events the test ends", func(t *testing.T) {
		t.Parallel()
		w := s.World(t)
		if hook := w.Webhook("http://127.0.0.1:1/hooks"); hook.ID != 1 || hook.Token == "" || len(hook.Events) != 2 {
			t.Errorf("%+v", hook)
		}
	})
}
