package events

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Live sends the requests of all worlds from now on, and those that reach none, as small server-sent events: request;
// change, when the journal of a world was cleared or began anew; many, for others that are not sent one by one.
type Live struct {
	Streams
	Journals []*journal.Journal
}

// livePause is the pause after events, which bounds them: see [journal.Arrivals].
const livePause = 500 * time.Millisecond

// ServeHTTP sends the events.
func (l Live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	arrivals := journal.NewArrivals()
	follow := func() (wake <-chan struct{}, stop func()) {
		var stops []func()
		for _, j := range l.Journals {
			stops = append(stops, j.Follow(arrivals))
		}
		return arrivals.Wake(), func() {
			for _, stop := range stops {
				stop()
			}
		}
	}
	l.serve(w, r, "", "the requests of all worlds", follow, func(ctx context.Context, out events) error {
		first, more := arrivals.Take()
		text := ""
		for _, arrived := range first {
			data, err := api.Render(arrived)
			if err != nil {
				return err
			}
			name := "request"
			if arrived.ID == "" {
				name = "change"
			}
			text += fmt.Sprintf("event: %s\ndata: %s\n\n", name, data)
		}
		if more {
			text += "event: many\ndata: {}\n\n"
		}
		if text == "" {
			return nil
		}
		if err := out.write(text); err != nil {
			return err
		}
		return l.Clock.Wait(ctx, livePause)
	})
}
