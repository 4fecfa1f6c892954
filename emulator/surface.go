package emulator

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// route is a method and a path that something answers.
type route struct{ method, path string }

// operation is one row of the emulated surface.
type operation struct {
	route
	name    string // in the OpenAPI document and the log
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
		{ // 4.1
			route: route{http.MethodPut, "/verification-requests/:id/cancel"},
			name:  "cancelVerificationRequest", version: "2022-08-01", success: http.StatusOK,
			on: scenarios.OnCancel, kind: scenarios.VerificationRequestID, serve: cancelVerificationRequest,
		},
		{ // 4.2
			route: route{http.MethodGet, "/verification-requests/:id"},
			name:  "getVerificationRequest", version: "2019-10-15", success: http.StatusOK,
			on: scenarios.OnGet, kind: scenarios.VerificationRequestID, query: true, serve: getVerificationRequest,
		},
		{ // 4.3
			route: route{http.MethodPut, "/tenant-properties/:id"},
			name:  "updateTenantProperty", version: "2023-10-30", success: http.StatusOK,
			on: scenarios.OnUpdate, kind: scenarios.TenantPropertyID, serve: updateTenantProperty,
		},
		{ // 4.4
			route: route{http.MethodPost, "/credentials/session"},
			name:  "createCredentialsSession", version: "2022-08-01", success: http.StatusCreated,
			on: scenarios.OnCreate, serve: createCredentialsSession,
		},
		{ // 4.5
			route: route{http.MethodGet, "/qualification-checks/:id"},
			name:  "getQualificationCheck", version: "2023-10-30", success: http.StatusOK,
			on: scenarios.OnGet, kind: scenarios.QualificationCheckID, serve: getQualificationCheck,
		},
	}
}

func operationNames() (names []string) {
	for _, op := range surface() {
		names = append(names, op.name)
	}
	return names
}

// unshown lists what the spec names and does not show (the end of its section 4): answered 501.
func unshown() []route {
	return []route{
		{http.MethodGet, "/verification-requests"},
		{http.MethodPost, "/verification-requests"},
		{http.MethodGet, "/verification-requests/:id/reports"},
		{http.MethodGet, "/verification-requests/:id/reports/:report_id"},
		{http.MethodGet, "/reports"},
		{http.MethodGet, "/reports/:id"},
		{http.MethodGet, "/tenant-properties"},
		{http.MethodPost, "/tenant-properties"},
		{http.MethodGet, "/qualification-checks"},
		{http.MethodPost, "/qualification-checks"},
	}
}

// routes makes the router of the surface from what handles an operation. A trailing slash is the same path, as real clients send it; the router's own
// redirects and its answers to OPTIONS are not the service's and stay off.
func (e *Emulator) routes(handle func(*operation) httprouter.Handle) *httprouter.Router {
	router := &httprouter.Router{
		HandleMethodNotAllowed: true,
		NotFound:               http.HandlerFunc(e.pathUnknown),
		MethodNotAllowed:       http.HandlerFunc(e.methodNotAllowed),
	}
	for _, op := range surface() {
		serve := handle(op)
		router.Handle(op.method, op.path, serve)
		router.Handle(op.method, op.path+"/", serve)
	}
	for _, route := range unshown() {
		router.Handle(route.method, route.path, e.notImplemented)
		router.Handle(route.method, route.path+"/", e.notImplemented)
	}
	return router
}

func (e *Emulator) pathUnknown(w http.ResponseWriter, r *http.Request) {
	refusal := api.NewError(http.StatusNotFound, "no operation has this path")
	e.newCall(w, r, nil, nil).refuse(refusal)
}

func (e *Emulator) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	allowed := api.Allowed(w.Header())
	refusal := api.NewError(http.StatusMethodNotAllowed, "this path has "+strings.Join(allowed, " and ")+" only")
	refusal.Header = http.Header{"Allow": {strings.Join(allowed, ", ")}}
	e.newCall(w, r, nil, nil).refuse(refusal)
}

func (e *Emulator) notImplemented(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
	refusal := api.NewError(http.StatusNotImplemented, "the specification names this operation and does not show it")
	e.newCall(w, r, nil, nil).refuse(refusal)
}
