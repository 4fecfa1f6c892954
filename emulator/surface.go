package emulator

import (
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// operation is one row of the emulated surface.
type operation struct {
	name    string // in the OpenAPI document and the log
	method  string
	path    string
	section string // of the spec
	version string // spec 9
	success int
	on      scenarios.Operation
	kind    scenarios.Kind // of the id in the path
	query   bool           // it takes query parameters
	serve   func(*call) (resource any, err error)
}

// surface lists the five operations of spec section 4.
func surface() []*operation {
	return []*operation{
		{
			name: "cancelVerificationRequest", method: http.MethodPut, path: "/verification-requests/:id/cancel",
			section: "4.1", version: "2022-08-01", success: http.StatusOK,
			on: scenarios.OnCancel, kind: scenarios.VerificationRequestID, serve: cancelVerificationRequest,
		},
		{
			name: "getVerificationRequest", method: http.MethodGet, path: "/verification-requests/:id",
			section: "4.2", version: "2019-10-15", success: http.StatusOK,
			on: scenarios.OnGet, kind: scenarios.VerificationRequestID, query: true, serve: getVerificationRequest,
		},
		{
			name: "updateTenantProperty", method: http.MethodPut, path: "/tenant-properties/:id",
			section: "4.3", version: "2023-10-30", success: http.StatusOK,
			on: scenarios.OnUpdate, kind: scenarios.TenantPropertyID, serve: updateTenantProperty,
		},
		{
			name: "createCredentialsSession", method: http.MethodPost, path: "/credentials/session",
			section: "4.4", version: "2022-08-01", success: http.StatusCreated,
			on: scenarios.OnCreate, serve: createCredentialsSession,
		},
		{
			name: "getQualificationCheck", method: http.MethodGet, path: "/qualification-checks/:id",
			section: "4.5", version: "2023-10-30", success: http.StatusOK,
			on: scenarios.OnGet, kind: scenarios.QualificationCheckID, serve: getQualificationCheck,
		},
	}
}

// unshown lists what the spec names and does not show (the end of its section 4): answered 501.
func unshown() []*operation {
	return []*operation{
		{method: http.MethodGet, path: "/verification-requests"},
		{method: http.MethodPost, path: "/verification-requests"},
		{method: http.MethodGet, path: "/verification-requests/:id/reports"},
		{method: http.MethodGet, path: "/verification-requests/:id/reports/:report_id"},
		{method: http.MethodGet, path: "/reports"},
		{method: http.MethodGet, path: "/reports/:id"},
		{method: http.MethodGet, path: "/tenant-properties"},
		{method: http.MethodPost, path: "/tenant-properties"},
		{method: http.MethodGet, path: "/qualification-checks"},
		{method: http.MethodPost, path: "/qualification-checks"},
	}
}

// routes makes the router of the surface. A trailing slash is the same path, as real clients send it; the router's own
// redirects and its answers to OPTIONS are not the service's and stay off.
func (e *Emulator) routes() *httprouter.Router {
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               http.HandlerFunc(e.pathUnknown),
		MethodNotAllowed:       http.HandlerFunc(e.methodNotAllowed),
	}
	for _, op := range surface() {
		router.Handle(op.method, op.path, e.handle(op))
		router.Handle(op.method, op.path+"/", e.handle(op))
	}
	for _, op := range unshown() {
		router.Handle(op.method, op.path, e.notImplemented)
		router.Handle(op.method, op.path+"/", e.notImplemented)
	}
	return router
}

func (e *Emulator) pathUnknown(w http.ResponseWriter, r *http.Request) {
	refusal := api.NewError(http.StatusNotFound, "no operation has this path")
	e.newCall(w, r, nil, nil).answer(nil, refusal)
}

// methodNotAllowed finds the router's list of methods in the header, where OPTIONS stands though nothing answers it.
func (e *Emulator) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := strings.Split(w.Header().Get("Allow"), ", ")
	allowed = slices.DeleteFunc(allowed, func(method string) bool { return method == http.MethodOptions })
	refusal := api.NewError(http.StatusMethodNotAllowed, "this path has "+strings.Join(allowed, " and ")+" only")
	refusal.Header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	e.newCall(w, r, nil, nil).answer(nil, refusal)
}

func (e *Emulator) notImplemented(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	refusal := api.NewError(http.StatusNotImplemented, "the specification names this operation and does not show it")
	e.newCall(w, r, nil, nil).answer(nil, refusal)
}
