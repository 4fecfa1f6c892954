package worlds

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// showHome shows the requests of all worlds as they come, and how to send them.
func showHome(x *frame.Exchange) (frame.Answer, error) {
	data := struct {
		recorded.Start
		world.Config
		Authority bool
		Journal   int
		Trouble   error // of a store that is not ready
		Arrivals  arrivals
	}{recorded.Starting(x), x.Worlds.Config(), x.Authority != nil, x.Journal.Size(), x.Worlds.Ready(x.Context()), arrivals{}}
	var err error
	if data.Trouble == nil {
		data.Arrivals, err = latestArrivals(x)
	}
	return frame.Page{Name: "home", Title: "Home", Data: data}, err
}
