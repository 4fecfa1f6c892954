package surface

import (
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Unshown is a family of operations that the spec does not describe. They are answered 501 (spec 4).
type Unshown struct {
	Instead  string   // what to use instead
	Requests []string // methods and paths
}

// UnshownOperations lists what clients of such an API send beside the five operations, whether the spec names it or not.
func UnshownOperations() []Unshown {
	return []Unshown{
		{"GET /_understudy/v1/verification-requests lists the requests of this world",
			[]string{"GET /verification-requests"}},
		{"GET /verification-requests/{id} takes any magic id, and POST /_understudy/v1/verification-requests creates a request",
			[]string{"POST /verification-requests"}},
		{"GET /verification-requests/{id} has the reports of a completed request",
			[]string{"GET /verification-requests/:id/report", "GET /verification-requests/:id/reports", "GET /verification-requests/:id/reports/:report",
				"GET /reports", "GET /reports/:id"}},
		{"POST /_understudy/v1/verification-requests creates another request, and PATCH /_understudy/v1/verification-requests/{id} changes the state of this one",
			[]string{"POST /verification-requests/:id/reverify", "PUT /verification-requests/:id/reverify"}},
		{"POST /credentials/session creates a verification request of a person, and POST /_understudy/v1/verification-requests any other",
			[]string{"GET /orders", "POST /orders", "GET /orders/:id", "POST /orders/:id", "PUT /orders/:id", "DELETE /orders/:id",
				"GET /orders/:id/:part", "POST /orders/:id/:part", "PUT /orders/:id/:part"}},
		{"POST /credentials/session takes every name and every id as target.company",
			[]string{"GET /companies", "POST /companies", "GET /companies/:id"}},
		{"GET /_understudy/v1/credentials-sessions lists the sessions of this world",
			[]string{"GET /credentials/session"}},
		{"GET /_understudy/v1/credentials-sessions/{id} shows the session and its verification request",
			[]string{"GET /credentials/session/:id"}},
		{"GET /_understudy/v1/tenant-properties lists the properties of this world",
			[]string{"GET /tenant-properties"}},
		{"PUT /tenant-properties/{id} takes the magic id tp_default, and POST /_understudy/v1/tenant-properties creates a property",
			[]string{"POST /tenant-properties"}},
		{"GET /_understudy/v1/tenant-properties/{id} shows the property",
			[]string{"GET /tenant-properties/:id"}},
		{"GET /_understudy/v1/qualification-checks lists the checks of this world",
			[]string{"GET /qualification-checks"}},
		{"GET /qualification-checks/{id} takes any magic id, and POST /_understudy/v1/qualification-checks creates a check",
			[]string{"POST /qualification-checks", "GET /qualification-check-sets", "POST /qualification-check-sets", "GET /qualification-check-sets/:id"}},
		{"POST /_understudy/v1/webhooks subscribes a URL to the events of this world",
			[]string{"GET /webhooks", "POST /webhooks", "GET /webhooks/:id", "PUT /webhooks/:id", "DELETE /webhooks/:id"}},
	}
}

// pathPatterns returns the paths of all operations, and some of the control plane.
func pathPatterns() []string {
	all := []string{"/_understudy/", "/_understudy/:version/:call", "/_understudy/:version/:call/:id"}
	for _, op := range Operations(false) {
		all = append(all, op.Path)
	}
	for _, family := range UnshownOperations() {
		for _, request := range family.Requests {
			_, path, _ := strings.Cut(request, " ")
			all = append(all, path)
		}
	}
	return all
}

// maxPrefix limits the segments of a prefix such as /api/v1.
const maxPrefix = 2

// pathAdvice returns the end of the diagnosis of an unknown path: the nearest path, or the paths of the operations. A
// path may be near behind a prefix such as /v1, or with a doubled slash.
func pathAdvice(sent string, extended bool) string {
	if decoded, err := url.PathUnescape(sent); err == nil {
		sent = decoded
	}
	if strings.HasPrefix(sent, "/_understudy/") { // of a dry run
		return ": it is a path of the control plane"
	}
	patterns := pathPatterns()
	segments := journal.SegmentsOf(sent)
	for i := range min(len(segments), maxPrefix+1) {
		if nearest, ok := journal.NearestPath("/"+strings.Join(segments[i:], "/"), patterns); ok {
			advice := ": did you mean " + api.Quote(nearest) + "?"
			switch {
			case i > 0:
				return advice + " Leave " + api.Quote("/"+strings.Join(segments[:i], "/")) + " out of the base URL"
			case strings.HasPrefix(sent, "//"):
				return advice + " Remove the doubled slash"
			case strings.Contains(sent, "//"):
				return advice + " Remove the doubled slash, or fill in the empty id"
			}
			return advice
		}
		if slices.ContainsFunc(patterns, func(path string) bool { return strings.HasPrefix(path+"/", "/"+segments[i]+"/") }) {
			break // the segment is no prefix
		}
	}
	var described []string
	for _, op := range Operations(extended) {
		described = append(described, op.Method+" "+strings.Replace(op.Path, ":id", "{id}", 1))
	}
	return ": the operations are " + strings.Join(described, ", ") + "; the console is at /_understudy/"
}
