package console

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// showClock shows the world's instant, and what moves it on.
func showClock(x *exchange) (answer, error) {
	next, ok, err := x.world.NextTransition(x.context())
	if err != nil {
		return nil, err
	}
	data := struct {
		Next    any // that time leads to; nil: nothing
		Default string
	}{Default: x.world.Now().UTC().Format("2006-01-02T15:04:05")}
	if ok {
		data.Next = next
	}
	return page{name: "clock", title: "Clock", data: data}, nil
}

// showInstant shows the instant alone, for a page that is open.
func showInstant(x *exchange) (answer, error) { return fragment{"clock", "instant", x.world}, nil }

// moveClock does to the world's clock what the path says, and leads back to the page that the form names.
func moveClock(x *exchange) (answer, error) {
	moves := map[string]struct {
		move func(*exchange) error
		done string
	}{
		"advance": {advance, "advanced"},
		"next":    {advanceToNext, "advanced"},
		"set":     {setInstant, "advanced"},
		"freeze":  {func(x *exchange) error { return x.world.SetTime(x.context(), nil, new(true)) }, "frozen"},
		"run":     {func(x *exchange) error { return x.world.SetTime(x.context(), nil, new(false)) }, "running"},
	}
	how, ok := moves[x.param("how")]
	if !ok {
		return inWorld(nothingHere)(x)
	}
	err := x.do(func(*world.World) error { return how.move(x) })
	switch back, failure := x.value("back"), (*api.Error)(nil); {
	case err == nil:
		return done(ownPath(cmp.Or(back, x.here("clock"))), how.done), nil
	case back == "" || !errors.As(err, &failure):
		return x.again(inWorld(showClock), err)
	case errors.Is(err, errNothingWaits):
		return done(ownPath(back), "waiting"), nil
	default:
		return done(ownPath(back), "stayed"), nil
	}
}

func advance(x *exchange) error {
	text := x.value("by")
	by, err := time.ParseDuration(text)
	if errors.Is(new(scenarios.Duration).UnmarshalText([]byte(text)), scenarios.ErrTooLong) {
		return api.Because(http.StatusBadRequest, "That is too far: a clock is moved on by 292 years at once, which are about 2500000h, and to the year 9990 at most")
	}
	if err != nil {
		return api.Because(http.StatusBadRequest, "Say by how much the clock is moved on: a span of time such as 90s, 10m or 36h")
	}
	return x.world.Advance(x.context(), by)
}

// errNothingWaits is the error of a clock that is to go to the next transition, when there is none.
var errNothingWaits = api.Because(http.StatusConflict,
	"Nothing here waits for time to pass: no verification request that the world remembers has a step that comes by the clock")

// advanceToNext moves the clock on to the next instant at which a request moves by time alone.
func advanceToNext(x *exchange) error {
	next, ok, err := x.world.NextTransition(x.context())
	if err != nil {
		return err
	}
	if !ok {
		return errNothingWaits
	}
	return x.world.SetTime(x.context(), &next.At, nil)
}

// instantForms are how an instant is written in the form: as browsers write it, and as the API does.
var instantForms = []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.RFC3339Nano}

func setInstant(x *exchange) error {
	for _, form := range instantForms {
		if to, err := time.Parse(form, x.value("to")); err == nil {
			return x.world.SetTime(x.context(), &to, nil)
		}
	}
	return api.Because(http.StatusBadRequest, "Say to which instant the clock is moved on: one such as 2025-01-15T09:00:00Z")
}
