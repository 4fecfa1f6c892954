// Package console serves the web console under /_understudy/: pages that show the state of an emulator and change its
// worlds. They are rendered on the server and work without scripts.
//
// It has rooms. Package words writes values, and reports draws reports, of documents alone. Package frame serves requests: it checks
// access, reads forms, and renders pages. Package recorded says what is known of a recorded request. Above them each room registers its
// pages as a value: requests, worlds, steer (clock, faults, webhooks), catalogue, resources, compose, runs and find. A room calls those
// before it in this list only.
package console

import (
	"embed"
	"net/http"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/internal/console/catalogue"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/compose"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/find"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/recorded"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/reports"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/requests"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/resources"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/runs"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/steer"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/worlds"
)

// assetFiles are the files that pages load, and their licences.
//
//go:embed assets
var assetFiles embed.FS

//go:embed pages/*.html
var pageFiles embed.FS

// shell is the frame with all rooms.
var shell = sync.OnceValue(func() *frame.Shell {
	return frame.NewShell(pageFiles, assetFiles, recorded.Room, frame.Room{Funcs: reports.Funcs}, requests.Room(), worlds.Room(), steer.Room(),
		resources.Room(), catalogue.Room(), compose.Room(), runs.Room(), find.Room())
})

type (
	Config = frame.Config // configures a console
	API    = frame.API    // is the listener of the emulated API
)

// Asset returns the text of a file that pages load, such as base.css.
func Asset(name string) ([]byte, error) { return shell().Asset(name) }

// New returns a console.
func New(config Config) http.Handler { return shell().Handler(config) }
