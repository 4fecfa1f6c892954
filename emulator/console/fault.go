package console

import (
	"net/http"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// showFaults shows what was put on the world's calls, and a form for more.
func showFaults(x *exchange) (answer, error) {
	faults, err := x.world.Faults(x.context())
	if err != nil {
		return nil, err
	}
	return page{name: "faults", title: "Faults", data: struct {
		Faults     []faultRow
		Operations []scenarios.Operation
		States     []api.State
		Kinds      []scenarios.Fault
		Statuses   []int
	}{
		faultRows(faults), scenarios.OnAny.Values(), api.State("").Values(), scenarios.NoFault.Values(),
		[]int{400, 401, 403, 404, 406, 429, 451, 500, 501, 503},
	}}, nil
}

// faultRow is a fault as a list shows it.
type faultRow struct {
	world.Fault
	Words string
	JSON  string
	Left  int // to how many calls it still applies, where its rule says times
}

func faultRows(faults []world.Fault) (all []faultRow) {
	for _, f := range faults {
		all = append(all, faultRow{f, f.Rule.String(), string(f.Source), f.Rule.Times - f.Applied})
	}
	return all
}

// addFault puts on the world's calls what the form says: a rule in the language of scenario files, or made of its fields.
func addFault(x *exchange) (answer, error) {
	rule, err := x.rule()
	if err != nil {
		return x.again(showFaults, err)
	}
	lasts := time.Duration(0)
	if text := x.value("expires_in"); text != "" {
		if lasts, err = time.ParseDuration(text); err != nil || lasts <= 0 {
			return x.again(showFaults, api.Because(http.StatusBadRequest, "Expires in: a span of the world's time, such as 10m, or nothing"))
		}
	}
	if _, err := x.world.AddFault(x.context(), rule, lasts); err != nil {
		return x.again(showFaults, err)
	}
	return done(x.here("faults"), "fault"), nil
}

// removeFault takes away the fault that the form names, or all.
func removeFault(x *exchange) (answer, error) {
	if id := x.value("id"); id != "" {
		if err := x.world.RemoveFault(x.context(), id); err != nil {
			return x.again(showFaults, err)
		}
		return done(x.here("faults"), "unfault"), nil
	}
	if err := x.world.RemoveFaults(x.context()); err != nil {
		return nil, err
	}
	return done(x.here("faults"), "unfaults"), nil
}
