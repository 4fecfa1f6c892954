package control

import (
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

func clockCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/clock", inWorld: shows((*world.World).Status, viewTime)},
		{method: put, path: "v1/clock", inWorld: takes(setClock)},
		{method: post, path: "v1/clock/advance", inWorld: takes(advanceClock)},
	}
}

// worldTime is the instant of a world's clock, frozen or running.
type worldTime struct {
	Now    time.Time `json:"now"`
	Frozen bool      `json:"frozen"`
}

func viewTime(s world.Status) worldTime { return worldTime{s.Now, s.Frozen} }

// changedTime is a clock after a change, and the deliveries that the change carried out.
type changedTime struct {
	worldTime
	Deliveries deliveryCounts `json:"deliveries"`
}

type deliveryCounts struct {
	Sent   int `json:"sent"`
	Failed int `json:"failed"`
	Due    int `json:"due"`
}

// viewChanged returns the view of a world's clock after a change.
func viewChanged(s world.Status) changedTime {
	after := changedTime{worldTime: viewTime(s)}
	if s.Deliveries != nil {
		after.Deliveries = deliveryCounts(*s.Deliveries)
	}
	return after
}

// setClock sets the clock to an instant, freezes it or lets it run, or both.
func setClock(x *exchange, in struct {
	Now    *time.Time `json:"now"`
	Frozen *bool      `json:"frozen"`
}) (any, error) {
	return viewed(viewChanged)(x.world.ChangeClock(x.context(), in.Now, in.Frozen))
}

// advances are the bodies of clock/advance.
const advances = `{"by":"36h"} or {"to":"next-payday","of":"vr_completed"}`

func advanceClock(x *exchange, in struct {
	By *string `json:"by"`
	To *string `json:"to"`
	Of *string `json:"of"` // the id of the verification request whose payday it is
}) (any, error) {
	switch {
	case in.By != nil && in.To == nil && in.Of == nil:
		by, err := world.ParseSpan(*in.By)
		if err != nil {
			return nil, err
		}
		return viewed(viewChanged)(x.world.Advance(x.context(), by))
	case in.By != nil:
		return nil, api.Because(http.StatusBadRequest, "A clock is advanced by a span of time, or to a payday: send "+advances)
	case in.To == nil:
		return nil, api.Because(http.StatusBadRequest, "Send by how much to advance the clock, or to which payday: "+advances)
	case *in.To != "next-payday":
		return nil, api.Because(http.StatusBadRequest, api.Quote(*in.To)+" is no day to advance to: name next-payday, or set the clock to an instant")
	case in.Of == nil:
		return nil, api.Because(http.StatusBadRequest, "Send whose payday it is, by the id of a verification request: "+advances)
	}
	return viewed(viewChanged)(world.AdvanceToPayday(x.context(), x.world, *in.Of))
}
