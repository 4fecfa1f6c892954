// Package collection makes collections of requests for the programs with which people call an API by hand. The catalogue of
// scenarios goes in; out come the requests that show what each magic value does, with the statuses that an emulator answers, as the
// files of one of these programs.
package collection

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// variables are those of every collection, with their values until a user changes them.
var variables = [][2]string{{"url", "http://" + command.DefaultAddr}, {"key", command.KeyBeginning + "collection"}}

// request is a request of a collection.
type request struct {
	name, subject, title string
	method, path         string
	accept, body         string // "": none
	status               int    // that the emulator answers
}

// most is how many requests show a magic value at most.
const most = 4

// requests returns the requests of a collection in the order of the catalogue. Each world that has just been reset answers them with
// their statuses. Magic values that break the connection are left out: to every client that is an error of its own.
func requests(ctx context.Context, control, extended bool) (all []request, err error) {
	catalogue, err := scenarios.Load()
	if err != nil {
		return nil, err
	}
	var options []emulator.Option
	if extended {
		options = append(options, emulator.WithExtended())
	}
	e, err := emulator.New(options...)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	if control {
		all = append(all, request{
			name: "reset", subject: "start", title: "The world of the key as if it had never been used", method: http.MethodPost,
			path: emulator.ControlPrefix + "v1/reset", status: http.StatusOK,
		})
	}
	for _, s := range catalogue.All() {
		samples := s.Samples(extended)
		for _, magic := range s.MagicValues() {
			shown, err := show(ctx, e, magic, samples)
			if err != nil {
				return nil, err
			}
			for i := range shown {
				shown[i].subject, shown[i].title = path.Base(path.Dir(s.At.File)), s.Title
			}
			all = append(all, shown...)
		}
	}
	return all, nil
}

// show returns the requests that show a magic value: the first one that a rule decides, or else the first one. It is repeated while
// status or state of its answer change.
func show(ctx context.Context, e *emulator.Emulator, magic scenarios.MagicValue, samples []scenarios.Sample) (all []request, err error) {
	var chosen *scenarios.Sample
	for i, sample := range samples {
		if sample.Magic != magic {
			continue
		}
		a, err := ask(ctx, e, sample, false)
		if err != nil || a.Fault != scenarios.NoFault {
			return nil, err
		}
		if chosen == nil || a.Rule != "" {
			chosen = &samples[i]
		}
		if a.Rule != "" {
			break
		}
	}
	if chosen == nil {
		return nil, nil // an API key
	}
	last := ""
	for len(all) < most {
		a, err := ask(ctx, e, *chosen, true)
		if err != nil {
			return nil, err
		}
		var of struct{ State string }
		_ = json.Unmarshal(a.Body, &of) // some answers are no JSON, and have no state
		if now := fmt.Sprint(a.Status, of.State); now == last {
			break
		} else {
			last = now
		}
		all = append(all, request{method: chosen.Method, path: chosen.Target, accept: "application/json; version=" + chosen.Version, body: chosen.Body, status: a.Status})
		if a.Delay > 0 {
			break
		}
	}
	for i := range all {
		all[i].name = strings.Replace(magic.Value, string(scenarios.AnySSN), "any other SSN", 1)
		if len(all) > 1 {
			all[i].name += fmt.Sprintf(" %d of %d", i+1, len(all))
		}
	}
	return all, nil
}

// ask returns the answer to a sample. If it moves the world and has no delay, the sample is sent as well.
func ask(ctx context.Context, e *emulator.Emulator, sample scenarios.Sample, move bool) (a emulator.Resolution, err error) {
	w, err := e.World(e.Key("collection"))
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, sample.Method, sample.Target, strings.NewReader(sample.Body))
	if err != nil {
		return a, err
	}
	r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer " + e.Key("collection")}}
	if a, err = e.Resolve(ctx, w, r); err != nil || !move || a.Delay > 0 {
		return a, err
	}
	if r.Body, err = r.GetBody(); err == nil {
		command.Serve(e, r)
	}
	return a, err
}
