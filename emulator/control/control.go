// Package control is the control plane: what an emulator tells about itself, under /_understudy/.
package control

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// Prefix is where every path of the control plane begins.
const Prefix = "/_understudy/"

// Config is what a control plane tells of.
type Config struct {
	Worlds    *world.Worlds
	Version   string
	Authority []byte // the certificate (PEM) of an authority that was made at start; nil when there is none
}

// plane answers as its configuration says.
type plane struct{ Config }

// New returns a control plane.
func New(config Config) http.Handler {
	p := plane{config}
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               refuse(http.StatusNotFound, ""),
		MethodNotAllowed:       refuse(http.StatusMethodNotAllowed, "GET, HEAD"),
	}
	for path, handler := range map[string]http.HandlerFunc{
		"v1/health":    p.health,
		"v1/ready":     p.ready,
		"v1/info":      p.info,
		"openapi.json": p.openAPIJSON,
		"openapi.yaml": p.openAPIYAML,
		"ca.pem":       p.certificateAuthority,
	} {
		router.HandlerFunc(http.MethodGet, Prefix+path, handler)
		router.HandlerFunc(http.MethodHead, Prefix+path, handler)
	}
	return router
}

func refuse(status int, allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Del("Allow") // the router's own has OPTIONS, which nothing answers
		if allow != "" {
			w.Header().Set("Allow", allow)
		}
		api.WriteError(w, api.NewError(status, ""))
	}
}

// status is the answer of health and ready.
type status struct {
	Status string `json:"status"`
}

// health says that the process answers.
func (p plane) health(w http.ResponseWriter, _ *http.Request) { write(w, status{"ok"}) }

// ready says whether requests can be served: 503 while the store cannot be read.
func (p plane) ready(w http.ResponseWriter, r *http.Request) {
	if err := p.Worlds.Ready(r.Context()); err != nil {
		api.WriteError(w, &api.Error{Status: http.StatusServiceUnavailable, Message: "The store cannot be read: " + err.Error()})
		return
	}
	write(w, status{"ready"})
}

// info is what an emulator gives new worlds, and where it keeps them.
type info struct {
	Version   string `json:"version"`
	Seed      uint64 `json:"seed"`
	Store     string `json:"store"`
	Clock     string `json:"clock"`
	RateLimit string `json:"rate_limit"`
	Scenarios int    `json:"scenarios"`
}

func (p plane) info(w http.ResponseWriter, _ *http.Request) {
	config := p.Worlds.Config()
	write(w, info{
		Version:   p.Version,
		Seed:      config.Seed,
		Store:     config.Store.String(),
		Clock:     config.Clock.String(),
		RateLimit: config.Limit.String(),
		Scenarios: config.Catalogue.Len(),
	})
}

func (p plane) openAPIJSON(w http.ResponseWriter, _ *http.Request) {
	document, err := api.OpenAPIJSON()
	if err != nil {
		api.WriteError(w, api.NewError(http.StatusInternalServerError, ""))
		return
	}
	api.Write(w, http.StatusOK, document)
}

func (p plane) openAPIYAML(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/yaml")
	w.Write(api.OpenAPIYAML())
}

// certificateAuthority hands out the certificate by which clients may trust the server's: 404 when there is none.
func (p plane) certificateAuthority(w http.ResponseWriter, r *http.Request) {
	if p.Authority == nil {
		refuse(http.StatusNotFound, "")(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Write(p.Authority)
}

func write(w http.ResponseWriter, value any) {
	body, err := api.Render(value)
	if err != nil {
		panic(err) // these are structs of strings and numbers
	}
	api.Write(w, http.StatusOK, body)
}
