package control

import (
	"cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/world"
	"github.com/understudy-sandbox/understudy/scenarios"
)

func settingsCalls() []endpoint {
	return []endpoint{
		{method: get, path: "v1/settings", inWorld: showSettings},
		{method: put, path: "v1/settings", inWorld: setSettings},
		{method: get, path: "v1/account", inWorld: showAccount},
		{method: put, path: "v1/account", inWorld: setAccount},
	}
}

func showSettings(x *exchange) (any, error) { return viewedSettings(x.world.Settings(x.context())) }

// viewedSettings shows settings with an account, so that what is read can be written.
func viewedSettings(s scenarios.Settings, err error) (any, error) {
	s.Account = cmp.Or(s.Account, &scenarios.Account{})
	return s, err
}

// setSettings replaces the world's own settings.
func setSettings(x *exchange) (any, error) {
	var in scenarios.Settings
	if err := x.parse(&in); err != nil {
		return nil, err
	}
	return viewedSettings(x.world.ChangeSettings(x.context(), func(own *scenarios.Settings) { *own = in }))
}

func showAccount(x *exchange) (any, error) { return viewedAccount(x.world.Settings(x.context())) }

func viewedAccount(s scenarios.Settings, err error) (any, error) {
	return cmp.Or(s.Account, &scenarios.Account{}), err
}

// setAccount changes what the account may do.
func setAccount(x *exchange) (any, error) {
	in := new(scenarios.Account)
	if err := x.parse(in); err != nil {
		return nil, err
	}
	return viewedAccount(x.world.ChangeSettings(x.context(), func(own *scenarios.Settings) { own.Account = in }))
}

// parse reads the body in the language of scenario files.
func (x *exchange) parse(into any) error {
	text, err := x.document()
	if err != nil {
		return err
	}
	return world.Decode(text, into)
}
