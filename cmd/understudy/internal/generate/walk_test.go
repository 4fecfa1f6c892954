package generate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	gocmp "github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/emulatortest"
)

// The types of the API have the fields of the specification, with its values and its nulls. TestOpenAPITypes compares them
// with the OpenAPI document.
func TestWalkFields(t *testing.T) {
	t.Parallel()
	for name, resource := range map[string]any{
		"verification_request": api.VerificationRequest{}, "report": api.Report{}, "canceled": api.CanceledVerification{},
		"tenant_property": api.TenantProperty{}, "qualification_check": api.QualificationCheck{}, "credentials_session": api.CredentialsSession{},
	} {
		var want []string
		for line := range strings.Lines(strings.TrimSpace(specFields[name])) {
			want = append(want, strings.TrimSpace(line))
		}
		slices.Sort(want)
		got := slices.Sorted(slices.Values(fieldsOf("", reflect.TypeOf(resource))))
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-specification +type):\n%s", name, diff)
		}
	}
}

// fieldsOf lists the fields of a type as specFields does.
func fieldsOf(path string, structure reflect.Type) (lines []string) {
	for field := range structure.Fields() {
		of, rule, at := field.Type, field.Tag.Get("spec"), path+field.Tag.Get("json")
		null := slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, of.Kind()) && rule != "not null"
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		line := at + " " + kindOf(of)
		if word, ok := strings.CutPrefix(rule, "or "); ok {
			line += "|" + word
		}
		if null {
			line += " N"
		}
		lines = append(lines, line)
		switch {
		case of == reflect.TypeFor[[]api.Report](): // specFields has a list for it
		case of.Kind() == reflect.Slice:
			lines = append(lines, fieldsOf(at+".0.", of.Elem())...)
		case of.Kind() == reflect.Struct && of != reflect.TypeFor[api.Datetime]():
			lines = append(lines, fieldsOf(at+".", of)...)
		}
	}
	return lines
}

func kindOf(of reflect.Type) string {
	switch of {
	case reflect.TypeFor[api.Datetime]():
		return "datetime"
	case reflect.TypeFor[api.Date]():
		return "date"
	case reflect.TypeFor[api.Decimal]():
		return "decimal"
	}
	if values := reflect.Zero(of).MethodByName("Values"); values.IsValid() {
		var words []string
		for _, word := range values.Call(nil)[0].Seq2() {
			words = append(words, word.String())
		}
		return strings.Join(words, "|")
	}
	return map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Slice: "list", reflect.Map: "map",
		reflect.String: "string", reflect.Int: "integer", reflect.Bool: "boolean",
	}[of.Kind()]
}

// goal is a value of one field that must be reachable, in JSON.
type goal struct{ path, value string }

func (g goal) String() string { return g.path + " = " + g.value }

// goals lists the values of the fields of a resource: each word, null where that may be, and one of what else there is. A list
// and an object that are not null have goals of their own.
func goals(resource string) (all []goal) {
	samples := map[string][]string{
		"string": {`"walked"`}, "integer": {"7"}, "boolean": {"true", "false"}, "decimal": {`"12.34"`}, "date": {`"2024-02-29"`},
		"datetime": {`"2024-02-29T12:30:00.123456Z"`}, "map": {`{"walked":"yes"}`}, "list": {}, "object": {},
	}
	for line := range strings.Lines(strings.TrimSpace(specFields[resource])) {
		words := strings.Fields(line)
		values, ok := samples[words[1]]
		switch {
		case strings.HasSuffix(words[0], "social_security_number"):
			values = []string{`"***-**-4321"`}
		case strings.HasSuffix(words[0], ".year"):
			values = []string{`"2019"`}
		case words[0] == "date_of_completion": // after the creation
			values = []string{`"2028-02-29T12:30:00.000000Z"`}
		case !ok:
			for word := range strings.SplitSeq(words[1], "|") {
				values = append(values, `"`+word+`"`)
			}
		}
		if len(words) == 3 {
			values = append(slices.Clone(values), "null")
		}
		for _, value := range values {
			all = append(all, goal{words[0], value})
		}
	}
	return all
}

// set returns the goal as a part of the document: {"employee":{"email":null}}.
func (g goal) set() string {
	steps := strings.Split(g.path, ".")
	text := g.value
	for _, step := range slices.Backward(steps) {
		text = `{"` + step + `":` + text + `}`
	}
	return text
}

