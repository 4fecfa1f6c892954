package emulator_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// fuzzedOperations are the five operations (spec 4): the method, and what stands before and behind the id.
var fuzzedOperations = []struct{ method, before, behind string }{
	{"GET", "/verification-requests/", ""},
	{"PUT", "/verification-requests/", "/cancel"},
	{"PUT", "/tenant-properties/", ""},
	{"GET", "/qualification-checks/", ""},
	{"POST", "/credentials/session", ""}, // and no id
}

// Spec 4: whatever is sent, the answer is one that the operation lists.
func FuzzOperations(f *testing.F) {
	for _, seed := range []struct {
		operation               byte
		id, query, accept, body string
	}{
		{0, "vr_completed", "fields=id,state&income_analytics=1", "application/json; version=2019-10-15", ""},
		{0, "vr_completed", "fields=123456789&ssn=123-45-6789&%zz", "*/*;q=0.1", ""},
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
		{4, "", "", "application/json; version=2022-08-01", session("000-12-3456")},
		{4, "", "", "", session("000-00-0451")},
		{4, "", "", "", session("123-45-6789")},
		{4, "/", "", "", `{"target":{"social_security_number":123456789}}`},
	} {
		f.Add(seed.operation, seed.id, seed.query, seed.accept, seed.body)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, operation byte, id, query, accept, body string) {
		z.again(t)
		op := fuzzedOperations[int(operation)%len(fuzzedOperations)]
		if strings.ContainsAny(id+query, "?# \r\n") {
			return // they are not of the path, or of the query
		}
		target := op.before + id + op.behind + "?" + query
		if op.method == "POST" {
			target = op.before + "?" + query
		}
		z.wantNoSecretKept(t, z.ask(t, request(op.method, target, key, body, "Accept: "+accept)))
	})
}

// Contract 3: what is no sandbox key opens no world, and no key is ever told.
func FuzzAuthorization(f *testing.F) {
	for _, line := range []string{
		"Bearer " + key, "bearer  svc_sk_test_a", "Basic c3ZjOg==", "Bearer svc_sk_123456789", "Bearer svc_pk_test_a",
		"Bearer svc_sk_test_expired_x", "Bearer svc_sk_test_limited", "Bearer svc_sk_test_forbidden", "Bearer", "", "Bearer svc_sk_test_\xff",
		"Bearer svc_sk_test_" + strings.Repeat("a", 129), "Bearer svc_sk_test_a, Bearer svc_sk_test_b",
	} {
		f.Add(line)
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, line string) {
		z.again(t)
		r := z.ask(t, fmt.Sprintf("GET /verification-requests/vr_zero_income?fields=id HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n\r\n", line))
		if r == nil {
			return
		}
		z.wantNoSecretKept(t, r)
		if opened := r.Header.Get("Understudy-World") != ""; opened != (r.Status == 200) {
			t.Errorf("%q is answered %d, in a world: %t", line, r.Status, opened)
		}
	})
}

// A target, method and headers that nobody lists: outside of the operations the answer has the envelope still.
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
			return // a stream of the journal has no end
		}
		if u, err := url.ParseRequestURI(target); err != nil || strings.HasPrefix(u.Path, "/_understudy") && !strings.HasPrefix(u.Path, control) {
			return // it is no request, or for the console, which has pages for people
		}
		z.again(t)
		z.wantNoSecretKept(t, z.ask(t, request(method, target, key, "", header), apitest.Document))
	})
}

func FuzzParseLimit(f *testing.F) {
	f.Add("10/s")
	f.Add("5/10s")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := emulator.ParseLimit(text)
		if err != nil {
			return
		}
		if again, err := emulator.ParseLimit(l.String()); err != nil || again != l {
			t.Errorf("%q reads as %v, which reads as %v, %v", text, l, again, err)
		}
	})
}
