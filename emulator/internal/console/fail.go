package console

import (
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// failuresOf returns the presets that can fail the next request, or the next webhook.
func failuresOf(kind journal.Kind) []rules.Preset {
	return slices.DeleteFunc(slices.Clone(rules.Presets()), func(p rules.Preset) bool {
		return p.Limited() || p.Webhook() != (kind == journal.KindWebhook)
	})
}

// failNext adds the fault of a preset for the next call of an operation with an id, or for the next webhook.
func (x *exchange) failNext(preset, on, id string) error {
	i := slices.IndexFunc(rules.Presets(), func(p rules.Preset) bool { return p.Name == preset })
	if i < 0 {
		return api.Because(http.StatusBadRequest, "The page has no such button: use one of those that it shows")
	}
	_, err := x.world.AddFault(x.context(), rules.Presets()[i].Once(on), world.OnlyFor(id))
	return err
}
