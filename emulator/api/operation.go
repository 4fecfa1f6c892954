package api

import "net/http"

// Operation is an operation of the emulated API (spec 4): the one row by which requests are routed, rules name calls, and
// journal, log and metrics name requests.
type Operation struct {
	Name     string // the operationId in the OpenAPI document
	Method   string
	Path     string // :id stands for the resource's id
	Version  string // spec 9
	Verb     string // in rules: get, cancel, update or create
	Resource string // in rules, with a space in place of the underscore
	Success  int    // the status
	Errors   []int  // the statuses that the spec lists
}

// Operations returns the operations in the order of the spec. The caller owns the slice.
func Operations() []Operation {
	errors := []int{400, 401, 403, 404, 406, 429, 451, 500, 501}
	return []Operation{
		{ // spec 4.1
			"cancelVerificationRequest", http.MethodPut, "/verification-requests/:id/cancel", "2022-08-01",
			"cancel", "verification request", http.StatusOK, errors,
		},
		{ // spec 4.2
			"getVerificationRequest", http.MethodGet, "/verification-requests/:id", "2019-10-15",
			"get", "verification request", http.StatusOK, errors,
		},
		{ // spec 4.3
			"updateTenantProperty", http.MethodPut, "/tenant-properties/:id", "2023-10-30",
			"update", "tenant property", http.StatusOK, errors,
		},
		{ // spec 4.4 lists no 404
			"createCredentialsSession", http.MethodPost, "/credentials/session", "2022-08-01",
			"create", "credentials session", http.StatusCreated, []int{400, 401, 403, 406, 429, 451, 500, 501},
		},
		{ // spec 4.5
			"getQualificationCheck", http.MethodGet, "/qualification-checks/:id", "2023-10-30",
			"get", "qualification check", http.StatusOK, errors,
		},
	}
}
