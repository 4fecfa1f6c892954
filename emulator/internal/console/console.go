// Package console serves the web console under /_understudy/: pages that show the state of an emulator and change its
// worlds. They are rendered on the server and work without scripts.
package console

import (
	"embed"
	"net/http"
	"sync"
)

// assetFiles are the files that pages load, and their licences.
//
//go:embed assets
var assetFiles embed.FS

//go:embed pages/*.html
var pageFiles embed.FS

// shared is the shell with all rooms.
var shared = sync.OnceValue(func() *shell {
	return newShell(pageFiles, assetFiles, recordedRoom, room{Funcs: reportFuncs},
		requestsRoom(), worldsRoom(), steerRoom(), resourcesRoom(), catalogueRoom(), composeRoom(), runsRoom(), findRoom())
})

// New returns a console.
func New(config Config) http.Handler { return shared().handler(config) }
