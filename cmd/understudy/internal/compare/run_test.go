package compare

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// sandbox is an upstream for tests: an emulator whose answer to one path is altered.
type sandbox struct {
	*emulator.Emulator
	mu    sync.Mutex // a broken connection may outlast its comparison
	path  string
	alter func(*httptest.ResponseRecorder)
}

func (s *sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	path, alter := s.path, s.alter
	s.mu.Unlock()
	if r.URL.Path != path {
		s.Emulator.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	s.Emulator.ServeHTTP(answer, r)
	alter(answer)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes()) // the comparison reports it
}

// bench compares a sandbox with one emulator, several times.
type bench struct {
	t        *testing.T
	sandbox  *sandbox
	upstream *upstream // which does not wait
	own      *own
}

func newBench(t *testing.T) bench {
	t.Helper()
	e, err := emulator.New()
	commandtest.NoError(t, err)
	e.Shutdown() // so that no rule delays an answer
	s := &sandbox{Emulator: e}
	server := httptest.NewServer(s)
	own, err := newOwn()
	commandtest.NoError(t, err)
	t.Cleanup(func() {
		commandtest.NoError(t, own.emulator.Close())
		server.Close()
		commandtest.NoError(t, e.Close())
	})
	u := newUpstream(server.URL, commandtest.Key, server.Client().Transport)
	u.pause = 0
	return bench{t, s, u, own}
}

// run compares the answers to requests, while the answer to a path is altered.
func (b bench) run(path string, alter func(*httptest.ResponseRecorder), ignore []string, requests ...Request) Report {
	b.t.Helper()
	b.sandbox.mu.Lock()
	b.sandbox.path, b.sandbox.alter = path, alter
	b.sandbox.mu.Unlock()
	report, err := b.own.compare(b.t.Context(), options{b.upstream, requests, ignore})
	commandtest.NoError(b.t, err)
	if len(report.Requests) != len(requests) {
		b.t.Errorf("%d results for %d requests", len(report.Requests), len(requests))
	}
	return report
}

func parse(t *testing.T, target string) Request {
	t.Helper()
	request, err := parseArgument(target)
	commandtest.NoError(t, err)
	return request
}

// body alters the JSON of an answer.
func body(change func(map[string]any)) func(*httptest.ResponseRecorder) {
	return func(answer *httptest.ResponseRecorder) {
		var value map[string]any
		if err := json.Unmarshal(answer.Body.Bytes(), &value); err != nil {
			panic(err)
		}
		change(value)
		text, err := json.Marshal(value)
		if err != nil {
			panic(err)
		}
		answer.Body.Reset()
		answer.Body.Write(text)
	}
}

func text(text string) func(*httptest.ResponseRecorder) {
	return func(answer *httptest.ResponseRecorder) {
		answer.Body.Reset()
		answer.Body.WriteString(text)
	}
}

func setHeader(name, value string) func(*httptest.ResponseRecorder) {
	return func(answer *httptest.ResponseRecorder) {
		answer.Header().Set(name, value)
		if value == "" {
			answer.Header().Del(name)
		}
	}
}

func setStatus(status int) func(*httptest.ResponseRecorder) {
	return func(answer *httptest.ResponseRecorder) { answer.Code = status }
}

// set alters the value at a path of keys, in all items of arrays.
func set(path string, value any) func(*httptest.ResponseRecorder) {
	var change func(any, []string)
	change = func(in any, keys []string) {
		switch in := in.(type) {
		case []any:
			for _, item := range in {
				change(item, keys)
			}
		case map[string]any:
			if len(keys) > 1 {
				change(in[keys[0]], keys[1:])
				return
			}
			if in[keys[0]] = value; value == deleted {
				delete(in, keys[0])
			}
		}
	}
	return body(func(in map[string]any) { change(in, strings.Split(path, "/")) })
}

// deleted is the value of a key that set deletes.
var deleted = any("\x00")

// ugly matches the ids whose answers are broken, or by design none of the document.
var ugly = regexp.MustCompile(`^vr_(fault|outage|limited|wrong)_`)

// catalogue returns a read of every magic id, in all forms of its query, but of the ugly ones.
func catalogue(t *testing.T) (all []Request) {
	t.Helper()
	built, err := scenarios.Load()
	commandtest.NoError(t, err)
	for _, s := range built.All() {
		for _, value := range s.MagicValues() {
			queries := []string{"?income_analytics=true", "?fields=id,state", ""}
			switch {
			case ugly.MatchString(value.Value), value.Kind == scenarios.TenantPropertyID:
				continue
			case value.Kind == scenarios.QualificationCheckID:
				queries = []string{""}
			case value.Kind != scenarios.VerificationRequestID:
				continue
			}
			for _, query := range queries {
				all = append(all, parse(t, parse(t, value.Value).target()+query))
			}
		}
	}
	if len(all) < 300 {
		t.Fatalf("the catalogue has %d reads", len(all))
	}
	return all
}

