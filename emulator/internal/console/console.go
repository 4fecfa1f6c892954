// Package console serves the web console under /_understudy/: pages that show the state of an emulator and change its
// worlds. They are rendered on the server and work without scripts.
package console

import (
	"net/http"
	"sync"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// prefix begins every path of the console.
const prefix = control.Prefix

// Config configures a console.
type Config struct {
	control.Config
	API *API // the listener of the emulated API; nil: that of the console

	// Key returns the sandbox key of a name.
	Key func(name string) string

	// Do serves a request of the emulated API in a world, without a key, a delay or an entry in the journal. Status 0
	// is a broken connection.
	Do func(*http.Request, *world.World) (surface.Resolution, error)

	// Send serves a request of the emulated API in a world as that of a client, but without a key.
	Send func(http.ResponseWriter, *http.Request, *world.World)
}

type console struct {
	Config
	playing sync.Mutex // see exchange.play
}

// call serves a request, and returns the answer to send.
type call func(*exchange) (answer, error)

// endpoint is one row of the console.
type endpoint struct {
	method, path string // below prefix
	public       bool   // without the control plane's token: it shows no world and changes nothing, but for the session of a token
	serve        call
	form         call // shows an invalid form again; nil: the error has its own page
	file         bool // the form has a file, which the endpoint reads
	outside      bool // also for the requests that reached no world, see [outside]
}

// endpoints lists the console's pages and the targets of their forms.
func endpoints() []endpoint {
	const get, post = http.MethodGet, http.MethodPost
	all := []endpoint{
		{method: get, path: "assets/:version/*name", public: true, serve: showAsset},
		{method: get, path: "login", public: true, serve: showLogin},
		{method: post, path: "login", public: true, serve: login},
		{method: post, path: "logout", serve: logout},
		{method: post, path: "theme", public: true, serve: chooseTheme},
		{method: get, path: "flow", public: true, serve: showFlow},
		{method: post, path: "flow", public: true, serve: finishFlow, form: showFlow},

		{method: get, path: "", serve: showHome},
		{method: get, path: "home/live", serve: showArrivals},
		{method: get, path: "search", serve: showSearch},
		{method: get, path: "catalogue", serve: showCatalogue},
		{method: get, path: "catalogue/:name", serve: showScenario},
		{method: post, path: "catalogue/:name", serve: sendSample},

		{method: get, path: "compose", serve: composeAnywhere},
		{method: get, path: "playground", serve: composeAnywhere},
		{method: get, path: "worlds/:world/compose", serve: showCompose},
		{method: post, path: "worlds/:world/compose", serve: showCompose},
		{method: post, path: "worlds/:world/compose/run", serve: runCompose},
		{method: post, path: "worlds/:world/compose/create", serve: createComposed, form: showCompose},
		{method: post, path: "worlds/:world/compose/save", serve: saveScenarios, form: showCompose},
		{method: post, path: "worlds/:world/compose/file", serve: downloadScenario},
		{method: get, path: "worlds/:world/compose/schema", serve: showSchema},

		{method: get, path: "trial", serve: showTrial},
		{method: post, path: "trial", serve: readTrial, form: showTrial, file: true},

		{method: get, path: "live", serve: showLive},
		{method: get, path: "run", serve: saveRun},
		{method: get, path: "runs", serve: showRuns, form: askRuns},
		{method: post, path: "runs", serve: readRuns, form: askRuns, file: true},

		{method: get, path: "worlds", serve: listWorlds},
		{method: post, path: "worlds", serve: findWorld, form: listWorlds},
		{method: post, path: "delete-worlds", serve: deleteWorlds, form: listWorlds},
		{method: post, path: "new-world", serve: createWorld, form: listWorlds, file: true},
		{method: post, path: "worlds/:world/name", serve: renameWorld, form: listWorlds},
		{method: get, path: "worlds/:world", serve: showWorld},
		{method: get, path: "worlds/:world/reset", serve: confirm},
		{method: post, path: "worlds/:world/reset", serve: reset},
		{method: post, path: "worlds/:world/undo", serve: undoReset, form: showSnapshot},
		{method: get, path: "worlds/:world/delete", serve: confirm},
		{method: post, path: "worlds/:world/delete", serve: deleteWorld},

		{method: get, path: "worlds/:world/clock", serve: showClock},
		{method: get, path: "worlds/:world/clock/instant", serve: showInstant},
		{method: post, path: "worlds/:world/clock/:how", serve: moveClock, form: showClock},

		{method: get, path: "worlds/:world/faults", serve: showFaults},
		{method: post, path: "worlds/:world/faults", serve: addFault, form: showFaults},
		{method: get, path: "worlds/:world/faults/toggle", serve: showToggles},
		{method: post, path: "worlds/:world/faults/toggle", serve: toggleFault, form: showFaults},
		{method: post, path: "worlds/:world/faults/remove", serve: removeFault, form: showFaults},

		{method: get, path: "worlds/:world/webhooks", serve: showWebhooks},
		{method: post, path: "worlds/:world/webhooks", serve: actOnWebhooks, form: showWebhooks},

		{method: get, path: "worlds/:world/snapshot", serve: showSnapshot},
		{method: post, path: "worlds/:world/snapshot", serve: restoreSnapshot, form: showSnapshot, file: true},
		{method: post, path: "worlds/:world/snapshot/new", serve: createWorld, form: showSnapshot, file: true},
		{method: post, path: "worlds/:world/snapshot/copy", serve: copyWorld, form: showSnapshot},
		{method: get, path: "worlds/:world/snapshot/file", serve: takeSnapshot},

		{method: get, path: "worlds/:world/journal", serve: toJournal},
		{method: get, path: "worlds/:world/har", serve: saveHAR, outside: true},
		{method: get, path: "worlds/:world/journal/", serve: showJournal, outside: true},
		{method: get, path: "worlds/:world/journal/:entry", serve: showEntry, outside: true}, // also journal/clear
		{method: post, path: "worlds/:world/journal/:entry", serve: actOnEntry, form: showEntry},
	}
	for _, kind := range resourceKinds() {
		path := "worlds/:world/" + kind.Path + "/:id"
		all = append(all,
			endpoint{method: get, path: path, serve: kind.show},
			endpoint{method: get, path: path + "/live", serve: drawLive(kind.show)},
			endpoint{method: post, path: path, serve: steer(kind), form: kind.show})
	}
	return all
}

// New returns a console. Its templates are parsed at the first request.
func New(config Config) http.Handler {
	c := &console{Config: config}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               c.handle(endpoint{serve: nothingHere}),
		MethodNotAllowed:       c.handle(endpoint{serve: methodNotAllowed}),
	}
	for _, e := range endpoints() {
		handler := c.handle(e)
		router.HandlerFunc(e.method, prefix+e.path, handler)
		if e.method == http.MethodGet {
			router.HandlerFunc(http.MethodHead, prefix+e.path, handler)
		}
	}
	return router
}
