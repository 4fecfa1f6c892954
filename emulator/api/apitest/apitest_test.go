package apitest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// Valid answers.
const (
	request = `{"id":"vr_1","created":"2025-01-15T09:30:00.000000Z","date_of_completion":null,"state":"processing",` +
		`"type":"employment","use_case":"other","permissible_purpose":"subpoena",` +
		`"price":{"amount":"12.50","currency":"USD"},` +
		`"turnaround_time":{"best_estimate":null,"lower_bound":null,"upper_bound":"36.5"},` +
		`"branch_id":null,"loan_id":null,"additional_information":null,"cancellation_reason":null,` +
		`"cancellation_details":null,"documents":[{"filename":null}],"metadata":{"a":"b"},"reports":null,` +
		`"request_parameters":null,"reseller_originating_party":null,"target":{"first_name":"Ada",` +
		`"last_name":"Example","social_security_number":"***-**-1234","date_of_birth":"1990-01-02",` +
		`"contact_email":null,"phone_number":null,"company":null}}`
	canceled = `{"id":"vr_1","created":"2025-01-15T09:30:00.000000Z","date_of_completion":"2025-01-15T10:00:00.000000Z",` +
		`"state":"canceled","price":{"amount":null,"currency":null},` +
		`"turnaround_time":{"best_estimate":null,"lower_bound":null,"upper_bound":null},` +
		`"branch_id":null,"loan_id":null,"cancellation_reason":"no-match","cancellation_details":null}`
	property = `{"id":"tp_1","name":"Quay","address_line_1":null,"address_line_2":null,"address_line_3":null,` +
		`"city":null,"postal_code":null,"state":null,"status":"active"}`
	session = `{"id":"cs_1","token":"t"}`
	result  = `{"id":"qc_1","created":"2025-01-15T09:30:00.000000Z","kind":"applicant","metadata":null,` +
		`"property_details":{"rent":"1500.00"},"qualification_check_set":{"id":"s","name":"n",` +
		`"applicant_rent_to_income_ratio":"0.3333","guarantor_rent_to_income_ratio":"0.25","income_multiple":null},` +
		`"result":{"outcome":"qualified","monthly_gross_income":"6000.00","monthly_gross_income_fidelity":null,` +
		`"rent_to_income_ratio":"0.2500","report_results":[]}}`
	failure = `{"error":{"message":"Something"}}`
)

const (
	read   = "GET /verification-requests/vr_1"
	cancel = "PUT /verification-requests/vr_1/cancel"
	update = "PUT /tenant-properties/tp_1"
	create = "POST /credentials/session"
	check  = "GET /qualification-checks/qc_1"
)

// answer is a server that answers every request the same.
type answer struct {
	status int
	header http.Header // over Content-Type: application/json
	body   string
}

func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, strings.Replace(a.body, "Something", api.NewError(a.status, "").Message, 1)) // the client reports an error
}