// The emulator itself does not drift, in all of its catalogue.
func TestRunIsClean(t *testing.T) {
	t.Parallel()
	report := newBench(t).run("", nil, nil, catalogue(t)...)
	for _, result := range report.Requests {
		for _, line := range lines(result) {
			t.Errorf("%s: %s", result.Request, line)
		}
	}
	if report.Findings != 0 || report.Ignored != 0 {
		t.Errorf("%d findings, %d ignored", report.Findings, report.Ignored)
	}
}

// Each kind of drift is found, and nothing else. [TestRunIsClean] has the same answers without it.
func TestRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const (
		completed = "/verification-requests/vr_completed"
		decimal   = `^-?(0|[1-9]\d*)\.\d{2}$`
	)
	for name, tt := range map[string]struct {
		path  string
		alter func(*httptest.ResponseRecorder)
		want  []string // kind, path, count and text
	}{
		"unknown key": {completed, set("reports/paystubs/memo", "x"),
			[]string{"unknown key reports.*.paystubs.*.memo: not in the document"}},
		"unknown key that is no name": {completed, set("reports/employee/123-45-6789", "x"),
			[]string{"unknown key reports.*.employee.(unnamed): not in the document"}},
		"missing key": {completed, set("reports/employee/email", deleted),
			[]string{"missing key reports.*.employee.email: the document requires it"}},
		"type": {completed, set("reports/paystubs/gross", 1.5), []string{"type reports.*.paystubs.*.gross: number, not null or string"}},
		"type, null": {completed, set("reports/employer/name", nil),
			[]string{"type reports.*.employer.name: null, not string"}},
		"type, an object": {completed, set("reports/respondent", "Ada"),
			[]string{"type reports.*.respondent: string, not null or object"}},
		"enumeration, a word": {completed, set("reports/employee/status", "on-strike"),
			[]string{`enumeration reports.*.employee.status: "on-strike" is not in the enumeration`}},
		"enumeration, a name": {completed, set("reports/pricing_tier", "Ada Lovelace"),
			[]string{"enumeration reports.*.pricing_tier: a value that is not in the enumeration"}},
		"format of an amount": {completed, set("reports/employee/salary/gross_pay", "12"),
			[]string{"format reports.*.employee.salary.gross_pay: a number without decimals, not " + decimal}},
		"format of a date": {completed, set("reports/employee/hired_date", "01/02/2024"),
			[]string{"format reports.*.employee.hired_date: a text that is no number and no date, not ^\\d{4}-\\d{2}-\\d{2}$"}},
		"format of a time": {completed, set("reports/created", "2025-01-15T09:00:00Z"),
			[]string{`format reports.*.created: a date and time in UTC, not ^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$`}},
		"format of a number that is not obfuscated": {completed, set("reports/employee/social_security_number", "123-45-6789"),
			[]string{`format reports.*.employee.social_security_number: a text that is no number and no date, not ^\*\*\*-\*\*-\d{4}$`}},
		"status":               {completed, setStatus(http.StatusTeapot), []string{"status status: 418 is not a status of getVerificationRequest"}},
		"status of a redirect": {completed, setStatus(http.StatusFound), []string{"status status: 302 is not a status of getVerificationRequest"}},
		"message is missing": {"/verification-requests/vr_error_451", text(`{"error":{}}`),
			[]string{"missing key error.message: the document requires it"}},
		"header, another media type": {completed, setHeader("Content-Type", "text/html"),
			[]string{"header header.content-type: missing, or not application/json"}},
		"header, no challenge": {"/verification-requests/vr_error_401", setHeader("WWW-Authenticate", ""),
			[]string{"header header.www-authenticate: missing"}},
		"header, a date to retry after": {"/verification-requests/vr_error_429", setHeader("Retry-After", "Wed, 15 Jan 2025 09:00:00 GMT"),
			[]string{"header header.retry-after: not an integer"}},
		"body is not JSON":     {completed, text("<p>Ada</p>"), []string{"body body: not JSON with each key once, in UTF-8"}},
		"body has a key twice": {completed, text(`{"id":"a","id":"b"}`), []string{"body body: not JSON with each key once, in UTF-8"}},
		"body is null":         {completed, text(`null`), []string{"type body: null, not object"}},
		"body is too long":     {completed, text(strings.Repeat(" ", maxBody+1)), []string{"body body: longer than 16 MiB"}},
		"no answer":            {completed, func(*httptest.ResponseRecorder) { panic(http.ErrAbortHandler) }, []string{"no answer body: the connection broke off, or what it carried is not HTTP"}},
		"differs in decimals":  {completed, set("reports/paystubs/pay_period_hours", "80"), []string{"differs from ours reports.*.paystubs.*.pay_period_hours: a number without decimals; ours is a number with two decimals, or null"}},
		"differs in null": {"/verification-requests/vr_processing", set("reports", []any{}),
			[]string{"differs from ours reports: array; ours is null"}},
		"differs in null by type": {"/verification-requests/vr_employment", set("reports/paystubs", []any{}),
			[]string{"differs from ours reports.*.paystubs: array; ours is null"}},
		"differs in a value": {"/qualification-checks/qc_guarantor_qualified", set("result/monthly_gross_income", nil),
			[]string{"differs from ours result.monthly_gross_income: null; ours is a number with two decimals"}},
		"no difference in what depends on the person": {completed, set("target/contact_email", nil), nil},
		"no difference in a header beside them":       {completed, setHeader("Via", "1.1 proxy"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			report := b.run(tt.path, tt.alter, nil, parse(t, tt.path), parse(t, "vr_multiple_reports"))
			if diff := cmp.Diff(append([]string{}, tt.want...), lines(report.Requests[0])); diff != "" {
				t.Error(diff)
			}
			if len(report.Requests[1].Findings) > 0 {
				t.Errorf("an answer that is not altered: %s", lines(report.Requests[1]))
			}
		})
	}
}

