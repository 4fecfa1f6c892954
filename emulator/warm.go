package emulator

import (
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Warm does what the first read of a verification request would otherwise wait for: it reads the scenario of vr_completed,
// draws what that says, and renders it. It asks nothing of the store. Whoever serves calls it beside, while it begins to
// listen; an emulator that is not warmed answers the same.
func (e *Emulator) Warm() {
	s := e.worlds.Config().Catalogue.ByID(scenarios.VerificationRequestID, "vr_completed")
	if s == nil {
		return
	}
	at := time.Unix(0, 0)
	drawn := fixtures.Generator{}.VerificationRequest("", "", s.VerificationShape(),
		fixtures.Progress{State: api.StateCompleted, Created: at, Completed: at})
	_, _ = api.Render(drawn) // what cannot be rendered is told to whoever asks for it
}