// recorder records the failures of a test.
type recorder struct {
	mu     sync.Mutex
	errors []string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failures runs a test against a server and returns its failures.
func failures(t *testing.T, server http.Handler, test func(*apitest.Client)) []string {
	t.Helper()
	s := httptest.NewServer(server)
	defer s.Close()
	var r recorder
	var running sync.WaitGroup
	running.Go(func() { test(apitest.New(&r, s.URL, "svc_sk_test_suite")) })
	running.Wait()
	return r.errors
}

// ask sends a request "METHOD path".
func ask(c *apitest.Client, what string) *apitest.Response {
	method, path, _ := strings.Cut(what, " ")
	return c.Send(method, path, nil)
}

func TestGoodAnswers(t *testing.T) {
	t.Parallel()
	unauthorized := http.Header{"Www-Authenticate": {"Bearer"}}
	limited := http.Header{"Retry-After": {"1"}}
	for name, tt := range map[string]struct {
		ask string
		answer
	}{
		"a verification request":            {read, answer{200, nil, request}},
		"its path with a slash at the end":  {read + "/", answer{200, nil, request}},
		"its query":                         {read + "?income_analytics=true", answer{200, nil, request}},
		"a selection, with fields":          {read + "?fields=id,state", answer{200, nil, `{"id":"vr_1","state":"invalid"}`}},
		"nothing, with fields":              {read + "?fields=x", answer{200, nil, `{}`}},
		"a cancel":                          {cancel, answer{200, nil, canceled}},
		"a tenant property":                 {update, answer{200, nil, property}},
		"a credentials session":             {create, answer{201, nil, session}},
		"a qualification check":             {check, answer{200, nil, result}},
		"400":                               {read, answer{400, nil, failure}},
		"401":                               {create, answer{401, unauthorized, failure}},
		"404":                               {check, answer{404, nil, failure}},
		"429":                               {update, answer{429, limited, failure}},
		"451":                               {create, answer{451, nil, failure}},
		"501 of a collection":               {"GET /orders", answer{501, nil, failure}},
		"404 of an unknown path":            {"GET /nowhere", answer{404, nil, failure}},
		"405 of a known path":               {"DELETE /tenant-properties/tp_1", answer{405, http.Header{"Allow": {"PUT"}}, failure}},
		"any status of a path outside":      {"GET /tenant-properties/", answer{418, nil, failure}},
		"405 of a HEAD, which has no body":  {"HEAD /verification-requests/vr_1", answer{405, nil, ""}},
		"control plane: JSON":               {"GET /_understudy/v1/health", answer{200, nil, `{"status":"ok"}`}},
		"control plane: what is not JSON":   {"GET /_understudy/openapi.yaml", answer{200, http.Header{"Content-Type": {"application/yaml"}}, "a: 1"}},
		"control plane: more than an error": {"POST /_understudy/v1/journal/verify", answer{409, nil, `{"error":{"message":"a"},"count":0,"dropped":0,"nearest":[]}`}},
		"control plane: an error":           {"GET /_understudy/v1/none", answer{404, nil, failure}},
		"an empty answer of another status": {"DELETE /_understudy/v1/journal", answer{204, http.Header{"Content-Type": nil}, ""}},
		"phone and EIN are no SSN":          {"GET /_understudy/v1/x", answer{200, nil, `"202-555-0100 12-3456789"`}},
		"obfuscated SSN in a header":        {read, answer{400, http.Header{"Understudy-Diagnosis": {"***-**-1234"}}, failure}},
		"diagnosis with commas and equals":  {read, answer{400, http.Header{"Understudy-Diagnosis": {`a, b=c; "d"`}}, failure}},
		"the headers of the emulator":       {read, answer{200, http.Header{"Understudy-World": {"1"}, "Vary": {"Accept"}}, request}},
		"a diagnosis that is only a number": {read, answer{400, http.Header{"Understudy-Diagnosis": {"1"}}, failure}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, failure := range failures(t, tt.answer, func(c *apitest.Client) { ask(c, tt.ask) }) {
				t.Error(failure)
			}
		})
	}
}