// lines returns the findings of a result in short.
func lines(result Result) []string {
	all := []string{}
	for _, f := range result.Findings {
		all = append(all, fmt.Sprintf("%s %s: %s", f.Kind, f.Path, f.Text))
	}
	return all
}

func TestRunBrokenConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, id := range []string{"vr_fault_reset", "vr_fault_empty", "vr_fault_truncated", "vr_fault_malformed"} {
		result := b.run("", nil, nil, parse(t, id)).Requests[0]
		if len(result.Findings) != 1 || result.Findings[0].Kind != "no answer" && result.Findings[0].Kind != "body" {
			t.Errorf("%s: %s", id, lines(result))
		}
	}
}

// With fields, the keys are those that fields names.
func TestRunFields(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, tt := range map[string]struct {
		alter func(*httptest.ResponseRecorder)
		want  []string
	}{
		"missing":  {set("state", deleted), []string{"differs from ours state: missing; ours has it"}},
		"unnamed":  {set("loan_id", nil), []string{"differs from ours loan_id: a key that ours does not have"}},
		"the same": {set("state", "completed"), []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			report := b.run("/verification-requests/vr_completed", tt.alter, nil, parse(t, "/verification-requests/vr_completed?fields=id,state"))
			if diff := cmp.Diff(tt.want, lines(report.Requests[0])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A report has no value of an answer and no key of the user, wherever they are.
func TestRunHasNoValues(t *testing.T) {
	t.Parallel()
	const secret = "Zebulon Quartermain 987-65-4320"
	var replace func(any) any
	replace = func(value any) any {
		switch value := value.(type) {
		case map[string]any:
			for key, inner := range value {
				value[key] = replace(inner)
			}
			value["zebulon@example.com"], value["987-65-4320"] = secret, secret
			return value
		case []any:
			for i := range value {
				value[i] = replace(value[i])
			}
			return value
		}
		return secret
	}
	b := newBench(t)
	for _, path := range []string{"/verification-requests/vr_completed", "/qualification-checks/qc_qualified", "/verification-requests/vr_error_404"} {
		report := b.run(path, func(answer *httptest.ResponseRecorder) {
			body(func(value map[string]any) {
				replace(value)
				value["metadata"] = map[string]any{"zebulon": 987654320}
			})(answer)
			answer.Header().Set("Content-Type", `application/json; name="`+secret+`"`)
			answer.Header().Set("X-Person", secret)
			answer.Header().Set("WWW-Authenticate", secret)
		}, nil, parse(t, path))
		shown, err := json.Marshal(report)
		commandtest.NoError(t, err)
		if report.Findings == 0 {
			t.Errorf("%s has no findings", path)
		}
		for _, part := range []string{"ebulon", "Quartermain", "987", "4320"} {
			if strings.Contains(string(shown), part) {
				t.Errorf("the report of %s has %s: %s", path, part, shown)
			}
		}
	}
}
