package control_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
)

// wholeBodies have the keys that the examples of the document lack, by operation.
var wholeBodies = map[string]string{
	"createVerificationRequest": `{"id":"vr_mine","scenario":"lifecycle","state":"processing","verification_request":{"set":{"loan_id":"7"}},"person":{"last_name":"Example"},"company":{"name":"Example Mill"},"reports":[{}]}`,
	"changeVerificationRequest": `{"state":"canceled","cancellation_reason":"other","cancellation_details":"x","force":true,"set":{"loan_id":"7"},"set_canceled":{"state":"other"},"reports":[{"set":{"respondent":null},"tamper":"net"}]}`,
	"createTenantProperty":      `{"id":"tp_mine","scenario":"tenant-property","tenant_property":{"set":{"name":"Quay"}}}`,
	"createQualificationCheck":  `{"id":"qc_mine","scenario":"qc-qualified","qualification_check":{"kind":"guarantor"},"person":{"last_name":"Example"},"company":{"name":"Example Mill"},"reports":[{}]}`,
	"addFault":                  `{"resource":"vr_completed","rule":{"on":"get","respond":{"status":503,"message":"down"},"times":1},"expires_in":"10m"}`,
	"addWebhook":                `{"url":"http://127.0.0.1:8081/hooks","events":["verification_request.state.change"],"token":"t","version":"2022-08-01"}`,
	"setSettings":               `{"grease":"values","session_flow":"manual","account":{"types":["employment-income"],"use_cases":["mortgage"],"permissible_purposes":["credit-application"],"reseller":false}}`,
	"setAccount":                `{"types":["employment-income"],"use_cases":["mortgage"],"permissible_purposes":["credit-application"],"reseller":false}`,
	"resolveRequest":            `{"method":"PUT","path":"/tenant-properties/tp_default","headers":{"Accept":"*/*"},"body":{"name":"Quay"}}`,
	"verifyJournal": `{"kind":"request","operation":"getVerificationRequest","match":{"method":"GET","path":{"equals":"/verification-requests/x","contains":"x","matches":"x","absent":false},` +
		`"query":{"a":"b"},"headers":{"Accept":{"equals":"x"}},"status":"4xx",` +
		`"body":{"contains":{"a":1},"matches":{"a":"b"},"absent":["b"]}},"times":{"at_least":0,"at_most":2}}`,
}

// meaningless are the changes that the document allows and the control plane refuses, as their values mean nothing to it.
var meaningless = []string{
	"addFault: expires_in is nonsense",
	"addFault: rule is nonsense",
	"addWebhook: url is nonsense",
	"advanceClock: by is nonsense",
	"changeVerificationRequest: state is absent", // only a canceled request has a reason
	"verifyJournal: match: body: contains is <nil>",
	"verifyJournal: match: method is nonsense",
	"verifyJournal: match: path is nonsense",
	"verifyJournal: match: path: equals is nonsense",
}

// The control plane accepts the bodies that its document allows, and refuses with 400 those that it does not.
func TestControlBodies(t *testing.T) {
	t.Parallel()
	for path, item := range published(t).Paths.Map() {
		for method, operation := range item.Operations() {
			if !strings.HasPrefix(path, lab.Control) || operation.RequestBody == nil || operation.RequestBody.Value.Content["application/json"] == nil || operation.OperationID == "putScenarios" {
				continue // a scenario file is checked against its own schema, and a snapshot line by line
			}
			t.Run(operation.OperationID, func(t *testing.T) {
				t.Parallel()
				c := lab.Start(t)
				body := map[string]any{}
				if text := wholeBodies[operation.OperationID]; text != "" {
					if err := json.Unmarshal([]byte(text), &body); err != nil {
						t.Fatal(err)
					}
				} else {
					body = operation.RequestBody.Value.Content["application/json"].Example.(map[string]any)
				}
				for key := range operation.RequestBody.Value.Content["application/json"].Schema.Value.Properties {
					if body[key] == nil {
						t.Errorf("the body has no %s to be changed: add it to wholeBodies", key)
					}
				}
				target := strings.Replace(path, "{id}", lab.IdFor(path), 1)
				for _, text := range []string{"", "null", "[]", "7", "{"} {
					if r := c.Send(method, target, text); r.Status != 400 {
						t.Errorf("%q: status %d: %.200s", text, r.Status, r.Body)
					}
				}
				eachBody(body, func(change string) {
					text, err := json.Marshal(body)
					if err != nil {
						t.Fatal(err)
					}
					c.Send("POST", lab.Control+"reset", nil)
					disallowed := apitest.CheckBody(method, path, text)
					r := c.Send(method, target, string(text))
					refused := disallowed != nil || slices.Contains(meaningless, operation.OperationID+": "+change)
					if refused != (r.Status == 400) {
						t.Errorf("%s: status %d: %.200s\ndocument: %v", change, r.Status, r.Body, disallowed)
					}
				})
			})
		}
	}
}