func TestBadAnswers(t *testing.T) {
	t.Parallel()
	const (
		document   = apitest.Document
		envelope   = apitest.Envelope
		headers    = apitest.Headers
		challenge  = apitest.Challenge
		retryAfter = apitest.RetryAfter
		ssn        = apitest.SSN
	)
	all := []apitest.Check{document, apitest.Request, envelope, headers, challenge, retryAfter, ssn}
	by := func(checks ...apitest.Check) []apitest.Check { return checks }
	swap := func(body, part, other string) string { return strings.Replace(body, part, other, 1) }
	contentType := func(value ...string) http.Header { return http.Header{"Content-Type": value} }
	for name, tt := range map[string]struct {
		ask string
		answer
		want string          // part of the message
		by   []apitest.Check // each finds it alone
	}{
		"a required key is missing":                           {cancel, answer{200, nil, swap(canceled, `"loan_id":null,`, "")}, `missing property 'loan_id'`, by(document)},
		"a required key is missing deep down":                 {check, answer{200, nil, swap(result, `"rent_to_income_ratio":"0.2500",`, "")}, `at '/result': missing property 'rent_to_income_ratio'`, by(document)},
		"a verification request is not whole, without fields": {read, answer{200, nil, swap(request, `"loan_id":null,`, "")}, `missing property 'loan_id'`, by(document)},
		"a selection without fields":                          {read + "?income_analytics=true", answer{200, nil, `{"id":"vr_1"}`}, `missing properties 'created', 'date_of_completion', 'state'`, by(document)},
		"an extra key":                                        {create, answer{201, nil, `{"id":"a","token":"b","extra":1}`}, `additional properties 'extra' not allowed`, by(document)},
		"an extra key in a verification request":              {read, answer{200, nil, swap(request, `"loan_id"`, `"extra":1,"loan_id"`)}, `additional properties 'extra' not allowed`, by(document)},
		"an extra key in a selection":                         {read + "?fields=id", answer{200, nil, `{"id":"a","extra":1}`}, `additional properties 'extra' not allowed`, by(document)},
		"null where it may not be":                            {update, answer{200, nil, swap(property, `"Quay"`, `null`)}, `at '/name': got null, want string`, by(document)},
		"null for the body":                                   {create, answer{201, nil, `null`}, `got null, want object`, by(document)},
		"a key that comes twice":                              {create, answer{201, nil, `{"id":"a","id":"a","token":"b"}`}, `not valid JSON`, by(document)},
		"trailing data":                                       {create, answer{201, nil, session + `{}`}, `not valid JSON`, by(document)},
		"half a body":                                         {create, answer{201, nil, session[:9]}, `not valid JSON`, by(document)},
		"no body":                                             {create, answer{201, nil, ""}, `not valid JSON`, by(document)},
		"200 where 201 is listed":                             {create, answer{200, nil, session}, `createCredentialsSession does not list the status 200`, by(document)},
		"404 where it is not listed":                          {create, answer{404, nil, failure}, `does not list the status 404`, by(document)},
		"a status that no operation lists":                    {read, answer{503, nil, failure}, `does not list the status 503`, by(document)},
		"a redirect":                                          {read, answer{301, nil, request}, `does not list the status 301`, by(document)},
		"another media type":                                  {check, answer{200, contentType("text/plain"), result}, `Content-Type is "text/plain"`, by(document)},
		"a media type with a parameter":                       {check, answer{200, contentType("application/json; charset=utf-8"), result}, `charset`, by(document)},
		"an error of another media type":                      {"GET /nowhere", answer{404, contentType("text/html"), failure}, `"text/html"`, by(envelope)},
		"an error without media type":                         {"GET /_understudy/v1/x", answer{404, http.Header{"Content-Type": nil}, failure}, `Content-Type`, by(envelope)},
		"an error that is text":                               {"GET /nowhere", answer{404, nil, "404 page not found"}, `envelope`, by(envelope)},
		"an error without body":                               {"GET /orders", answer{501, nil, ""}, `envelope`, by(envelope)},
		"an envelope without message":                         {"GET /nowhere", answer{404, nil, `{"error":{}}`}, `no message`, by(envelope)},
		"an envelope with null":                               {"GET /nowhere", answer{404, nil, `{"error":null}`}, `no message`, by(envelope)},
		"an envelope with another key":                        {"GET /nowhere", answer{404, nil, `{"error":{"message":"a"},"status":404}`}, `status`, by(envelope)},
		"an envelope with another key inside":                 {"GET /nowhere", answer{404, nil, `{"error":{"message":"a","code":1}}`}, `code`, by(envelope)},
		"a header that is not allowed":                        {read, answer{200, http.Header{"X-Powered-By": {"x"}}, request}, `X-Powered-By`, by(headers)},
		"a 401 that asks for nothing":                         {"GET /_understudy/v1/x", answer{401, nil, failure}, `WWW-Authenticate`, by(challenge)},
		"a 401 of an operation that asks for nothing":         {read, answer{401, nil, failure}, `WWW-Authenticate`, by(document, challenge)},
		"a refusal that the document has no example of":       {read, answer{400, nil, `{"error":{"message":"Nothing"}}`}, `getVerificationRequest has no example with the message of this 400`, by(document)},
		"a 429 that says no time":                             {read, answer{429, nil, failure}, `Retry-After`, by(retryAfter)},
		"a 429 whose time is no number":                       {"GET /nowhere", answer{429, http.Header{"Retry-After": {"soon"}}, failure}, `"soon"`, by(retryAfter)},
		"a social security number in a body":                  {"GET /_understudy/v1/x", answer{200, nil, `{"x":"000-12-3456"}`}, `the body has a social security number`, by(ssn)},
		"a social security number in a header":                {read, answer{400, http.Header{"Understudy-Diagnosis": {"of 000-12-3456."}}, failure}, `Understudy-Diagnosis`, by(ssn)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := func(without ...apitest.Check) []string {
				return failures(t, tt.answer, func(c *apitest.Client) { ask(c.Without(without...), tt.ask) })
			}
			if got := found(); len(got) != 1 || !strings.Contains(got[0], tt.want) {
				t.Fatalf("want one failure that says %q, got %q", tt.want, got)
			}
			if rest := found(tt.by...); len(rest) > 0 {
				t.Errorf("also found by another check than %q: %s", tt.by, rest)
			}
			for _, one := range tt.by {
				others := slices.DeleteFunc(slices.Clone(all), func(check apitest.Check) bool { return check == one })
				if len(found(others...)) == 0 {
					t.Errorf("not found by %q", one)
				}
			}
		})
	}
}

