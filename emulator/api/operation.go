package api

import (
	"net/http"
	"slices"
)

// Operation is an operation of the emulated API (spec 4), or an extension: the one row by which requests are routed, rules name
// calls, and journal, log and metrics name requests.
type Operation struct {
	Name     string // the operationId in the OpenAPI document
	Method   string
	Path     string // :id stands for the resource's id
	Version  string // spec 9; of an extension the latest
	Verb     string // in rules: get, cancel, update, create, list, report or reverify
	Resource string // in rules, with a space in place of the underscore
	Success  int    // the status
	Errors   []int  // the statuses that the spec lists; of an extension ours

	// Extension is whether the spec does not have the operation: it is served with --extended.
	Extension bool
}

// versions are the versions of the spec (spec 9). With --extended each operation takes any of them.
var versions = []string{"2019-10-15", "2020-12-07", "2022-08-01", "2023-10-30"}

// Versions returns the versions of the spec, the oldest first. Those of webhooks are the same.
func Versions() []string { return slices.Clone(versions) }

// Operations returns the operations in the order of the spec, and then the extensions. The caller owns the slice.
func Operations() []Operation {
	errors := []int{400, 401, 403, 404, 406, 429, 451, 500, 501}
	collection := []int{400, 401, 403, 406, 429, 451, 500, 501}
	return []Operation{
		{ // spec 4.1
			"cancelVerificationRequest", http.MethodPut, "/verification-requests/:id/cancel", "2022-08-01",
			"cancel", "verification request", http.StatusOK, errors, false,
		},
		{ // spec 4.2
			"getVerificationRequest", http.MethodGet, "/verification-requests/:id", "2019-10-15",
			"get", "verification request", http.StatusOK, errors, false,
		},
		{ // spec 4.3
			"updateTenantProperty", http.MethodPut, "/tenant-properties/:id", "2023-10-30",
			"update", "tenant property", http.StatusOK, errors, false,
		},
		{ // spec 4.4 lists no 404
			"createCredentialsSession", http.MethodPost, "/credentials/session", "2022-08-01",
			"create", "credentials session", http.StatusCreated, collection, false,
		},
		{ // spec 4.5
			"getQualificationCheck", http.MethodGet, "/qualification-checks/:id", "2023-10-30",
			"get", "qualification check", http.StatusOK, errors, false,
		},
		{
			"createVerification", http.MethodPost, "/verification-requests", "2023-10-30",
			"create", "verification request", http.StatusCreated, collection, true,
		},
		{
			"listVerifications", http.MethodGet, "/verification-requests", "2023-10-30",
			"list", "verification request", http.StatusOK, collection, true,
		},
		{
			"getReport", http.MethodGet, "/verification-requests/:id/report", "2023-10-30",
			"report", "verification request", http.StatusOK, errors, true,
		},
		{
			"reverify", http.MethodPut, "/verification-requests/:id/reverify", "2023-10-30",
			"reverify", "verification request", http.StatusCreated, errors, true,
		},
		{
			"listCompanies", http.MethodGet, "/companies", "2023-10-30",
			"list", "company", http.StatusOK, collection, true,
		},
	}
}
