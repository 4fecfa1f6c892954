package emulator

import (
	"context"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Fault is a rule that was put on a world, judged for every call before all others.
type Fault = world.Fault

// FaultOption sets one thing about a fault.
type FaultOption func(*faultConfig)

type faultConfig struct{ lasts time.Duration }

// Lasting ends a fault after a span of the world's time. Default: it lasts until it is removed or its times are up.
func Lasting(span time.Duration) FaultOption { return func(c *faultConfig) { c.lasts = span } }

// AddFault puts a rule on every call from now on. The rule is written as in scenario files, in YAML or JSON:
//
//	{on: get, respond: {status: 500}, times: 2}
//	{on: cancel, fault: connection-reset}
//	{on: any, delay: {fixed: 250ms}}
func (w *World) AddFault(ctx context.Context, rule string, options ...FaultOption) (Fault, error) {
	var c faultConfig
	for _, option := range options {
		option(&c)
	}
	return asked(ctx, w, func(opened *world.World) (Fault, error) { return opened.AddFault(ctx, []byte(rule), c.lasts) })
}

// Faults returns the faults that are on, in the order in which they were put on.
func (w *World) Faults(ctx context.Context) ([]Fault, error) {
	return asked(ctx, w, func(opened *world.World) ([]Fault, error) { return opened.Faults(ctx) })
}

// RemoveFault takes a fault away.
func (w *World) RemoveFault(ctx context.Context, id string) error {
	return w.do(ctx, func(opened *world.World) error { return opened.RemoveFault(ctx, id) })
}

// RemoveFaults takes all faults away.
func (w *World) RemoveFaults(ctx context.Context) error {
	return w.do(ctx, func(opened *world.World) error { return opened.RemoveFaults(ctx) })
}
