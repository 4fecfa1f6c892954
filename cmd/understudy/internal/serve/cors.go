package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/rs/cors"
	"github.com/urfave/cli/v3"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
)

// parseOrigins returns the origins of --cors-origin.
func parseOrigins(c *cli.Command) ([]string, error) {
	origins := c.StringSlice("cors-origin")
	for _, origin := range origins {
		at, err := url.Parse(origin)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.Scheme+"://"+at.Host != origin {
			return nil, fmt.Errorf("%s %q is not the origin of a page, such as http://localhost:3000: give scheme, host and port only", command.Given(c, "cors-origin"), origin)
		}
	}
	return origins, nil
}

// crossOrigin returns a handler that lets pages of some origins call the emulated API, and read what the emulator says of an
// answer. The control plane stays closed to them. Other origins reach the handler, which refuses their preflights.
func crossOrigin(origins []string, handler http.Handler) http.Handler {
	if len(origins) == 0 {
		return handler
	}
	allowing := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodPost, http.MethodPut},
		AllowedHeaders: []string{"*"},
		ExposedHeaders: []string{"Retry-After", "Understudy-Diagnosis", "Understudy-Extension", "Understudy-Request-Id"},
	}).Handler(handler)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(origins, r.Header.Get("Origin")) || strings.HasPrefix(r.URL.Path, "/_understudy") {
			handler.ServeHTTP(w, r)
			return
		}
		allowing.ServeHTTP(w, r)
	})
}
