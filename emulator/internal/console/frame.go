package console

import (
	"html/template"
	"io/fs"
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

// shell is what all consoles of a process have in common.
type shell struct {
	files, assets fs.FS // the templates below pages, and the files that pages load below assets
	rooms         []room
	pages         func() map[string]*template.Template // parsed when the first is rendered
	version       func() string                        // of the assets
}

// newShell returns the shell of rooms.
func newShell(files, assets fs.FS, rooms ...room) *shell {
	s := &shell{files: files, assets: assets, rooms: rooms}
	s.pages = sync.OnceValue(s.templates)
	s.version = sync.OnceValue(func() string { return hashOfFiles(assets) })
	return s
}

type console struct {
	Config
	*shell
	playing sync.Mutex // see exchange.play
}

// call serves a request, and returns the answer to send.
type call func(*exchange) (answer, error)

// room is a part of the console: its pages and the targets of their forms, and what its templates call.
type room struct {
	Endpoints []endpoint
	Funcs     template.FuncMap
}

// endpoint is one row of the console.
type endpoint struct {
	method, path string // below prefix
	public       bool   // without the control plane's token: it shows no world and changes nothing, but for the session of a token
	serve        call
	form         call // shows an invalid form again; nil: the error has its own page
	file         bool // the form has a file, which the endpoint reads
	outside      bool // also for the requests that reached no world, see [outside]
}

// handler returns a console.
func (s *shell) handler(config Config) http.Handler {
	c := &console{Config: config, shell: s}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               c.handle(endpoint{serve: nothingHere}),
		MethodNotAllowed:       c.handle(endpoint{serve: methodNotAllowed}),
	}
	for _, r := range append(s.rooms, room{Endpoints: frameEndpoints()}) {
		for _, e := range r.Endpoints {
			handler := c.handle(e)
			router.HandlerFunc(e.method, prefix+e.path, handler)
			if e.method == http.MethodGet {
				router.HandlerFunc(http.MethodHead, prefix+e.path, handler)
			}
		}
	}
	return router
}

func frameEndpoints() []endpoint {
	return []endpoint{
		{method: http.MethodGet, path: "assets/:version/*name", public: true, serve: showAsset},
		{method: http.MethodGet, path: "login", public: true, serve: showLogin},
		{method: http.MethodPost, path: "login", public: true, serve: login},
		{method: http.MethodPost, path: "logout", serve: logout},
		{method: http.MethodPost, path: "theme", public: true, serve: chooseTheme},
	}
}
