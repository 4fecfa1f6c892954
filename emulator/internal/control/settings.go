package control

import (
	"cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/resource"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func settingsCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/settings", inWorld: shows((*world.World).Settings, viewSettings)},
		{method: put, path: "v1/settings", inWorld: changesSettings(viewSettings, func(own *scenarios.Settings, in scenarios.Settings) { *own = in })},
		{method: get, path: "v1/account", inWorld: shows((*world.World).Settings, viewAccount)},
		{method: put, path: "v1/account", inWorld: changesSettings(viewAccount, func(own *scenarios.Settings, in scenarios.Account) { own.Account = &in })},
	}
}

// viewSettings shows settings with an account, so that what is read can be written.
func viewSettings(s scenarios.Settings) scenarios.Settings {
	s.Account = viewAccount(s)
	return s
}

func viewAccount(s scenarios.Settings) *scenarios.Account {
	return cmp.Or(s.Account, &scenarios.Account{})
}

// changesSettings returns a call that changes the world's own settings by a body in the language of scenario files.
func changesSettings[T, V any](view func(scenarios.Settings) V, change func(own *scenarios.Settings, in T)) call {
	return written(func(x *exchange, text string) (any, error) {
		var in T
		if err := resource.Decode(text, &in); err != nil {
			return nil, err
		}
		return viewed(view)(x.world.ChangeSettings(x.context(), func(own *scenarios.Settings) { change(own, in) }))
	})
}
