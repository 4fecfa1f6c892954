package emulator

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/console"
	"github.com/understudy-sandbox/understudy/emulator/control"
	"github.com/understudy-sandbox/understudy/emulator/guard"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// steering returns the control plane with the console beside it; apart says where the emulated API is, when that is not
// served by the same listener.
func (e *Emulator) steering(c config, apart *console.API) http.Handler {
	guard := guard.Guard{Token: c.controlToken, Hosts: c.controlHosts}
	return control.New(control.Config{
		Worlds: e.worlds, Version: c.version, Authority: c.authority, Journal: e.journal, Operations: operationNames(),
		Stopping: e.hurried, Authenticate: e.keys.authenticate, Fail: e.logControlFailure, Resolve: e.resolve,
		Metrics: e.figures.metrics, Guard: guard, Refused: e.logControlRefusal,
		Elsewhere: console.New(console.Config{
			Worlds: e.worlds, Version: c.version, Authority: c.authority != nil, Journal: e.journal,
			Operations: operationNames(), Stopping: e.hurried, Fail: e.logControlFailure, Guard: guard, Refused: e.logControlRefusal,
			Apart: apart, Key: e.Key, Surface: e.Surface(), Ask: e.ask,
		}),
	})
}

// ask answers a request in a world as [Emulator.resolve] does; the world remembers what it is made to.
func (e *Emulator) ask(r *http.Request, in *world.World) (status int, body []byte, err error) {
	told, err := e.resolve(r, in)
	return told.Status, told.Body, err
}

// recovering answers a panic of a handler 500.
func (e *Emulator) recovering(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer e.newCall(w, r, nil, nil).recoverPanic()
		handler.ServeHTTP(w, r)
	})
}
