package emulator_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestUnknownPathsAre404(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, path := range []string{
		"/", "/nowhere", "/verification-request/vr_completed", "/verification-requests/vr_completed/undo",
		"/VERIFICATION-REQUESTS/vr_completed", "//verification-requests/vr_completed", "/credentials", "/_understudy",
	} {
		t.Run(path, func(t *testing.T) { wantStatus(t, c.Get(path), 404, "Not Found") })
	}
}

func TestKnownPathsRefuseOtherMethodsWithAllow(t *testing.T) {
	t.Parallel()
	c := start(t)
	for path, allow := range map[string]string{
		"/verification-requests/vr_completed":         "GET",
		"/verification-requests/vr_completed/":        "GET",
		"/verification-requests/vr_processing/cancel": "PUT",
		"/tenant-properties/tp_default":               "PUT",
		"/credentials/session":                        "POST",
		"/qualification-checks/qc_qualified":          "GET",
		"/verification-requests":                      "GET, POST",
	} {
		for _, method := range []string{"DELETE", "OPTIONS", "PATCH", "BREW"} {
			t.Run(method+" "+path, func(t *testing.T) {
				r := c.Send(method, path, nil)
				wantStatus(t, r, 405, "Method Not Allowed")
				if got := r.Header.Get("Allow"); got != allow {
					t.Errorf("Allow: %s, want %s", got, allow)
				}
			})
		}
	}
}

func TestWhatTheSpecNamesAndDoesNotShowIs501(t *testing.T) {
	t.Parallel()
	c := start(t)
	for _, operation := range []string{
		"POST /verification-requests", "GET /verification-requests", "GET /verification-requests/",
		"POST /tenant-properties", "GET /tenant-properties",
		"POST /qualification-checks", "GET /qualification-checks",
		"GET /reports", "GET /reports/rep_1", "GET /verification-requests/vr_completed/reports",
		"GET /verification-requests/vr_completed/reports/rep_1",
	} {
		t.Run(operation, func(t *testing.T) {
			method, path, _ := strings.Cut(operation, " ")
			wantStatus(t, c.Send(method, path, nil), 501, "Not Implemented")
		})
	}
}

func TestATrailingSlashIsTheSamePathWithoutARedirect(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Get("/verification-requests/vr_completed/"), 200, "")
	wantStatus(t, c.Put("/verification-requests/vr_processing/cancel/", `{"cancellation_reason":"other"}`), 200, "")
	wantStatus(t, c.Put("/tenant-properties/tp_default/", `{"name":"Quay"}`), 200, "")
	wantStatus(t, c.Post("/credentials/session/", session("000-12-3456")), 201, "")
	wantStatus(t, c.Get("/qualification-checks/qc_qualified/"), 200, "")
}

// What a generated client of the vendor sends: a version, a bearer key, trailing slashes. Nothing about it is diagnosed.
func TestAVendorStyleClientWorksUnchanged(t *testing.T) {
	t.Parallel()
	c := start(t)
	version := func(date string) *apitest.Client { return c.With("Accept", "application/json; version="+date) }
	for operation, r := range map[string]*apitest.Response{
		"spec 4.1": version("2022-08-01").Put("/verification-requests/vr_processing/cancel/", cancelOther),
		"spec 4.2": version("2019-10-15").Get("/verification-requests/vr_completed/"),
		"spec 4.3": version("2023-10-30").Put("/tenant-properties/tp_default/", `{"name":"Quay"}`),
		"spec 4.4": version("2022-08-01").Post("/credentials/session/", session("000-12-3456")),
		"spec 4.5": version("2023-10-30").Get("/qualification-checks/qc_qualified/"),
	} {
		if r.Status/100 != 2 || r.Header.Get("Understudy-Diagnosis") != "" {
			t.Errorf("%s: %d %s (%s)", operation, r.Status, r.Body, r.Header.Get("Understudy-Diagnosis"))
		}
	}
}

