package decode_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// base is a valid scenario, to which the functions below add one key.
const base = "name: a\ntitle: A title\nmagic: {verification_request: vr_a}\n"

func request(text string) string { return base + "verification_request:\n  " + text + "\n" }
func step(text string) string    { return request("timeline:\n    - state: processing\n    - " + text) }
func rule(text string) string    { return base + "rules:\n  - " + text + "\n" }
func report(text string) string  { return base + "reports:\n  - " + text + "\n" }

// A value of another kind, an unknown key or word, and a missing value have one problem, which names the key and shows the right form.
func TestDecodeProblem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"scalar for after":                   {step("{state: completed, after: 10m}"), `7:33: after takes a mapping, not "10m": write after: {elapsed: 10m}`},
		"number for after":                   {step("{state: completed, after: 2}"), `7:33: after takes a mapping, not "2": write after: {reads: 2}`},
		"list for after":                     {step("{state: completed, after: [reads]}"), "7:33: after takes a mapping, not a list: write after: {elapsed: 10m}"},
		"text for reads":                     {step("{state: completed, after: {reads: two}}"), `7:41: reads takes a whole number, not "two": write reads: 2`},
		"yes for true":                       {step("{state: completed, after: {manual: yes}}"), `7:42: manual takes true or false, not "yes": write manual: true`},
		"scalar for a step":                  {step("completed"), `7:7: item 2 of timeline takes a mapping, not "completed": write {state: completed}`},
		"state misspelled":                   {step("{state: procesing, after: {reads: 1}}"), `7:15: unknown value "procesing" for state: did you mean processing?`},
		"state that does not exist":          {step("{state: done, after: {reads: 1}}"), `7:15: unknown value "done" for state: must be one of pending-approval, action-required, invalid, processing, completed, canceled`},
		"scalar for timeline":                {request("timeline: pending"), `5:13: timeline takes a list, not "pending": write timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}]`},
		"mapping for timeline":               {request("timeline: {state: pending-approval}"), "5:13: timeline takes a list, not a mapping: write timeline: [{state: pending-approval}, {state: processing, after: {reads: 2}}]"},
		"type with an underscore":            {request("type: employment_income"), `5:9: unknown value "employment_income" for type: did you mean employment-income?`},
		"type without value":                 {request("type:"), "5:9: type needs a value: write type: employment-income"},
		"list for metadata":                  {request("metadata: [a]"), `5:13: metadata takes a mapping, not a list: write metadata: {case: "7"}`},
		"mapping for documents":              {request("documents: {a: b}"), "5:14: documents takes a list, not a mapping: write documents: [authorization.pdf]"},
		"unknown field in set":               {request("set: {unknown: 1}"), `5:9: unknown field "unknown" in set: the fields here are created, date_of_completion, type, use_case, permissible_purpose, price, turnaround_time, branch_id, loan_id, additional_information, cancellation_reason, cancellation_details, documents, metadata, request_parameters, reseller_originating_party, target, such as set: {loan_id: null}`},
		"scalar for set":                     {request("set: loan"), `5:8: set takes a mapping, not "loan": write set: {loan_id: null}`},
		"scalar for respond":                 {rule("{on: get, respond: 404}"), `5:24: respond takes a mapping, not "404": write respond: {status: 404}`},
		"text for respond":                   {rule("{on: get, respond: not found}"), `5:24: respond takes a mapping, not "not found": write respond: {status: 500}`},
		"unknown key in respond":             {rule("{on: get, respond: {code: 404}}"), `5:25: unknown key "code" in respond: the keys here are status, message, headers, dates, content_type, body, omit, such as respond: {status: 500}`},
		"omission of what frames the answer": {rule("{on: get, respond: {status: 500, omit: [Content-Length]}}"), `5:45: unknown value "Content-Length" for omit: must be one of Content-Type, Date, Retry-After, WWW-Authenticate`},
		"status in words":                    {rule("{on: get, respond: {status: not-found}}"), `5:33: status takes a whole number, not "not-found": write status: 500`},
		"list for headers":                   {rule("{on: get, respond: {status: 429, headers: [Retry-After]}}"), `5:47: headers takes a mapping, not a list: write headers: {Retry-After: "1"}`},
		"scalar for delay":                   {rule("{on: get, delay: 500ms}"), `5:22: delay takes a mapping, not "500ms": write delay: {fixed: 500ms}`},
		"scalar for between":                 {rule("{on: get, delay: {between: 1s}}"), `5:32: between takes a list, not "1s": write between: [50ms, 250ms]`},
		"one end of between":                 {rule("{on: get, between: 2h, respond: {status: 500}}"), `5:24: between takes a list, not "2h": write between: [2h, 3h]`},
		"list for on":                        {rule("{on: [get], respond: {status: 500}}"), "5:10: on takes one value, not a list: write on: get"},
		"operation that does not exist":      {rule("{on: read, respond: {status: 500}}"), `5:10: unknown value "read" for on: must be one of any, get, cancel, update, create, list, report, reverify, any verification_request, get verification_request, cancel verification_request, create verification_request, list verification_request, report verification_request, reverify verification_request, any qualification_check, get qualification_check, any tenant_property, update tenant_property, any credentials_session, create credentials_session, any company, list company, webhook`},
		"kind with a dash":                   {rule("{on: get verification-request, respond: {status: 500}}"), `5:10: unknown value "get verification-request" for on: did you mean get verification_request?`},
		"operation that the kind has not":    {rule("{on: cancel qualification_check, respond: {status: 500}}"), `5:10: unknown value "cancel qualification_check" for on: must be one of any, get, cancel, update, create, list, report, reverify, any verification_request, get verification_request, cancel verification_request, create verification_request, list verification_request, report verification_request, reverify verification_request, any qualification_check, get qualification_check, any tenant_property, update tenant_property, any credentials_session, create credentials_session, any company, list company, webhook`},
		"scalar for a rule":                  {rule("get"), `5:5: item 1 of rules takes a mapping, not "get": write {on: get}`},
		"key misspelled in a rule":           {rule("{on: get, repsond: {status: 500}}"), `5:15: unknown key "repsond": did you mean respond?`},
		"times zero":                         {rule("{on: get, times: 0, fault: empty}"), "5:22: times must not be 0, which means the same as no value: leave it out, or write times: 3"},
		"times in words":                     {rule("{on: get, times: once, fault: empty}"), `5:22: times takes a whole number, not "once": write times: 3`},
		"list for calls":                     {rule("{on: get, calls: [1, 2], fault: empty}"), "5:22: calls takes one value, not a list: write calls: 2-3"},
		"fault that does not exist":          {rule("{on: get, fault: timeout}"), `5:22: unknown value "timeout" for fault: must be one of connection-reset, empty, truncated, malformed, dribble`},
		"mapping for rules":                  {base + "rules:\n  on: get\n  fault: empty\n", "5:3: rules takes a list, not a mapping: write rules: [{on: cancel, respond: {status: 500}}]"},
		"scalar for pay":                     {report("pay: 62000"), `5:10: pay takes a mapping, not "62000": write pay: {base: 62000}`},
		"list for positions":                 {report("employee: {positions: [a]}"), "5:27: positions takes one value, not a list: write positions: 2"},
		"number for reports":                 {base + "reports: 2\n", `4:10: reports takes a list, not "2": write reports: [{employee: {status_detail: part-time}, pay: {rate: 21.50}}]`},
		"mapping for reports":                {base + "reports:\n  pay: {base: 62000}\n", "5:3: reports takes a list, not a mapping: write reports: [{employee: {status_detail: part-time}, pay: {rate: 21.50}}]"},
		"list for matrix":                    {"matrix: [a, b]\nname: a\ntitle: A title\nmagic: {verification_request: vr_a}\n", "1:9: matrix takes a mapping, not a list: write matrix: {state: [processing, completed]}"},
		"mapping for values of matrix":       {"matrix: {n: {a: 1}}\nname: a\ntitle: A title\nmagic: {verification_request: vr_a}\n", "1:13: n takes a list, not a mapping: write matrix: {state: [processing, completed]}"},
		"scalar for magic":                   {strings.Replace(base, "{verification_request: vr_a}", "vr_a", 1), `3:8: magic takes a mapping, not "vr_a": write magic: {verification_request: vr_a}`},
		"unknown key in magic":               {strings.Replace(base, "verification_request:", "id:", 1), `3:9: unknown key "id" in magic: the keys here are verification_request, tenant_property, qualification_check, ssn, api_key, such as magic: {verification_request: vr_slow_approval}`},
		"key misspelled":                     {strings.Replace(base, "title", "titel", 1), `2:1: unknown key "titel": did you mean title?`},
		"key that does not exist":            {strings.Replace(base, "title:", "description: A\ntitle:", 1), `2:1: unknown key "description": the keys here are name, title, matrix, magic, replaces, verification_request, qualification_check, tenant_property, person, company, reports, rules, webhooks, grease, session_flow, account, $schema`},
		"first name that is empty":           {base + `person: {first_name: ""}` + "\n", `4:22: first_name must not be empty, which means the same as no value: leave it out, or write first_name: Ada`},
		"JSON: scalar for after":             {"{\"name\":\"a\",\"title\":\"A\",\"magic\":{\"verification_request\":\"vr_a\"},\n\"verification_request\":{\"timeline\":[{\"state\":\"processing\"},{\"state\":\"completed\",\"after\":\"10m\"}]}}", `2:89: after takes a mapping, not "10m": write "after":{"elapsed":"10m"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := scenarios.Parse("f.yaml", []byte(tt.text))
			if len(problems) != 1 || !strings.HasPrefix(problems[0].String(), "f.yaml:"+tt.want+"\n") {
				t.Errorf("%v\nwant f.yaml:%s", problems, tt.want)
			}
		})
	}
}
