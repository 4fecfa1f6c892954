package console

import (
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// showHome shows the requests of all worlds as they come, and how to send them.
func showHome(x *exchange) (answer, error) {
	data := struct {
		start
		world.Config
		Authority bool
		Journal   int
		Trouble   error // of a store that is not ready
		Arrivals  arrivals
	}{x.starting(), x.Worlds.Config(), x.Authority != nil, x.Journal.Size(), x.Worlds.Ready(x.context()), arrivals{}}
	var err error
	if data.Trouble == nil {
		data.Arrivals, err = x.latestArrivals()
	}
	return page{name: "home", title: "Home", data: data}, err
}