// inScenarioFiles are the keys whose values are as in scenario files, which have a schema of their own.
var inScenarioFiles = []string{"set", "set_canceled", "rule", "verification_request", "tenant_property", "qualification_check", "person", "company", "contains"}

// eachBody calls check with the object as it is, and after each of many changes to one of its keys, which it undoes.
func eachBody(object map[string]any, check func(change string)) {
	check("unchanged")
	for _, key := range slices.Sorted(maps.Keys(object)) {
		right, free := object[key], slices.Contains(inScenarioFiles, key)
		for _, value := range []any{nil, 7.5, true, "nonsense", []any{}, []any{1.0}, map[string]any{}, map[string]any{"nonsense": 1.0}} {
			if inside, _ := value.(map[string]any); free && len(inside) > 0 {
				continue
			}
			object[key] = value
			check(fmt.Sprintf("%s is %v", key, value))
		}
		delete(object, key)
		check(key + " is absent")
		object[key] = right
		if inner, ok := right.(map[string]any); ok && !free {
			eachBody(inner, func(change string) { check(key + ": " + change) })
		}
	}
	object["nonsense"] = 1.0
	check("an unknown key")
	delete(object, "nonsense")
}

// A file that curl -d sends has lost its line ends, and one that an editor of Windows saves may have a byte-order mark.
func TestBodiesOfFiles(t *testing.T) {
	t.Parallel()
	const lost = "The body has no line ends, because curl -d removes them: send a file with --data-binary. "
	c := lab.Start(t)
	c.Get("/verification-requests/vr_completed")
	curl := c.With("User-Agent", "curl/8.14.1")
	for name, tt := range map[string]struct {
		c                  *apitest.Client
		method, path, body string
		want               string // of the message; "": it is taken
	}{
		"a scenario, its line ends lost":         {curl, "PUT", "scenarios/mine", "name: minetitle: Mine", lost + "The scenario file is invalid:"},
		"all is a comment":                       {curl, "PUT", "scenarios/mine", "# Ourname: minetitle: Mine", lost + "The scenario file has no scenario"},
		"a resource":                             {curl.With("Content-Type", "application/yaml"), "POST", "verification-requests", "scenario: completedid: vr_1", lost},
		"no type was named either":               {curl, "PUT", "clock", "now: 2025-01-20T09:30:00Zfrozen: true", lost + "The body cannot be read"},
		"a scenario with its line ends":          {curl, "PUT", "scenarios/mine", "name: mine\ntitel: Mine: x", "The scenario file is invalid:"},
		"one line that is valid":                 {curl.With("Content-Type", "application/yaml"), "POST", "faults", "rule: {on: cancel, respond: {status: 500}}", ""},
		"one line with another mistake":          {curl.With("Content-Type", "application/yaml"), "POST", "faults", "rule: {on: cancl, respond: {status: 500}}", "The rule is invalid"},
		"JSON":                                   {curl, "POST", "clock/advance", `{"by": "x", "to": 1}`, "The body cannot be read"},
		"another client":                         {c, "PUT", "scenarios/mine", "name: minetitle: Mine", "The scenario file is invalid:"},
		"a byte-order mark before JSON":          {c, "POST", "clock/advance", "\ufeff" + `{"by":"1h"}`, "The body cannot be read: not valid JSON at byte 0: a byte-order mark stands here: leave it out"},
		"a byte-order mark before a snapshot":    {c, "PUT", "snapshot", "\ufeff{}", "The snapshot is refused, and nothing is changed: line 1 cannot be read: not valid JSON at byte 0: a byte-order mark stands here"},
		"a byte-order mark before YAML is taken": {c.With("Content-Type", "application/yaml"), "POST", "clock/advance", "\ufeffby: 1h", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := tt.c.Send(tt.method, lab.Control+tt.path, tt.body)
			if refused := r.Status >= 400; refused != (tt.want != "") || refused && !strings.HasPrefix(r.ErrorMessage(), tt.want) {
				t.Errorf("%d %s, want %s", r.Status, r.Body, tt.want)
			}
		})
	}
}

