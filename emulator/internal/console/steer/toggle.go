package steer

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// toggle is a preset that is turned on and off by one button.
type toggle struct {
	rules.Preset
	On bool // in the scope of the toggles
}

// Toggles are the presets for all requests of a world, or for those of one resource: pages/part_faults.html.
type Toggles struct {
	World   string        // its id
	ID      string        // of the resource; "": all
	Back    string        // the page with them, to show afterwards
	Presets [2][]toggle   // of requests, and of webhooks
	Any     bool          // a fault of the scope is on
	Others  []rules.Fault // faults that the requests meet, too: no presets, or for all requests
}

// Shown is how many presets a resource shows at once.
func (Toggles) Shown() int { return 4 }

// Unfolded reports whether one of the other presets is on.
func (t Toggles) Unfolded() bool {
	return slices.ContainsFunc(slices.Concat(t.Presets[0][t.Shown():], t.Presets[1]), func(p toggle) bool { return p.On })
}

// TogglesFor returns the presets for the resource with an id, or for all requests.
func TogglesFor(x *frame.Exchange, id, back string) (Toggles, error) {
	faults, err := x.World.Faults(x.Context())
	return togglesOf(faults, x.Param("world"), id, back), err
}

func togglesOf(faults []rules.Fault, worldID, id, back string) Toggles {
	t := Toggles{World: worldID, ID: id, Back: back}
	on := make(map[string]bool) // by the rules of presets
	for _, f := range faults {
		isPreset := slices.ContainsFunc(rules.Presets(), func(p rules.Preset) bool { return p.Rule == string(f.Source) })
		switch t.Any = t.Any || f.Resource == id; {
		case f.Resource == id && isPreset:
			on[string(f.Source)] = true
		case f.Resource == id || f.Resource == "":
			t.Others = append(t.Others, f)
		}
	}
	for _, p := range rules.Presets() {
		group := &t.Presets[0]
		if p.Webhook() {
			group = &t.Presets[1]
		}
		*group = append(*group, toggle{p, on[p.Rule]})
	}
	return t
}

// toggleFault turns the preset of the form on, or off where it is on. The preset none turns all faults of the scope off.
func toggleFault(x *frame.Exchange) (frame.Answer, error) {
	name, id, all := x.Value("preset"), x.Value("id"), rules.Presets()
	i := slices.IndexFunc(all, func(p rules.Preset) bool { return p.Name == name })
	if i < 0 && name != "none" {
		return nil, api.Because(http.StatusBadRequest, "There is no such preset: use a button of the page")
	}
	faults, err := x.World.Faults(x.Context())
	if err != nil {
		return nil, err
	}
	was := slices.DeleteFunc(faults, func(f rules.Fault) bool { return f.Resource != id || i >= 0 && all[i].Rule != string(f.Source) })
	did := "unfault"
	if len(was) == 0 && i >= 0 {
		did = "fault"
		_, err = x.World.AddFault(x.Context(), name, world.OnlyFor(id))
	}
	for _, f := range was {
		failure := (*api.Error)(nil)
		if removed := x.World.RemoveFault(x.Context(), f.ID); !errors.As(removed, &failure) { // it may be gone by now
			err = errors.Join(err, removed)
		}
	}
	return frame.Done(frame.OwnPath(cmp.Or(x.Value("back"), x.Here("faults"))), did), err
}