// A JSON body that the document does not allow may not be accepted.
func TestAcceptedBodies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		method, path string
		body         any
		status       int
		want         string // part of the message; "": none
	}{
		{"PUT", "/_understudy/v1/clock", `{"frozen":true}`, 200, ""},
		{"PUT", "/_understudy/v1/clock", `{"frozen":1}`, 200, "at '/frozen': got number, want boolean"},
		{"PUT", "/_understudy/v1/clock", `{"frozen":1}`, 400, ""},
		{"PUT", "/_understudy/v1/scenarios/mine", "name: mine", 200, ""}, // YAML
		{"PUT", "/tenant-properties/tp_1/", `{}`, 200, "missing property 'name'"},
		{"PUT", "/tenant-properties/tp_1", nil, 200, ""},
	} {
		got := failures(t, answer{tt.status, nil, "{}"}, func(c *apitest.Client) {
			c.Without(apitest.Document, apitest.Envelope).Send(tt.method, tt.path, tt.body)
		})
		if len(got) > 1 || strings.Join(got, "") != "" != (tt.want != "") || !strings.Contains(strings.Join(got, ""), tt.want) {
			t.Errorf("%s %v, status %d: want %q, got %q", tt.path, tt.body, tt.status, tt.want, got)
		}
	}
}

func TestFailureReport(t *testing.T) {
	t.Parallel()
	got := failures(t, answer{201, nil, `{"id":"a"}`}, func(c *apitest.Client) {
		c.Post("/credentials/session?x=1", map[string]string{"type": "assets"})
	})
	if len(got) != 1 {
		t.Fatalf("got %q", got)
	}
	for _, part := range []string{
		"POST /credentials/session?x=1: status 201\n",
		`document: the body is invalid: `, `missing property 'token'`,
		"request body:\n" + `{"type":"assets"}` + "\n",
		"Content-Type: application/json\r\n",
		"\n\n" + `{"id":"a"}`,
	} {
		if !strings.Contains(got[0], part) {
			t.Errorf("does not have %q:\n%s", part, got[0])
		}
	}
}

