package control

import (
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// worldTime is a world's clock: an instant, at which it stands or from which it runs on.
type worldTime struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func viewTime(w *world.World) worldTime { return worldTime{Now: w.Now().UTC(), Frozen: w.Frozen()} }

func showClock(x *exchange) (any, error) { return viewTime(x.world), nil }

// setClock sets the world's clock to an instant, has it stand or run, or both.
func setClock(x *exchange) (any, error) {
	var in struct {
		Now    *time.Time `json:"now"`
		Frozen *bool      `json:"frozen"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.Now == nil && in.Frozen == nil {
		return nil, api.Because(http.StatusBadRequest, `Say what the clock is set to: {"now":"2025-01-15T09:00:00Z"}, {"frozen":true} or both`)
	}
	if err := x.world.SetTime(x.context(), in.Now, in.Frozen); err != nil {
		return nil, err
	}
	return viewTime(x.world), nil
}

// advanceClock moves the world's clock on.
func advanceClock(x *exchange) (any, error) {
	var in struct {
		By scenarios.Duration `json:"by"`
	}
	if err := x.decode(&in); err != nil {
		return nil, err
	}
	if in.By == 0 {
		return nil, api.Because(http.StatusBadRequest, `Say by how much the clock is advanced: {"by":"36h"}`)
	}
	if err := x.world.Advance(x.context(), time.Duration(in.By)); err != nil {
		return nil, err
	}
	return viewTime(x.world), nil
}