// reached reports whether a document has the goal.
func (g goal) reached(document []byte) bool {
	var got, want any
	if json.Unmarshal(document, &got) != nil || json.Unmarshal([]byte(g.value), &want) != nil {
		return false
	}
	for step := range strings.SplitSeq(g.path, ".") {
		switch in := got.(type) {
		case map[string]any:
			value, present := in[step]
			if !present {
				return false
			}
			got = value
		case []any:
			if len(in) == 0 {
				return false
			}
			got = in[0]
		default:
			return false
		}
	}
	return reflect.DeepEqual(got, want)
}

// walk is one goal and the way to it: what a scenario file, a change by the control plane and the flags of generate have in
// common.
type walk struct {
	goal
	id       string
	resource string            // of specFields
	state    api.State         // of a verification request
	look     map[string]string // keys of the section of a scenario file, or of its report, in JSON
	set      map[string]string // keys of the same that set the goal, in JSON
}

// walks lists the goals of a resource with the way to each.
func walks(resource string) (all []walk) {
	for i, g := range goals(resource) {
		w := walk{goal: g, id: fmt.Sprintf("walk_%s_%d", resource, i), resource: resource, set: map[string]string{"set": g.set()}}
		switch resource {
		case "canceled":
			w.state, w.set = api.StateProcessing, map[string]string{"set_canceled": g.set()}
		case "report":
			w.state, w.path = api.StateCompleted, "reports.0."+g.path
			switch {
			case g.path == "employee.status": // which follows from status_detail: that has the same words
				w.set["set"] = `{"employee":{"status":` + g.value + `,"status_detail":` + g.value + `}}`
			case strings.HasPrefix(g.path, "disputes."):
				w.look = map[string]string{"disputes": `[{"opened":"12 days ago"}]`}
			case strings.HasPrefix(g.path, "paystubs."):
				w.look = map[string]string{"pay": `{"paystubs":1}`}
			}
		case "verification_request":
			w.look = map[string]string{"reseller_originating_party": `{"originating_party":"Example Home Loans","permissible_purpose":"subpoena","use_case":"auto"}`}
			w.choose()
		case "qualification_check":
			w.look = map[string]string{"documents": `["paystub"]`}
		}
		if g.path == "id" && resource != "report" { // the path of the request has it
			w.value, w.set = `"`+w.id+`"`, nil
		}
		all = append(all, w)
	}
	return all
}

// choose finds the state that a verification request needs for the goal.
func (w *walk) choose() {
	switch w.state = api.StateCompleted; {
	case w.path == "state":
		w.state, w.set = api.State(strings.Trim(w.value, `"`)), nil
	case w.value == "null" && (w.path == "date_of_completion" || w.path == "reports"):
		w.state, w.set = api.StateProcessing, nil
	case strings.HasPrefix(w.path, "cancellation_"):
		w.state = api.StateCanceled
	}
}

// section returns the key of the resource's section in a scenario file, which is also its magic value's.
func (w walk) section() string {
	if w.state != "" {
		return "verification_request"
	}
	return w.resource
}

// scenario returns a scenario that shows the goal.
func (w walk) scenario() string {
	section := make(map[string]string)
	maps.Copy(section, w.look)
	maps.Copy(section, w.set)
	parts := map[string]string{"name": `"` + w.id + `"`, "title": `"A walk"`, "magic": object(map[string]string{w.section(): `"` + w.id + `"`})}
	switch {
	case w.resource == "report":
		parts["reports"] = "[" + object(section) + "]"
		return object(parts)
	case w.state != "":
		section["timeline"] = `[{"state":"` + string(w.state) + `"}]`
	}
	if len(section) > 0 {
		parts[w.section()] = object(section)
	}
	return object(parts)
}

