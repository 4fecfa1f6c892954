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

// ready says whether requests can be served: 503 while the store cannot be read, of which the log tells too.
func ready(x *exchange) (any, error) {
	if err := x.Worlds.Ready(x.context()); err != nil {
		x.Fail(x.request, err)
		return nil, api.Because(http.StatusServiceUnavailable, "The store cannot be used: "+err.Error())
	}
	return status{"ready"}, nil
}

// about is what an emulator gives new worlds, and where it keeps them.
type about struct {
	Version   string `json:"version"`
	Seed      uint64 `json:"seed"`
	Store     string `json:"store"`
	Clock     string `json:"clock"`
	RateLimit string `json:"rate_limit"`
	Scenarios int    `json:"scenarios"`
}

func info(x *exchange) (any, error) {
	config := x.Worlds.Config()
	return about{
		Version:   x.Version,
		Seed:      config.Seed,
		Store:     config.Store.String(),
		Clock:     config.Clock.String(),
		RateLimit: config.Limit.String(),
		Scenarios: config.Catalogue.Len(),
	}, nil
}

// showMetrics shows the figures as Prometheus reads them.
func (p plane) showMetrics(w http.ResponseWriter, r *http.Request) { p.Metrics.ServeHTTP(w, r) }

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
		p.refuse(w, r, api.Because(http.StatusNotFound, "There is no certificate authority: serve with --tls-auto"))
		return
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.Write(p.Authority)
}