// Bodies may be YAML. An error then says where it stands, as that of a scenario file does.
func TestBodiesInYAML(t *testing.T) {
	t.Parallel()
	c := lab.Start(t)
	c.Get("/verification-requests/vr_completed")
	yaml := c.With("Content-Type", "application/yaml; charset=utf-8")
	for call, answers := range map[string]map[string]string{
		"PUT clock": {
			"now: 2025-01-20T09:30:00Z\nfrozen: true\n":    `200 {"now":"2025-01-20T09:30:00Z","frozen":true,"deliveries":{"sent":0,"failed":0,"due":0}}`,
			"# a comment\nfrozen:\n  - true\n":             `400 The body is invalid: body:3:3: "/frozen" must be a boolean, not an array`,
			"frozen: true\nfroze: 1\n":                     `400 The body is invalid: body:2:8: unknown key at "/froze"`,
			"frozen: [true\n":                              "400 The body is invalid: body:1:9: not valid YAML: the [ is not closed",
			"frozen: true\nfrozen: false\n":                "400 The body is invalid: body:2:1: not valid YAML: the key frozen is on line 1 already",
			"{frozen: true}\n---\n{frozen: false}":         "400 The body is invalid: body:1:1: must be one document",
			"now: &a 2025-01-16T09:30:00Z\nfrozen: true\n": "400 The body is invalid: body:1:6: anchors (&), aliases (*)",
			"now: \n":  "400 The body is invalid: body:1:6: \"/now\" may not be null: give it a value, or omit it",
			"null":     "400 The body is null: give it a value",
			" # none ": "400 The body is invalid: body:1:1: must be one document",
		},
		"POST clock/advance":     {"by: 36h": `200 {"now":"2025-01-`, "by: 36": `400 The body is invalid: body:1:5: "/by" must be a string, not a number`},
		"POST journal/verify":    {"operation: getVerificationRequest\nmatch:\n  path: {matches: 'vr_[a-z]+$'}\n  status: 200\ntimes: {exactly: 1}": `200 {"count":1,`},
		"POST scenarios/resolve": {"method: GET\npath: /verification-requests/vr_completed\nheaders: {Accept: '*/*'}": `200 {"operation":"getVerificationRequest","status":200,`},
		"POST faults": {
			"rule: {on: cancel, times: 2, respond: {status: 500}}\nexpires_in: 10m\n": `201 {"id":"fault-1","rule":{"on":"cancel","times":2,"respond":{"status":500}},`,
			"rule: |\n  on: cancel\n  fault: emty\n":                                  `400 The rule is invalid: rule:2:8: unknown value "emty" for fault: did you mean empty?`,
			"on: cancel":                                                              "400 The rule goes under rule: ",
		},
	} {
		method, path, _ := strings.Cut(call, " ")
		for body, want := range answers {
			r := yaml.Send(method, lab.Control+path, body)
			got := fmt.Sprint(r.Status, " ", string(r.Body))
			if r.Status >= 400 {
				got = fmt.Sprint(r.Status, " ", r.ErrorMessage())
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("%s %q: %s, want %s", call, body, got, want)
			}
		}
	}
	world := c.Get("/verification-requests/vr_completed").Header.Get("Understudy-World")
	if r := yaml.Send("PATCH", lab.Control+"worlds/"+world, "name: Payroll"); r.Status != 200 || !strings.Contains(string(r.Body), `"name":"Payroll"`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if r := yaml.Send("PATCH", lab.Control+"worlds/"+world, "name: ~"); r.Status != 200 || !strings.Contains(string(r.Body), `"name":null`) {
		t.Errorf("%d %s", r.Status, r.Body)
	}
}
