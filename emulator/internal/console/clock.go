package console

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// maxDue bounds the steps that the page of the clock lists.
const maxDue = 10

// showClock shows the world's instant, and the next steps that come by time alone.
func showClock(x *exchange) (answer, error) {
	var due []world.Transition
	err := x.world.Do(x.context(), func(tx *world.Tx) (err error) {
		due, err = tx.Transitions(maxDue)
		return err
	})
	return page{name: "clock", title: "Clock", data: due}, err
}

// showInstant shows the instant alone, for an open page, and the button beside it when it has changed.
func showInstant(x *exchange) (answer, error) {
	if x.value("frozen") == strconv.FormatBool(x.status.Frozen) {
		return fragment{"clock", "instant", x.status}, nil
	}
	return fragment{"clock", "instant-update", x.status}, nil
}

// clockMove is the effect of a form of the clock, and the notice after it.
type clockMove struct {
	do     func(*exchange) (world.Status, error)
	notice string
}

// clockMoves are the forms of the clock, by the last part of their paths.
var clockMoves = map[string]clockMove{
	"advance": {advance, "advanced"},
	"next":    {func(x *exchange) (world.Status, error) { return x.world.AdvanceToNext(x.context()) }, "advanced"},
	"set":     {setInstant, "advanced"},
	"freeze":  {func(x *exchange) (world.Status, error) { return x.world.Freeze(x.context()) }, "frozen"},
	"run":     {func(x *exchange) (world.Status, error) { return x.world.Unfreeze(x.context()) }, "running"},
}

// moveClock moves the world's clock as the path says. A script updates the parts of its page that show it; without
// scripts, and when the clock was not moved, the browser goes to the page that the form names.
func moveClock(x *exchange) (answer, error) {
	move, ok := clockMoves[x.param("how")]
	if !ok {
		return errorPage(errNoPage), nil
	}
	_, err := move.do(x)
	if err == nil && x.scripted() {
		return moved{}, nil
	}
	back, failure, did := x.value("back"), (*api.Error)(nil), move.notice
	if back != "" && errors.As(err, &failure) {
		did = "stayed"
		if errors.Is(err, world.ErrNoTransition) {
			did = "waiting"
		}
		err = nil
	}
	to := finished{ownPath(cmp.Or(back, x.here("clock"))), did}
	if x.scripted() {
		return moved{to}, err
	}
	return to, err
}

// moved answers a script: its page updates the parts that depend on the clock, or is left for another.
type moved struct{ finished }

func (m moved) write(x *exchange) error {
	if m.page == "" {
		x.writer.Header().Set("HX-Trigger", "clock, live")
	} else {
		x.setCookie(doneCookie, m.notice, 60)
		x.writer.Header().Set("HX-Redirect", m.page)
	}
	x.writer.WriteHeader(http.StatusNoContent)
	return nil
}

func advance(x *exchange) (status world.Status, err error) {
	by, err := world.ParseSpan(x.value("by"))
	if err != nil {
		return status, err
	}
	return x.world.Advance(x.context(), by)
}

// setInstant accepts the instants of browsers and of the API.
func setInstant(x *exchange) (status world.Status, err error) {
	for _, form := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.RFC3339Nano} {
		if to, err := time.Parse(form, x.value("to")); err == nil {
			return x.world.SetClock(x.context(), to)
		}
	}
	return status, api.Because(http.StatusBadRequest, "Enter an instant such as 2025-01-15T09:00:00Z")
}

// steerRoom is what changes the conditions of a world: its clock, faults and webhooks.
func steerRoom() room {
	return room{Funcs: steerFuncs, Endpoints: []endpoint{
		{method: http.MethodGet, path: "worlds/:world/clock", serve: showClock},
		{method: http.MethodGet, path: "worlds/:world/clock/instant", serve: showInstant},
		{method: http.MethodPost, path: "worlds/:world/clock/:how", serve: moveClock, form: showClock},
		{method: http.MethodGet, path: "worlds/:world/faults", serve: showFaults},
		{method: http.MethodPost, path: "worlds/:world/faults", serve: addFault, form: showFaults},
		{method: http.MethodGet, path: "worlds/:world/faults/toggle", serve: showToggles},
		{method: http.MethodPost, path: "worlds/:world/faults/toggle", serve: toggleFault, form: showFaults},
		{method: http.MethodPost, path: "worlds/:world/faults/remove", serve: removeFault, form: showFaults},
		{method: http.MethodGet, path: "worlds/:world/webhooks", serve: showWebhooks},
		{method: http.MethodPost, path: "worlds/:world/webhooks", serve: actOnWebhooks, form: showWebhooks},
	}}
}
