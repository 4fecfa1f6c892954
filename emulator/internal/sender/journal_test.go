package sender_test

import (
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/query"
)

// An attempt comes into the journal also when the store refuses the entry at first.
func TestJournaled(t *testing.T) {
	t.Parallel()
	mute := &lab.Mute{Store: lab.Opened(t, "temp")}
	_, w, _ := lab.InGo(t, emulator.WithStore(mute))
	r := lab.Receive(t)
	_, err := w.Subscribe(t.Context(), emulator.Subscription{URL: r.URL})
	lab.NoError(t, err)
	mute.Down.Store(true)
	_, err = w.Move(t.Context(), "vr_processing", emulator.Move{State: "completed"})
	lab.NoError(t, err)
	lab.WantEvents(t, r, "vr_processing completed")
	lab.Until(t, "the attempt is recorded in its world", func() bool {
		for d, err := range w.Deliveries(t.Context(), "") {
			return err == nil && len(d.Attempts) == 1
		}
		return false
	})
	mute.Down.Store(false)
	lab.Until(t, "the attempt is in the journal", func() bool {
		entries, err := w.Journal(t.Context(), query.Filter{Kind: journal.KindWebhook})
		return err == nil && len(entries) == 1
	})
}
