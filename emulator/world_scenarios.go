package emulator

import (
	"context"
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/control"
	"github.com/understudy-sandbox/understudy/emulator/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Scenarios returns the scenarios that the world follows, its own behind those of all worlds.
func (w *World) Scenarios(ctx context.Context) ([]*scenarios.Scenario, error) {
	return asked(ctx, w, func(opened *world.World) ([]*scenarios.Scenario, error) { return opened.Catalogue().All(), nil })
}

// OwnScenarios returns the scenarios of the world's own files.
func (w *World) OwnScenarios(ctx context.Context) ([]*scenarios.Scenario, error) {
	return asked(ctx, w, func(opened *world.World) ([]*scenarios.Scenario, error) { return opened.OwnScenarios(), nil })
}

// PutScenarios gives the world a scenario file of its own, YAML or JSON, in place of what it had under the name. The
// warnings are what is allowed and probably not meant.
func (w *World) PutScenarios(ctx context.Context, name, file string) (warnings scenarios.Problems, err error) {
	return asked(ctx, w, func(opened *world.World) (scenarios.Problems, error) {
		return opened.PutScenarios(ctx, name, []byte(file))
	})
}

// DeleteScenarios takes a scenario file of the world's own away.
func (w *World) DeleteScenarios(ctx context.Context, name string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.DeleteScenarios(ctx, name) })
}

// Resolution is what a request would be answered, and why.
type Resolution = control.Resolution

// Resolve tells what a request would be answered now, from which scenario and rule, and why: nothing moves, and nothing
// is in the journal. It needs no key. A path is enough of a URL: http.NewRequest("GET", "/verification-requests/vr_flaky", nil).
func (w *World) Resolve(ctx context.Context, r *http.Request) (Resolution, error) {
	r = r.Clone(ctx)
	if r.Body == nil {
		r.Body = http.NoBody
	}
	return asked(ctx, w, func(opened *world.World) (Resolution, error) { return w.emulator.resolve(r, opened.Dry()) })
}
