// Package frame serves the requests to the console: it checks access, reads forms, calls the endpoint of a [Room], and renders its answer
// in the layout.
package frame

import (
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"sync"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/internal/control"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// Prefix begins every path of the console.
const Prefix = control.Prefix

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

// Shell is what all consoles of a process have in common.
type Shell struct {
	files, assets fs.FS // the templates below pages, and the files that pages load below assets
	rooms         []Room
	notices       map[string]string                    // of all rooms
	alerts        map[string]string                    // of all rooms
	pages         func() map[string]*template.Template // parsed when the first is rendered
	version       func() string                        // of the assets
}

// NewShell returns the shell of rooms.
func NewShell(files, assets fs.FS, rooms ...Room) *Shell {
	s := &Shell{files: files, assets: assets, rooms: append([]Room{frameRoom()}, rooms...), notices: make(map[string]string), alerts: make(map[string]string)}
	for _, r := range rooms {
		maps.Copy(s.notices, r.Messages)
		maps.Copy(s.alerts, r.Alerts)
	}
	s.pages = sync.OnceValue(s.templates)
	s.version = sync.OnceValue(func() string { return hashOfFiles(assets) })
	return s
}

type console struct {
	Config
	*Shell
	Playing sync.Mutex // held while a text is tried
}

// Call serves a request, and returns the answer to send.
type Call func(*Exchange) (Answer, error)

// Room is a part of the console: its pages and the targets of their forms, what its templates call, and its notices.
type Room struct {
	Endpoints []Endpoint
	Funcs     template.FuncMap
	Messages  map[string]string // messages after a form, by a word for what was done
	Alerts    map[string]string // the same, for what was not done
}

// Endpoint is one row of the console.
type Endpoint struct {
	Method, Path string // below prefix
	Public       bool   // without the control plane's token: it shows no world and changes nothing, but for the session of a token
	Serve        Call
	Form         Call // shows an invalid form again; nil: the error has its own page
	File         bool // the form has a file, which the endpoint reads
	Outside      bool // also for the requests that reached no world, see [Outside]
}

// Handler returns a console.
func (s *Shell) Handler(config Config) http.Handler {
	c := &console{Config: config, Shell: s}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               c.handle(Endpoint{Serve: nothingHere}),
		MethodNotAllowed:       c.handle(Endpoint{Serve: methodNotAllowed}),
	}
	for _, r := range s.rooms {
		for _, e := range r.Endpoints {
			handler := c.handle(e)
			router.HandlerFunc(e.Method, Prefix+e.Path, handler)
			if e.Method == http.MethodGet {
				router.HandlerFunc(http.MethodHead, Prefix+e.Path, handler)
			}
		}
	}
	return router
}

// frameRoom is the files of pages, the login and the theme.
func frameRoom() Room {
	return Room{Funcs: Funcs, Endpoints: []Endpoint{
		{Method: http.MethodGet, Path: "assets/:version/*name", Public: true, Serve: showAsset},
		{Method: http.MethodGet, Path: "login", Public: true, Serve: showLogin},
		{Method: http.MethodPost, Path: "login", Public: true, Serve: login},
		{Method: http.MethodPost, Path: "logout", Serve: logout},
		{Method: http.MethodPost, Path: "theme", Public: true, Serve: chooseTheme},
	}}
}
