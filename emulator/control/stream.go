package control

import (
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/journal"
	"github.com/understudy-sandbox/understudy/emulator/stream"
)

// streamJournal shows what is asked in the world from now on: behind ?since= or Last-Event-ID, when there is one.
func streamJournal(x *exchange) (any, error) {
	if !x.Journal.On() {
		return nil, journal.ErrOff
	}
	filter, err := x.filter()
	if err != nil {
		return nil, err
	}
	behind := filter.Behind
	filter.Behind = ""
	s := &stream.Stream{
		Journal: x.Journal, Filter: filter, Stopping: x.Stopping, Clock: x.Worlds.Config().Clock,
		Form: stream.Form{Request: summaryEvent, Gap: gapEvent, Reset: resetEvent},
	}
	last := x.request.Header.Get("Last-Event-ID")
	switch {
	case last == "" && !filter.Since.IsZero():
		s.All(x.world)
		return s, nil
	case last == "" && behind != "":
		return s, s.Resume(x.context(), x.world, behind)
	}
	return s, s.From(x.context(), x.world, last)
}

func summaryEvent(e *journal.Entry) ([]byte, error) { return api.Render(e.Summary()) }

func gapEvent(missed uint64) ([]byte, error) {
	if missed == 0 {
		return []byte(`{"missed":null}`), nil
	}
	return fmt.Appendf(nil, `{"missed":%d}`, missed), nil
}

func resetEvent() ([]byte, error) { return []byte("{}"), nil }
