package emulator_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

// fuzzBodies sends bodies to calls of the control plane, of which a byte chooses one, in a world that remembers a little,
// and then sees that the world serves on.
func fuzzBodies(f *testing.F, calls []string, bodies ...string) {
	for i := range calls {
		for _, body := range bodies {
			f.Add(byte(i), body)
		}
	}
	z := newFuzzed(f)
	f.Fuzz(func(t *testing.T, call byte, body string) {
		z.again(t)
		z.warm()
		method, path, _ := strings.Cut(calls[int(call)%len(calls)], " ")
		z.steer(t, method, path, body)
		z.live(t)
	})
}

// everyOperation asks each operation once.
var everyOperation = []string{
	request("GET", "/verification-requests/vr_lifecycle?fields=state", key, ""),
	request("PUT", "/verification-requests/vr_action_required/cancel", key, cancelOther),
	request("PUT", "/tenant-properties/tp_default", key, `{"name":"Quay"}`),
	request("GET", "/qualification-checks/qc_qualified", key, ""),
	request("POST", "/credentials/session", key, session("000-12-3456")),
}

// warm has the world remember something of each kind.
func (z *fuzzed) warm() {
	for _, wire := range everyOperation {
		if r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(wire))); err == nil {
			z.serve(r)
		}
	}
}

// live sees that each operation is served. Faults of the world may answer, with what they like.
func (z *fuzzed) live(t testing.TB) {
	t.Helper()
	for _, wire := range everyOperation {
		z.ask(t, wire, apitest.Document, apitest.Headers, apitest.Challenge, apitest.RetryAfter)
	}
}

// Contract 6, clock.
func FuzzClock(f *testing.F) {
	fuzzBodies(f, []string{"PUT clock", "POST clock/advance"},
		`{"now":"2025-02-01T00:00:00Z","frozen":false}`, `{"now":"9990-12-31T23:59:59.999999999+14:00"}`, `{"frozen":null}`,
		`{"by":"36h"}`, `{"by":"2562047h47m16s"}`, `{"by":"-1ns"}`, `{"by":"10000 days"}`, `{"by":1e400}`, `{}`, `[]`, "")
}

// Contract 7, rules, which POST faults takes (contract 6).
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

// Contract 6, journal/verify.
func FuzzVerify(f *testing.F) {
	fuzzBodies(f, []string{"POST journal/verify"},
		`{"operation":"cancelVerificationRequest","match":{"body":{"cancellation_reason":"other"}},"times":{"exactly":1}}`,
		`{"match":{"method":"PUT","path":"/tenant-properties/tp_default/","status":"2xx","headers":{"Content-Type":{"contains":"json"}}}}`,
		`{"match":{"query":{"fields":{"matches":"^(a+)+$"}},"path":{"absent":true}},"times":{"at_least":2,"at_most":1}}`,
		`{"match":{"body":{"target":{"social_security_number":"000-12-3456"}}},"times":{"exactly":9}}`,
		`{"match":{"body":{"name":{"matches":"(a{1000}){1000}"}}}}`, `{"match":{"body":[1e400,null,"svc_sk_test_abc"]}}`,
		`{"match":{"status":418,"headers":{"Authorization":"svc_sk_test_abc"}}}`, `{"times":{"at_least":-1}}`, `{}`)
}

// Contract 6, what makes and changes resources, and the dry run.
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

// Contract 6: the filters of the journal and the pages of the other lists.
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
			return // it is not of the query
		}
		z.again(t)
		z.warm()
		z.steer(t, "GET", lists[int(list)%len(lists)]+"?"+query, "")
	})
}

// Contract 7: what is taken as a scenario is served, and what is not is refused.
func FuzzScenarios(f *testing.F) {
	const vr = "name: mine\ntitle: Mine\nmagic: {verification_request: vr_mine, ssn: 000-00-9999}\n"
	for _, text := range []string{
		ownLifecycle, vr, vr + "rules: [{on: any, respond: {status: 418, message: \"\\r\\n\", headers: {X: \"a\\tb\"}}}]\n",
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
		z.again(t)
		if z.steer(t, "PUT", "scenarios/mine", text).Status != 200 {
			return
		}
		z.live(t)
		loose := []apitest.Check{apitest.Document, apitest.Headers, apitest.Challenge, apitest.RetryAfter} // a rule answers as it likes
		z.ask(t, request("GET", "/verification-requests/vr_mine?income_analytics=true", key, ""), loose...)
		z.ask(t, request("POST", "/credentials/session", key, session("000-00-9999")), loose...)
		z.steer(t, "GET", "verification-requests/vr_mine", "")
	})
}