func TestEveryOperationTakesItsOwnVersionOnly(t *testing.T) {
	t.Parallel()
	c := start(t)
	versions := []string{"2022-08-01", "2019-10-15", "2023-10-30"}
	for name, tt := range map[string]struct {
		own string
		ask func(*apitest.Client) *apitest.Response
	}{
		"spec 9.2: cancel": {"2022-08-01", func(c *apitest.Client) *apitest.Response {
			return c.Put("/verification-requests/vr_error_403/cancel", cancelOther)
		}},
		"spec 9.2: session": {"2022-08-01", func(c *apitest.Client) *apitest.Response {
			return c.Post("/credentials/session", session("000-00-0403"))
		}},
		"spec 9.2: read": {"2019-10-15", func(c *apitest.Client) *apitest.Response {
			return c.Get("/verification-requests/vr_error_403")
		}},
		"spec 9.2: tenant property": {"2023-10-30", func(c *apitest.Client) *apitest.Response {
			return c.Put("/tenant-properties/tp_error_403", `{"name":"Quay"}`)
		}},
		"spec 9.2: qualification check": {"2023-10-30", func(c *apitest.Client) *apitest.Response {
			return c.Get("/qualification-checks/qc_error_403")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, version := range versions {
				r := tt.ask(c.With("Accept", "application/json; version="+version))
				if version == tt.own {
					wantStatus(t, r, 403, message403) // past the judgement of versions
					continue
				}
				wantStatus(t, r, 406, "An invalid API version was requested")
				wantDiagnosis(t, r, "version="+tt.own)
			}
		})
	}
}

func TestAnEscapedSlashBelongsToTheID(t *testing.T) {
	t.Parallel()
	c := start(t)
	wantStatus(t, c.Get("/verification-requests/vr_%63ompleted"), 200, "")
	wantStatus(t, c.Get("/verification-requests/vr_completed%2Fcancel"), 400, "Verification not found")
	// The checker's router takes the slash for one that separates, and misses the operation's own statuses.
	c = c.Without(apitest.Document)
	wantStatus(t, c.Put("/verification-requests/vr_processing%2Fcancel", `{"cancellation_reason":"other"}`), 405, "Method Not Allowed")
}

func TestOddIDsAreJustUnknown(t *testing.T) {
	t.Parallel()
	c := start(t)
	for name, id := range map[string]string{
		"8 KB":                  strings.Repeat("x", 8<<10),
		"40 KB":                 strings.Repeat("x", 40<<10),
		"an escape, escaped":    "vr_%2563ompleted",
		"NUL":                   "%00",
		"dots":                  "..",
		"a header injection":    "x%0d%0aSet-Cookie:%20a=b",
		"not UTF-8":             "%ff%fe",
		"another letter case":   "VR_COMPLETED",
		"an id of another kind": "tp_default",
		"nothing but a slash":   "%2F",
	} {
		t.Run(name, func(t *testing.T) {
			wantStatus(t, c.Get("/verification-requests/"+id), 400, "Verification not found")
			wantStatus(t, c.Put("/verification-requests/"+id+"/cancel", cancelOther), 400, "Verification not found")
		})
	}
}

func TestAnUnknownIDOneTypingErrorFromAKnownOneIsDiagnosed(t *testing.T) {
	t.Parallel()
	c := start(t)
	for path, suggestion := range map[string]string{
		"/verification-requests/vr_compelted": "did you mean vr_completed?",
		"/qualification-checks/qc_qualifed":   "did you mean qc_qualified?",
	} {
		wantDiagnosis(t, c.Get(path), suggestion)
	}
	wantDiagnosis(t, c.Put("/tenant-properties/tp_defualt", `{"name":"Quay"}`), "did you mean tp_default?")
}

func TestAKeysWorldHasOneIDThatDoesNotTellTheKey(t *testing.T) {
	t.Parallel()
	c := start(t)
	first := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	again := c.Get("/qualification-checks/qc_qualified").Header.Get("Understudy-World")
	if first == "" || again != first || strings.Contains(first, "suite") {
		t.Errorf("worlds %q and %q", first, again)
	}
}
