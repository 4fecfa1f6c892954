package recorded

import (
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// FailuresOf returns the presets that can fail the next request, or the next webhook.
func FailuresOf(kind journal.Kind) []rules.Preset {
	return slices.DeleteFunc(slices.Clone(rules.Presets()), func(p rules.Preset) bool {
		return p.Limited() || p.Webhook() != (kind == journal.KindWebhook)
	})
}

// FailNext adds the fault of a preset for the next call of an operation with an id, or for the next webhook.
func FailNext(x *frame.Exchange, preset, on, id string) error {
	i := slices.IndexFunc(rules.Presets(), func(p rules.Preset) bool { return p.Name == preset })
	if i < 0 {
		return api.Because(http.StatusBadRequest, "The page has no such button: use one of those that it shows")
	}
	_, err := x.World.AddFault(x.Context(), rules.Presets()[i].Once(on), world.OnlyFor(id))
	return err
}
