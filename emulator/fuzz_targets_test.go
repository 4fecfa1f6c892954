package emulator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// fuzzedOperations are the five operations (spec 4): the method, and the parts of the path before and behind the id.
var fuzzedOperations = []struct{ method, before, behind string }{
	{"GET", "/verification-requests/", ""},
	{"PUT", "/verification-requests/", "/cancel"},
	{"PUT", "/tenant-properties/", ""},
	{"GET", "/qualification-checks/", ""},
	{"POST", "/credentials/session", ""}, // has no id
}

// Whatever is sent, the answer is one that the operation lists (spec 4).
func FuzzOperations(f *testing.F) {
	for _, seed := range []struct {
		operation               byte
		id, query, accept, body string
	}{
		{0, "vr_completed", "fields=id,state&income_analytics=1", "application/json; version=2019-10-15", ""},
		{0, "vr_completed", "fields=123456789&ssn=123-45-6789&%zz", "*/*;q=0.1", ""},
		{3, "vr_completed", "ssn=&%123-45-6789&%zz", "*/*;q=0.1", ""},
		{0, "/", "", "", ""},
		{1, "", "", "", ""},
		{2, "", "", "", ""},
		{0, "%2e%2e%2f", "fields=%2c&income_analytics=%54rue", "", ""},
		{0, "vr_error_451", "x;y", "text/html", "body"},
		{0, "svc_sk_test_abc%0d%0aX: y", "", `application/json; version="2019-10-15,`, ""},
		{0, "vr_fault_truncated", "", "", ""},
		{1, "vr_processing", "", "application/json; version=2022-08-01", `{"cancellation_reason":"other","cancellation_details":null}`},
		{1, "vr_completed", "a=b", "", `{"cancellation_reason":"no-match","123456789":"123-45-6789"}`},
		{2, "tp_default", "", "application/json; version=2023-10-30", `{"name":"123-45-6789","state":null}`},
		{2, "tp_error_500", "", "", `{"name":"\ud800"}`},
		{2, "123456789", "", "", "[[[[[[[["},
		{3, "qc_multiple_reports", "", "application/json; version=2023-10-30", ""},
		{3, "qc_", "", "application/*", ""},
		{4, "", "", "application/json; version=2022-08-01", lab.Session("000-12-3456")},
		{4, "", "", "", lab.Session("000-00-0451")},
		{4, "", "", "", lab.Session("123-45-6789")},
		{4, "/", "", "", `{"target":{"social_security_number":123456789}}`},
	} {
		f.Add(seed.operation, seed.id, seed.query, seed.accept, seed.body)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, operation byte, id, query, accept, body string) {
		z.reset(t)
		op := fuzzedOperations[int(operation)%len(fuzzedOperations)]
		if strings.ContainsAny(id+query, "?# \r\n") {
			return // not part of a path or a query
		}
		target := op.before + id + op.behind + "?" + query
		if op.method == "POST" {
			target = op.before + "?" + query
		}
		z.wantNoSecretInJournal(t, z.ask(t, request(op.method, target, lab.Key, body, "Accept: "+accept)))
	})
}

// Only a sandbox key opens a world, and no answer contains a key.
func FuzzAuthorization(f *testing.F) {
	for _, line := range []string{
		"Bearer " + lab.Key, "bearer  svc_sk_test_a", "Basic c3ZjOg==", "Bearer svc_sk_123456789", "Bearer svc_pk_test_a",
		"Bearer svc_sk_test_expired_x", "Bearer svc_sk_test_limited", "Bearer svc_sk_test_forbidden", "Bearer", "", "Bearer svc_sk_test_\xff",
		"Bearer svc_sk_test_" + strings.Repeat("a", 129), "Bearer svc_sk_test_a, Bearer svc_sk_test_b",
	} {
		f.Add(line)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, line string) {
		z.reset(t)
		r := z.ask(t, fmt.Sprintf("GET /verification-requests/vr_zero_income?fields=id HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n\r\n", line))
		if r == nil {
			return
		}
		z.wantNoSecretInJournal(t, r)
		if opened := r.Header.Get("Understudy-World") != ""; opened != (r.Status == 200) {
			t.Errorf("%q is answered %d, in a world: %t", line, r.Status, opened)
		}
	})
}