func TestFailureReportOfLargeBody(t *testing.T) {
	t.Parallel()
	got := failures(t, answer{404, nil, strings.Repeat("x", 1<<20)}, func(c *apitest.Client) { c.Get("/nowhere") })
	if len(got) != 1 || len(got[0]) > 10_000 || !strings.HasSuffix(got[0], "… (1048576 bytes)") {
		t.Errorf("got %.200q", got)
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	type sent struct{ Method, Path, Key, Accept, ContentType, Body string }
	var got sent
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := r.Header
		got = sent{r.Method, r.URL.RequestURI(), h.Get("Authorization"), h.Get("Accept"), h.Get("Content-Type"), string(body)}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	c := apitest.New(t, server.URL+"/", "k")
	own, err := http.NewRequest("PATCH", server.URL+"/p", strings.NewReader("b"))
	if err != nil {
		t.Fatal(err)
	}
	own.Header.Set("Authorization", "Basic x")
	for _, tt := range []struct {
		name string
		send func() *apitest.Response
		want sent
	}{
		{"get", func() *apitest.Response { return c.Get("/p?q=1") }, sent{"GET", "/p?q=1", "Bearer k", "", "", ""}},
		{"put text", func() *apitest.Response { return c.Put("/p", `{"a":`) }, sent{"PUT", "/p", "Bearer k", "", "application/json", `{"a":`}},
		{"put bytes", func() *apitest.Response { return c.Put("/p", []byte("x")) }, sent{"PUT", "/p", "Bearer k", "", "application/json", "x"}},
		{"post a value", func() *apitest.Response { return c.Post("/p", map[string]int{"a": 1}) }, sent{"POST", "/p", "Bearer k", "", "application/json", `{"a":1}`}},
		{"post nothing", func() *apitest.Response { return c.Post("/p", nil) }, sent{"POST", "/p", "Bearer k", "", "", ""}},
		{"no key", func() *apitest.Response { return apitest.New(t, server.URL, "").Get("/p") }, sent{"GET", "/p", "", "", "", ""}},
		{"headers", func() *apitest.Response {
			return c.With("Accept", "a/b").With("content-type", "text/plain").Put("/p", "x")
		}, sent{"PUT", "/p", "Bearer k", "a/b", "text/plain", "x"}},
		{"another Authorization", func() *apitest.Response { return c.With("Authorization", "Basic y").Get("/p") }, sent{"GET", "/p", "Basic y", "", "", ""}},
		{"headers end with their client", func() *apitest.Response { return c.Get("/p") }, sent{"GET", "/p", "Bearer k", "", "", ""}},
		{"a request of its own", func() *apitest.Response { return c.With("Accept", "a/b").Do(own) }, sent{"PATCH", "/p", "Basic x", "a/b", "", "b"}},
		{"another sender", func() *apitest.Response { return c.Via(server.Client()).Get("/p") }, sent{"GET", "/p", "Bearer k", "", "", ""}},
	} {
		resp := tt.send()
		if diff := cmp.Diff(tt.want, got); diff != "" || resp.Status != http.StatusNoContent {
			t.Errorf("%s: status %d (-want +sent):\n%s", tt.name, resp.Status, diff)
		}
	}
}

func TestResponse(t *testing.T) {
	t.Parallel()
	var id string
	var message string
	got := failures(t, answer{201, nil, session}, func(c *apitest.Client) {
		var v struct {
			ID string `json:"id"`
		}
		resp := c.Post("/credentials/session", nil)
		resp.JSON(&v)
		id = v.ID
		resp.ErrorMessage()
		t.Error("goes on after an answer that is no error")
	})
	if id != "cs_1" || len(got) != 1 || !strings.Contains(got[0], "is not an error") {
		t.Errorf("got %q, %q", id, got)
	}
	got = failures(t, answer{404, nil, failure}, func(c *apitest.Client) {
		resp := c.Get("/nowhere")
		message = resp.ErrorMessage()
		resp.JSON(new(int))
		t.Error("goes on after a body that does not decode")
	})
	if message != "Not Found" || len(got) != 1 || !strings.Contains(got[0], "does not decode") {
		t.Errorf("got %q, %q", message, got)
	}
}

func TestIncompleteAnswer(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]http.HandlerFunc{
		"no answer": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"half of it": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9")
			_, _ = io.WriteString(w, "{")
		},
	} {
		got := failures(t, server, func(c *apitest.Client) {
			c.Get("/p")
			t.Error(name, "goes on")
		})
		if len(got) != 1 || !strings.Contains(got[0], "GET http") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
