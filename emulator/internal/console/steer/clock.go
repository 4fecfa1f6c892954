// Package steer is the pages that change the conditions of a world: clock, faults and webhooks.
package steer

import (
	"cmp"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// maxDue bounds the steps that the page of the clock lists.
const maxDue = 10

// showClock shows the world's instant, and the next steps that come by time alone.
func showClock(x *frame.Exchange) (frame.Answer, error) {
	var due []world.Transition
	err := x.World.Do(x.Context(), func(tx *world.Tx) (err error) {
		due, err = tx.Transitions(maxDue)
		return err
	})
	return frame.Page{Name: "clock", Title: "Clock", Data: due}, err
}

// showInstant shows the instant alone, for an open page, and the button beside it when it has changed.
func showInstant(x *frame.Exchange) (frame.Answer, error) {
	if x.Value("frozen") == strconv.FormatBool(x.Status.Frozen) {
		return frame.Fragment{Page: "clock", Name: "instant", Data: x.Status}, nil
	}
	return frame.Fragment{Page: "clock", Name: "instant-update", Data: x.Status}, nil
}

// clockMove is the effect of a form of the clock, and the notice after it.
type clockMove struct {
	do     func(*frame.Exchange) (world.Status, error)
	notice string
}

// clockMoves are the forms of the clock, by the last part of their paths.
var clockMoves = map[string]clockMove{
	"advance": {advance, "advanced"},
	"next":    {func(x *frame.Exchange) (world.Status, error) { return x.World.AdvanceToNext(x.Context()) }, "advanced"},
	"set":     {setInstant, "advanced"},
	"freeze":  {func(x *frame.Exchange) (world.Status, error) { return x.World.Freeze(x.Context()) }, "frozen"},
	"run":     {func(x *frame.Exchange) (world.Status, error) { return x.World.Unfreeze(x.Context()) }, "running"},
}

// moveClock moves the world's clock as the path says. A script updates the parts of its page that show it; without
// scripts, and when the clock was not moved, the browser goes to the page that the form names.
func moveClock(x *frame.Exchange) (frame.Answer, error) {
	move, ok := clockMoves[x.Param("how")]
	if !ok {
		return frame.ErrorPage(frame.ErrNoPage), nil
	}
	_, err := move.do(x)
	if err == nil && x.Scripted() {
		return moved{}, nil
	}
	back, failure, did := x.Value("back"), (*api.Error)(nil), move.notice
	if back != "" && errors.As(err, &failure) {
		did = "stayed"
		if errors.Is(err, world.ErrNoTransition) {
			did = "waiting"
		}
		err = nil
	}
	to := frame.Finished{Page: frame.OwnPath(cmp.Or(back, x.Here("clock"))), Notice: did}
	if x.Scripted() {
		return moved{to}, err
	}
	return to, err
}

// moved answers a script: its page updates the parts that depend on the clock, or is left for another.
type moved struct{ frame.Finished }

func (m moved) Respond(x *frame.Exchange) error {
	if m.Page == "" {
		x.Writer.Header().Set("HX-Trigger", "clock, live")
	} else {
		x.SetCookie(frame.DoneCookie, m.Notice, 60)
		x.Writer.Header().Set("HX-Redirect", m.Page)
	}
	x.Writer.WriteHeader(http.StatusNoContent)
	return nil
}

func advance(x *frame.Exchange) (status world.Status, err error) {
	by, err := world.ParseSpan(x.Value("by"))
	if err != nil {
		return status, err
	}
	return x.World.Advance(x.Context(), by)
}

// setInstant accepts the instants of browsers and of the API.
func setInstant(x *frame.Exchange) (status world.Status, err error) {
	to, err := words.ReadInstant(x.Value("to"))
	if err != nil {
		return status, api.Because(http.StatusBadRequest, "Enter an instant such as 2025-01-15T09:00:00Z")
	}
	return x.World.SetClock(x.Context(), to)
}

// notices are the messages after the forms of the room.
var notices = map[string]string{
	"advanced":     "Clock advanced.",
	"frozen":       "Clock frozen.",
	"running":      "Clock running.",
	"waiting":      "The clock was not moved: no request here is waiting for it.",
	"fault":        "Fault added.",
	"unfault":      "Fault removed.",
	"unfaults":     "All faults removed.",
	"hooked":       "Webhook added.",
	"unhooked":     "Webhook removed.",
	"redelivered":  "Delivery sent again.",
	"misdelivered": "The next webhook will go wrong once.",
}

// Room is what changes the conditions of a world: its clock, faults and webhooks.
func Room() frame.Room {
	return frame.Room{Funcs: template.FuncMap{"left": func(f rules.Fault) int { return f.Rule.Times - f.Applied }}, Messages: notices, Alerts: map[string]string{"stayed": "The clock was not moved: it goes on by a span such as 36h, to the year 9990 at most, and while it runs to 292 years from the machine's."}, Endpoints: []frame.Endpoint{
		{Method: http.MethodGet, Path: "worlds/:world/clock", Serve: showClock},
		{Method: http.MethodGet, Path: "worlds/:world/clock/instant", Serve: showInstant},
		{Method: http.MethodPost, Path: "worlds/:world/clock/:how", Serve: moveClock, Form: showClock},
		{Method: http.MethodGet, Path: "worlds/:world/faults", Serve: showFaults},
		{Method: http.MethodPost, Path: "worlds/:world/faults", Serve: addFault, Form: showFaults},
		{Method: http.MethodPost, Path: "worlds/:world/faults/toggle", Serve: toggleFault, Form: showFaults},
		{Method: http.MethodPost, Path: "worlds/:world/faults/remove", Serve: removeFault, Form: showFaults},
		{Method: http.MethodGet, Path: "worlds/:world/webhooks", Serve: showWebhooks},
		{Method: http.MethodPost, Path: "worlds/:world/webhooks", Serve: actOnWebhooks, Form: showWebhooks},
	}}
}