// Outside of the five operations, any target, method and header is answered with the error envelope.
func FuzzTargets(f *testing.F) {
	for _, seed := range []struct{ method, target, header string }{
		{"GET", "/", "X: y"}, {"GET", "//verification-requests//vr_completed", "Accept: *"}, {"OPTIONS", "*", "Origin: null"},
		{"GET", "http://other.example/_understudy/v1/worlds", "Host: x"}, {"POST", "/_understudy/v1/reset", "Sec-Fetch-Site: cross-site"},
		{"GET", "/_understudy/v1/journal?limit=123456789", "Authorization: Bearer svc_sk_123456789"},
		{"DELETE", "/_understudy/v1/worlds/..%2f", "X: y"}, {"PUT", "/tenant-properties/%00", "Content-Type: text/plain"},
		{"GET", "/verification-requests/a/b/c", "Transfer-Encoding: chunked"}, {"HEAD", "/_understudy/v1/worlds", "X: y"},
		{"GET", "/%5funderstudy/v1/worlds?after=svc_sk_test_a", "X: y"}, {"PATCH", "/verification-requests/123-45-6789", "X: y"},
	} {
		f.Add(seed.method, seed.target, seed.header)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, method, target, header string) {
		if strings.Contains(target, "stream") || strings.ContainsAny(target, " \r\n") {
			return // a stream of the journal never ends
		}
		if u, err := url.ParseRequestURI(target); err != nil || strings.HasPrefix(u.Path, "/_understudy") && !strings.HasPrefix(u.Path, lab.Control) {
			return // no request, or one for the console, which answers with pages
		}
		z.reset(t)
		z.wantNoSecretInJournal(t, z.ask(t, request(method, target, lab.Key, "", header), apitest.Document))
	})
}

// fuzzBodies sends bodies to the call of the control plane that a byte selects, in a world that stores one resource of each
// kind, and then checks that the world serves every operation.
func fuzzBodies(f *testing.F, calls []string, bodies ...string) {
	for i := range calls {
		for _, body := range bodies {
			f.Add(byte(i), body)
		}
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, call byte, body string) {
		z.reset(t)
		z.warm()
		method, path, _ := strings.Cut(calls[int(call)%len(calls)], " ")
		z.steer(t, method, path, body)
		z.live(t)
	})
}

// everyOperation has a request of each operation.
var everyOperation = []string{
	request("GET", "/verification-requests/vr_lifecycle?fields=state", lab.Key, ""),
	request("PUT", "/verification-requests/vr_action_required/cancel", lab.Key, lab.CancelOther),
	request("PUT", "/tenant-properties/tp_default", lab.Key, `{"name":"Quay"}`),
	request("GET", "/qualification-checks/qc_qualified", lab.Key, ""),
	request("POST", "/credentials/session", lab.Key, lab.Session("000-12-3456")),
}

// warm makes the world store a resource of each kind.
func (z *fuzzed) warm() {
	for _, wire := range everyOperation {
		if r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire))); err == nil {
			z.serve(r)
		}
	}
}

// live checks that each operation is answered. Faults of the world may answer with any body.
func (z *fuzzed) live(t testing.TB) {
	t.Helper()
	for _, wire := range everyOperation {
		z.ask(t, wire, apitest.Document, apitest.Headers, apitest.Challenge, apitest.RetryAfter)
	}
}

func FuzzClock(f *testing.F) {
	fuzzBodies(f, []string{"PUT clock", "POST clock/advance"},
		`{"now":"2025-02-01T00:00:00Z","frozen":false}`, `{"now":"9990-12-31T23:59:59.999999999+14:00"}`, `{"frozen":null}`,
		`{"by":"36h"}`, `{"by":"2562047h47m16s"}`, `{"by":"-1ns"}`, `{"by":"10000 days"}`, `{"by":1e400}`, `{}`, `[]`, "")
}

func FuzzFaults(f *testing.F) {
	fuzzBodies(f, []string{"POST faults"},
		`{"rule":{"on":"get","respond":{"status":500},"times":2},"expires_in":"10m"}`,
		`{"rule":{"on":"any","respond":{"status":429,"message":"\r\nX: y","headers":{"Retry-After":"1"}}}}`,
		`{"rule":{"on":"any","respond":{"status":418,"headers":{"X\r\nY":"a\r\nb"}}}}`,
		`{"rule":{"on":"any","fault":"connection-reset","every":5}}`, `{"rule":{"on":"cancel","fault":"dribble","calls":"2-3"}}`,
		`{"rule":{"on":"create","delay":{"lognormal":{"median":"80ms","sigma":1e308,"max":"2s"}},"probability":0.5}}`,
		`{"rule":{"on":"update","delay":{"between":["1s","0s"]}}}`, `{"rule":"on: any\nfault: empty"}`, `{"rule":null}`,
		`{"rule":{"on":"get","respond":{"status":451,"message":"svc_sk_test_abc 123-45-6789"}}}`)
}

