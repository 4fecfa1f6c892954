package world

import (
	"context"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// defaults are the settings where nobody has others.
var defaults = scenarios.Settings{Grease: "off", SessionFlow: "auto"}

// Settings returns the settings that hold in the world.
func (w *World) Settings(ctx context.Context) (scenarios.Settings, error) {
	return read(ctx, w, func(tx *Tx) (scenarios.Settings, error) { return tx.Settings, nil })
}

// ChangeSettings changes the world's own settings, and returns the settings that hold then. A zero field leaves the choice to the
// scenarios for its key, and then to the server. A reset takes all of them away. The function may be called several times.
func (w *World) ChangeSettings(ctx context.Context, change func(own *scenarios.Settings)) (scenarios.Settings, error) {
	return update(ctx, w, func(tx *Tx) (scenarios.Settings, error) {
		r := tx.record
		change(&r.Settings)
		if err := r.Settings.Check(); err != nil {
			return r.Settings, invalid("The settings are invalid: " + err.Error())
		}
		err := tx.setRecord(r)
		return tx.Settings, err
	})
}
