package control

import (
	"net/http"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// status is the answer of health and ready.
type status struct {
	Status string `json:"status"`
}

// health says that the process answers.
func health(*exchange) (any, error) { return status{"ok"}, nil }

// ready says whether requests can be served: 503 while the store cannot be read, which is logged too.
func ready(x *exchange) (any, error) {
	if err := x.Worlds.Ready(x.context()); err != nil {
		x.Fail(x.request, err)
		return nil, api.Because(http.StatusServiceUnavailable, "The store cannot be used: "+err.Error())
	}
	return status{"ready"}, nil
}

// about is what an emulator gives new worlds, and where it stores them.
type about struct {
	Version   string `json:"version"`
	Seed      uint64 `json:"seed"`
	Store     string `json:"store"`
	Clock     string `json:"clock"`
	RateLimit string `json:"rate_limit"`
	Scenarios int    `json:"scenarios"`
}

func info(x *exchange) (any, error) {
	c := x.Worlds.Config()
	return about{x.Version, c.Seed, c.Store.String(), c.Clock.String(), c.Limit.String(), c.Catalogue.Len()}, nil
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

// certificateAuthority hands out the certificate by which clients may trust the server's.
func (p plane) certificateAuthority(w http.ResponseWriter, r *http.Request) {
	if p.Authority == nil {
		p.answer(w, r, nil, api.Because(http.StatusNotFound, "There is no certificate authority: serve with --tls-auto"))
		return
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Write(p.Authority)
}