func FuzzVerify(f *testing.F) {
	fuzzBodies(f, []string{"POST journal/verify"},
		`{"operation":"cancelVerificationRequest","match":{"body":{"cancellation_reason":"other"}},"times":{"exactly":1}}`,
		`{"match":{"method":"PUT","path":"/tenant-properties/tp_default/","status":"2xx","headers":{"Content-Type":{"contains":"json"}}}}`,
		`{"match":{"query":{"fields":{"matches":"^(a+)+$"}},"path":{"absent":true}},"times":{"at_least":2,"at_most":1}}`,
		`{"match":{"body":{"target":{"social_security_number":"000-12-3456"}}},"times":{"exactly":9}}`,
		`{"match":{"body":{"name":{"matches":"(a{1000}){1000}"}}}}`, `{"match":{"body":[1e400,null,"svc_sk_test_abc"]}}`,
		`{"match":{"status":418,"headers":{"Authorization":"svc_sk_test_abc"}}}`, `{"times":{"at_least":-1}}`, `{}`)
}

// Calls that create and change resources, and the dry run.
func FuzzResources(f *testing.F) {
	fuzzBodies(f, []string{
		"POST verification-requests", "PATCH verification-requests/vr_lifecycle", "POST tenant-properties", "PATCH tenant-properties/tp_default",
		"POST qualification-checks", "PATCH qualification-checks/qc_qualified", "POST scenarios/resolve",
	},
		`{"scenario":"completed","id":"vr_mine"}`, `{"id":"vr_123456789","type":"assets","metadata":{"a":"123-45-6789"}}`,
		`{"state":"completed","cancellation_reason":"other"}`, `{"created":"2025-01-15T09:00:00+01:00","reports":null}`,
		`{"id":"tp_mine","name":"Quay","state":null,"status":"\u0000"}`, `{"id":"a/b%2f","name":""}`,
		`{"kind":"guarantor","metadata":null,"property_details":{"rent":"99999999999999999999.99"}}`, `{"rent":"-1.005"}`,
		`{"method":"GET","path":"/verification-requests/vr_flaky"}`, `{"method":"PUT","path":"/tenant-properties/%2f?x","body":{"name":1}}`,
		`{"method":"POST","path":"/credentials/session","body":{}}`, `{"method":"","path":"*"}`, `{"reports":[{"pay":{"base":1e999}}]}`)
}

// Every call of the control plane that the document has, with any id, query and body: the answer is one that the document has.
func FuzzCalls(f *testing.F) {
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		f.Fatal(err)
	}
	var calls []string
	for _, path := range slices.Sorted(maps.Keys(doc.Paths.Map())) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths.Value(path).Operations())) {
			if !strings.HasPrefix(path, lab.Control) || strings.HasSuffix(path, "/stream") {
				continue // a stream of the journal never ends
			}
			seed := ""
			if body := doc.Paths.Value(path).GetOperation(method).RequestBody; body != nil && body.Value.Content["application/json"] != nil {
				example, err := json.Marshal(body.Value.Content["application/json"].Example)
				if err != nil {
					f.Fatal(err)
				}
				seed = string(example)
			}
			for _, id := range []string{lab.IdFor(path), "fault-1", "mine"} {
				f.Add(byte(len(calls)), id, "limit=1", seed)
			}
			calls = append(calls, method+" "+path)
		}
	}
	inPath := regexp.MustCompile(`\{\w+\}`)
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, call byte, id, query, body string) {
		method, path, _ := strings.Cut(calls[int(call)%len(calls)], " ")
		if strings.ContainsAny(query, "# \r\n") || id == "stream" {
			return // not part of a query
		}
		z.reset(t)
		z.warm()
		z.ask(t, request(method, inPath.ReplaceAllLiteralString(path, url.PathEscape(id))+"?"+query, lab.Key, body))
	})
}

