// Package console is what people see of an emulator and steer it with, in a browser: pages under /_understudy/ that are
// rendered here, whole, and need no script to be read and used.
package console

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// prefix is where every path of the console begins.
const prefix = control.Prefix

// Config is what a console shows and steers.
type Config struct {
	control.Config
	Apart *API // where the emulated API is; nil: where the console is

	// Key returns the sandbox key of a name.
	Key func(name string) string

	// Surface answers requests to the emulated API, as a client's.
	Surface http.Handler

	// Ask answers a request in a world as a client's would be answered, without a key, a delay or an entry in the journal;
	// a status of 0 is a connection that breaks.
	Ask func(*http.Request, *world.World) (surface.Resolution, error)
}

type console struct{ Config }

// call serves a request, and returns what is to be sent.
type call func(*exchange) (answer, error)

// endpoint is one row of the console.
type endpoint struct {
	method, path string // below prefix
	public       bool   // for everybody: it tells no world and changes nothing
	serve        call
	form         call  // shows the form again that was not right; nil: the error is a page of its own
	limit        int64 // of the body, in bytes; 0: maxForm
}

// endpoints lists the console's pages and what their forms post to.
func endpoints() []endpoint {
	const get, post = http.MethodGet, http.MethodPost
	all := []endpoint{
		{method: get, path: "assets/:version/*name", public: true, serve: showAsset},
		{method: get, path: "login", public: true, serve: showLogin},
		{method: post, path: "login", public: true, serve: login},
		{method: post, path: "logout", serve: logout},

		{method: get, path: "", serve: showOverview},
		{method: get, path: "catalogue", serve: showCatalogue},
		{method: get, path: "catalogue/:name", serve: showScenario},
		{method: post, path: "catalogue/:name", serve: tryScenario},

		{method: get, path: "worlds", serve: listWorlds},
		{method: post, path: "worlds", serve: findWorld, form: listWorlds},
		{method: get, path: "worlds/:world", serve: showWorld},
		{method: get, path: "worlds/:world/open", serve: openResource, form: showWorld},
		{method: get, path: "worlds/:world/reset", serve: askFirst},
		{method: post, path: "worlds/:world/reset", serve: reset},
		{method: get, path: "worlds/:world/delete", serve: askFirst},
		{method: post, path: "worlds/:world/delete", serve: deleteWorld},

		{method: get, path: "worlds/:world/clock", serve: showClock},
		{method: get, path: "worlds/:world/clock/instant", serve: showInstant},
		{method: post, path: "worlds/:world/clock/:how", serve: moveClock, form: showClock},

		{method: get, path: "worlds/:world/faults", serve: showFaults},
		{method: post, path: "worlds/:world/faults", serve: addFault, form: showFaults},
		{method: post, path: "worlds/:world/faults/remove", serve: removeFault, form: showFaults},

		{method: get, path: "worlds/:world/snapshot", serve: showSnapshot},
		{method: post, path: "worlds/:world/snapshot", serve: restoreSnapshot, form: showSnapshot, limit: maxSnapshot},
		{method: get, path: "worlds/:world/snapshot/file", serve: takeSnapshot},

		{method: get, path: "worlds/:world/journal", serve: showJournal},
		{method: post, path: "worlds/:world/journal/clear", serve: clearJournal},
		{method: get, path: "worlds/:world/journal/:entry", serve: showEntry}, // also journal/stream and journal/clear
	}
	for _, kind := range resourceKinds() {
		path := "worlds/:world/" + kind.Path + "/:id"
		all = append(all,
			endpoint{method: get, path: path, serve: kind.show},
			endpoint{method: get, path: path + "/live", serve: drawLive(kind.show)})
		if kind.actions != nil {
			all = append(all, endpoint{method: post, path: path, serve: steer(kind), form: kind.show})
		}
	}
	return all
}

// New returns a console. What its pages are made of is read at the first request.
func New(config Config) http.Handler {
	c := &console{config}
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