// object writes a JSON object of members in JSON.
func object(members map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		parts = append(parts, `"`+name+`":`+members[name])
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// read reads the resource by the emulated API, a tenant property by the control plane: the API can only update it.
func (w walk) read(c *apitest.Client) []byte {
	switch w.resource {
	case "canceled":
		return c.Put("/verification-requests/"+w.id+"/cancel", `{"cancellation_reason":"wrong-info"}`).Body
	case "tenant_property":
		return c.Get("/_understudy/v1/tenant-properties/" + w.id).Body
	case "qualification_check":
		return c.Get("/qualification-checks/" + w.id).Body
	}
	query := ""
	if strings.Contains(w.path, "income_analytics") {
		query = "?income_analytics=true"
	}
	return c.Get("/verification-requests/" + w.id + query).Body
}

// change creates the resource without the goal by the control plane, and then sets the goal.
func (w walk) change(t *testing.T, c *apitest.Client) {
	t.Helper()
	path := "/_understudy/v1/" + strings.NewReplacer("_", "-", "property", "propertie").Replace(w.section()) + "s"
	made, changed := map[string]string{"id": `"` + w.id + `"`}, make(map[string]string)
	maps.Copy(changed, w.set)
	switch {
	case w.resource == "report":
		made["reports"], changed = "["+object(w.look)+"]", map[string]string{"reports": "[" + object(w.set) + "]"}
	case len(w.look) > 0:
		made[w.section()] = object(w.look)
	}
	if w.state != "" && w.state != api.StateCompleted {
		changed["state"], changed["force"] = `"`+string(w.state)+`"`, "true"
	}
	if r := c.Post(path, object(made)); r.Status != 201 {
		t.Errorf("%s: POST %s: %s", w, object(made), r.Body)
	}
	if len(changed) == 0 {
		return
	}
	if r := c.Send("PATCH", path+"/"+w.id, object(changed)); r.Status != 200 {
		t.Errorf("%s: PATCH %s: %s", w, object(changed), r.Body)
	}
}

// generate returns the document of the flags that show the goal.
func (w walk) generate(t *testing.T, doc *openapi3.T) []byte {
	t.Helper()
	schema := map[string]string{
		"verification_request": "VerificationRequest", "report": "Report", "qualification_check": "QualificationCheck", "tenant_property": "TenantProperty",
	}[w.resource]
	args := []string{strings.ReplaceAll(w.resource, "_", "-"), "--format", "ndjson", "--id", w.id}
	switch w.resource {
	case "verification_request":
		args = append(args, "--analytics", "--set", "state="+string(w.state))
	case "report":
		args = append(args, "--analytics")
	}
	for _, settings := range []map[string]string{w.look, w.set} {
		for key, value := range settings {
			args = append(args, "--set", key+"="+value)
		}
	}
	text := generated(t, args...)
	if err := doc.Components.Schemas[schema].Value.VisitJSON(commandtest.Decoded[any](t, text)); err != nil {
		t.Errorf("%s: %v", w, err)
	}
	if w.resource == "report" {
		text = `{"reports":[` + text + `]}`
	}
	return []byte(text)
}

// Every value of every field of section 2 can be asked for: in a scenario file, by a change of the control plane, and of generated
// documents by the flags of generate. All answers are compared with the OpenAPI document. A credentials session is not walked:
// both of its fields are opaque.
func TestWalk(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	commandtest.NoError(t, err)
	for _, resource := range []string{"verification_request", "report", "canceled", "tenant_property", "qualification_check"} {
		all, folder := walks(resource), t.TempDir()
		for _, w := range all {
			commandtest.NoError(t, os.WriteFile(filepath.Join(folder, w.id+".yaml"), []byte(w.scenario()), 0o600))
		}
		ways := map[string]func(t *testing.T, w walk) (document []byte){"by_generate": func(t *testing.T, w walk) []byte { return w.generate(t, doc) }}
		if resource == "canceled" {
			clear(ways) // it is an answer, and not generated
		}
		played, changed := emulatortest.Run(t, emulator.WithScenarios(folder)), emulatortest.Run(t)
		ways["by_scenario"] = func(t *testing.T, w walk) []byte { return w.read(apitest.New(t, played.URL, played.Key(t))) }
		ways["by_change"] = func(t *testing.T, w walk) []byte {
			c := apitest.New(t, changed.URL, changed.Key(t))
			w.change(t, c)
			return w.read(c)
		}
		for way, play := range ways {
			t.Run(way+"/"+resource, func(t *testing.T) {
				t.Parallel()
				unreachable := slices.DeleteFunc(slices.Clone(all), func(w walk) bool { return w.reached(play(t, w)) })
				for _, w := range unreachable {
					t.Errorf("%s is not reachable", w)
				}
				t.Logf("%d values of %d", len(all)-len(unreachable), len(all))
			})
		}
	}
}