// The extensions, with any id, query, header and body: each answer is one that the document has, and none is an internal error.
func FuzzExtensions(f *testing.F) {
	operations := slices.DeleteFunc(api.Operations(), func(o api.Operation) bool { return !o.Extension })
	body := lab.Session("000-12-3456")
	for i := range operations {
		for _, seed := range [][4]string{
			{"vr_completed", "", "", body}, {"vr_processing", "state=completed&limit=1&offset=1", "sync", `{"report_id":"rp_1"}`},
			{"vr_lifecycle", "q=%00&limit=100", "async", strings.Replace(body, "{", `{"documents":[{"filename":"a","content":"MTIzLTQ1LTY3ODk="}],"loan_id":"123-45-6789",`, 1)},
			{"%2f", "fields=id,state&offset=-1", "x", strings.Replace(body, "{", `{"request_parameters":{"employer_filter":"previous-employers","verification_methods":{"smart_outreach":{"enabled":true}}},`, 1)},
			{"vr_nobody", "limit=1e9&state=other", "", `{"documents":[null,{"content":"="}],"request_parameters":{"verification_methods":{"instant":null}}}`},
		} {
			f.Add(byte(i), seed[0], seed[1], seed[2], seed[3])
		}
	}
	z := newFuzzed(f, emulator.WithExtended())
	f.Fuzz(func(t *testing.T, operation byte, id, query, sync, body string) {
		if strings.ContainsAny(query, "# \r\n") {
			return // not part of a query
		}
		op := operations[int(operation)%len(operations)]
		z.reset(t)
		z.warm()
		wire := request(op.Method, strings.Replace(op.Path, ":id", url.PathEscape(id), 1)+"?"+query, lab.Key, body)
		if !strings.ContainsAny(sync, "\r\n") {
			wire = strings.Replace(wire, "\r\n", "\r\nRequest-Sync: "+sync+"\r\n", 1)
		}
		if r := z.ask(t, wire); r != nil && (r.Header.Get("Understudy-Extension") != op.Name && id != "" || r.Status == 500) {
			t.Errorf("%s: %d %q", op.Name, r.Status, r.Header)
		}
		z.ask(t, request("GET", "/verification-requests?limit=2", lab.Key, ""))
	})
}

// Filters of the journal and pages of the other lists.
func FuzzLists(f *testing.F) {
	lists := []string{"journal", "worlds", "scenarios", "verification-requests", "tenant-properties", "qualification-checks", "credentials-sessions"}
	for i := range lists {
		for _, query := range []string{
			"operation=getVerificationRequest&status=2xx&limit=1", "path=/verification-requests/*&since=2025-01-15T09:30:00Z",
			"path=[%5c&status=0", "path=**************a&limit=1000", "operation=svc_sk_test_abc&limit=0", "since=01KADE3V9HGWMQ1PWTXV2M8JVE&after=x",
			"status=-0&since=123-45-6789", "after=%00&limit=99999999999999999999", "world=123456789", "world=..%2f&%zz",
		} {
			f.Add(byte(i), query)
		}
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, list byte, query string) {
		if strings.ContainsAny(query, "# \r\n") {
			return // not part of a query
		}
		z.reset(t)
		z.warm()
		z.steer(t, "GET", lists[int(list)%len(lists)]+"?"+query, "")
	})
}

// A scenario file is either accepted and served, or refused.
func FuzzScenarios(f *testing.F) {
	const vr = "name: mine\ntitle: Mine\nmagic: {verification_request: vr_mine, ssn: 000-00-9999}\n"
	for _, text := range []string{
		lab.OwnLifecycle, vr, vr + "rules: [{on: any, respond: {status: 418, message: \"\\r\\n\", headers: {X: \"a\\tb\"}}}]\n",
		vr + "verification_request: {type: employment-income, timeline: [{state: completed}]}\nreports: [{pay: {frequency: hourly, base: 12.34, paystubs: 104}}]\n",
		vr + "reports: [{employee: {status_detail: retired, hired: 420 days ago}, set: {respondent: null, employer: {name: \"123-45-6789\"}}}]\n",
		"name: mine\ntitle: Mine\nmagic: {tenant_property: tp_mine}\nrules: [{on: update, calls: 2-3, fault: truncated}]\n",
		"name: mine\ntitle: Mine\nrules: [{on: any, probability: 0.5, delay: {fixed: 1s}}]\n",
		"name: mine\ntitle: svc_sk_test_abc\nmatrix: {a: [1, 2]}\n", "a: &a [*a]\n", "{}", "name: \xff",
	} {
		f.Add(text)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, text string) {
		z.reset(t)
		if z.steer(t, "PUT", "scenarios/mine", text).Status != 200 {
			return
		}
		z.live(t)
		loose := []apitest.Check{apitest.Document, apitest.Headers, apitest.Challenge, apitest.RetryAfter} // a rule may answer with anything
		z.ask(t, request("GET", "/verification-requests/vr_mine?income_analytics=true", lab.Key, ""), loose...)
		z.ask(t, request("POST", "/credentials/session", lab.Key, lab.Session("000-00-9999")), loose...)
		z.steer(t, "GET", "verification-requests/vr_mine", "")
	})
}
