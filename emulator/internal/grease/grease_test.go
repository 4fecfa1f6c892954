package grease_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/emulator/internal/grease"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

var documents = flag.Int("documents", 500, "how many documents are greased")

var completed = time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)

// render returns the JSON of a value.
func render(t *testing.T, value any) []byte {
	t.Helper()
	body, err := api.Render(value)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// apply greases a body of the type of an example.
func apply(t *testing.T, g grease.Grease, body []byte, example any) (greased []byte, note string) {
	t.Helper()
	greased, note, err := g.Apply(body, reflect.TypeOf(example))
	if err != nil {
		t.Fatal(err)
	}
	return greased, note
}

// decoded returns JSON as maps and slices.
func decoded(t *testing.T, body []byte) (value any) {
	t.Helper()
	if err := json.Unmarshal(body, &value); err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return value
}

// mayGrow are the keys whose words may be unknown. The document has no other list of them: behaviour.md names these.
var mayGrow = []string{"status_detail", "pricing_tier", "pay_frequency", "employment_type", "monthly_gross_income_fidelity", "government_ids.type"}

// kinds draws documents of each kind with a generator: default, mix, each scenario of the catalogue.
func kinds(t *testing.T) (all []func(g fixtures.Generator, identity string) any) {
	t.Helper()
	request := func(shape func(g fixtures.Generator, identity string) fixtures.VerificationShape) func(fixtures.Generator, string) any {
		return func(g fixtures.Generator, identity string) any {
			shape := shape(g, identity)
			v := g.VerificationRequest("vr_many", identity, shape, fixtures.Progress{
				State: api.StateCompleted, Created: completed.Add(-g.Turnaround(identity)), Completed: completed,
			}).Analyzed(completed)
			return v
		}
	}
	all = append(all,
		request(func(fixtures.Generator, string) fixtures.VerificationShape { return fixtures.VerificationShape{} }),
		request(func(g fixtures.Generator, identity string) fixtures.VerificationShape {
			return g.Mix(identity, completed, fixtures.VerificationShape{}, nil)
		}))
	catalogue, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range catalogue.All() {
		switch {
		case s.Magic.QualificationCheck != "":
			all = append(all, func(g fixtures.Generator, identity string) any {
				return g.QualificationCheck("qc_many", identity, s.QualificationShape(), completed)
			})
		case s.Magic.TenantProperty != "":
			all = append(all, func(g fixtures.Generator, _ string) any { return g.TenantProperty("tp_many", s.TenantPropertyShape()) })
		default:
			all = append(all, request(func(fixtures.Generator, string) fixtures.VerificationShape { return s.VerificationShape() }))
		}
	}
	return all
}

// TestApplyMany takes the grease from documents: go test ./emulator/internal/grease -run Many -documents 100000. The rest is
// valid by the OpenAPI document, and differs from the document without grease in ids and, with Words, in words that may grow.
func TestApplyMany(t *testing.T) {
	t.Parallel()
	var unknownWords int
	all := kinds(t)
	for i := range *documents {
		draw, identity := all[i%len(all)], fmt.Sprint("many ", i)
		g := fixtures.Generator{Seed: uint64(i)}
		plain := draw(g, identity)
		g.Grease = true
		body := render(t, draw(g, identity))
		way := grease.Grease{Seed: uint64(i), Identity: identity, Words: i/len(all)%2 == 1}
		greased, _ := apply(t, way, body, plain)
		if i%10 == 0 {
			if second, _ := apply(t, way, body, plain); !bytes.Equal(second, greased) {
				t.Fatalf("greased twice:\n%s\n%s", greased, second)
			}
		}
		rest, err := apitest.Ungrease(reflect.TypeOf(plain).Name(), greased)
		if err != nil {
			t.Fatalf("document %d: %v\n%s", i, err, greased)
		}
		compare(t, decoded(t, render(t, plain)), decoded(t, rest), "", func(path string, was, is any) {
			key := path[strings.LastIndexByte(path, '.')+1:]
			switch {
			case key == "id" || key == "report_id":
			case way.Words && slices.ContainsFunc(mayGrow, func(name string) bool { return strings.HasSuffix(path, name) }):
				unknownWords++
			default:
				t.Fatalf("document %d: %s is %v, with grease %v\n%s", i, path, was, is, greased)
			}
		})
	}
	if unknownWords == 0 {
		t.Error("no unknown words")
	}
}

// compare reports the differences of two JSON values. The path has no numbers of elements.
func compare(t *testing.T, was, is any, path string, differ func(path string, was, is any)) {
	t.Helper()
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok || len(was) != len(is) {
			differ(path, was, is)
		}
		for name, member := range was {
			compare(t, member, is[name], strings.TrimPrefix(path+"."+name, "."), differ)
		}
	case []any:
		is, ok := is.([]any)
		if !ok || len(was) != len(is) {
			differ(path, was, is)
			return
		}
		for i, element := range was {
			compare(t, element, is[i], path, differ)
		}
	default:
		if was != is {
			differ(path, was, is)
		}
	}
}

// objects calls visit for each object of a JSON value, with its path.
func objects(value any, path string, visit func(path string, members map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(path, value)
		for name, member := range value {
			if !strings.HasPrefix(name, "grease_") {
				objects(member, strings.TrimPrefix(path+"."+name, "."), visit)
			}
		}
	case []any:
		for _, element := range value {
			objects(element, path, visit)
		}
	}
}

// whole returns a request with all objects.
func whole() api.VerificationRequest {
	g := fixtures.Generator{Seed: 1}
	shape := fixtures.VerificationShape{
		Metadata:                 map[string]string{"created": "2025-01-15T09:30:00Z", "grease": "mine"},
		ResellerOriginatingParty: &api.ResellerOriginatingParty{OriginatingParty: "Quay", UseCase: "tenant", PermissiblePurpose: "employment"},
	}
	v := g.VerificationRequest("vr_mine", "whole", shape, fixtures.Progress{State: api.StateCompleted, Created: completed, Completed: completed}).Analyzed(completed)
	return v
}

func TestApply(t *testing.T) {
	t.Parallel()
	body := render(t, whole())
	way := grease.Grease{Seed: 1, Identity: "whole", Words: true}
	greased, note := apply(t, way, body, whole())

	t.Run("each object has an unknown key, but for those of a caller", func(t *testing.T) {
		t.Parallel()
		objects(decoded(t, greased), "", func(path string, members map[string]any) {
			mine := slices.Contains([]string{"metadata", "reseller_originating_party", "target.company"}, path)
			unknown := 0
			for name := range members {
				if strings.HasPrefix(name, "grease_") {
					unknown++
				}
			}
			if (unknown == 0) != mine {
				t.Errorf("%q has %d unknown keys", path, unknown)
			}
		})
		for _, same := range []string{`"metadata":{"created":"2025-01-15T09:30:00Z","grease":"mine"}`, `"originating_party":"Quay","permissible_purpose":"employment","use_case":"tenant"`} {
			if !bytes.Contains(greased, []byte(same)) {
				t.Errorf("want %s in %s", same, greased)
			}
		}
	})
	t.Run("keys have another order", func(t *testing.T) {
		t.Parallel()
		if bytes.HasPrefix(greased, []byte(`{"id":`)) && bytes.HasSuffix(greased, []byte(`]}`)) {
			t.Errorf("%s", greased)
		}
	})
	t.Run("instants have seven to nine digits and an offset", func(t *testing.T) {
		t.Parallel()
		forms := regexp.MustCompile(`[^{]"created":"([^"]*)"`).FindAllSubmatch(greased, -1)
		for _, form := range forms {
			if at, err := time.Parse(time.RFC3339, string(form[1])); err != nil || !at.Equal(completed) || !regexp.MustCompile(`\.\d{7,9}\+00:00$`).Match(form[1]) {
				t.Errorf("created is %s", form[1])
			}
		}
		if len(forms) < 2 {
			t.Errorf("%d instants in %s", len(forms), greased)
		}
	})
	t.Run("the note counts", func(t *testing.T) {
		t.Parallel()
		if !regexp.MustCompile(`^grease: another order, \d\d unknown keys, \d unknown words, \d other instants$`).MatchString(note) {
			t.Error(note)
		}
	})
	t.Run("another seed and another identity differ", func(t *testing.T) {
		t.Parallel()
		for _, other := range []grease.Grease{{Seed: 2, Identity: "whole"}, {Seed: 1, Identity: "other"}} {
			if is, _ := apply(t, other, body, whole()); bytes.Equal(is, greased) {
				t.Errorf("%+v is the same", other)
			}
		}
	})
	t.Run("words stay without Words", func(t *testing.T) {
		t.Parallel()
		if is, _ := apply(t, grease.Grease{Seed: 1, Identity: "whole"}, body, whole()); bytes.Contains(is, []byte(`"grease-`)) {
			t.Errorf("%s", is)
		}
	})
	t.Run("what is given stays", func(t *testing.T) {
		t.Parallel()
		given := way
		given.Given = func(string) bool { return true }
		is, note := apply(t, given, body, whole())
		if !bytes.Contains(is, []byte(`"2025-01-15T09:30:00Z"`)) || bytes.Contains(is, []byte("+00:00")) || bytes.Contains(is, []byte(`"grease-`)) {
			t.Errorf("%s\n%s", note, is)
		}
	})
	t.Run("selected keys stay alone", func(t *testing.T) {
		t.Parallel()
		selected := way
		selected.Selected = true
		is, _ := apply(t, selected, []byte(`{"price":{"amount":"1.00","currency":"USD"}}`), whole())
		value := decoded(t, is).(map[string]any)
		if len(value) != 1 || len(value["price"].(map[string]any)) != 3 {
			t.Errorf("%s", is)
		}
	})
	t.Run("an error keeps its envelope", func(t *testing.T) {
		t.Parallel()
		for message, want := range map[string]string{"Verification not found": "The request failed: Verification does not exist", "Mine": "The request failed: Mine"} {
			is, _ := apply(t, way, render(t, api.ErrorEnvelope{Error: api.ErrorMessage{Message: message}}), api.ErrorEnvelope{})
			value := decoded(t, is).(map[string]any)
			if inner := value["error"].(map[string]any); len(value) != 1 || len(inner) != 2 || inner["message"] != want {
				t.Errorf("%s", is)
			}
		}
	})
	t.Run("a body of another type is refused", func(t *testing.T) {
		t.Parallel()
		if _, _, err := way.Apply([]byte(`{"id":`), reflect.TypeOf(whole())); err == nil {
			t.Error("no error")
		}
	})
}

// An instant is the same in seven to nine digits of a second.
func TestApplyInstants(t *testing.T) {
	t.Parallel()
	digits := map[int]bool{}
	for i := range 50 {
		greased, _ := apply(t, grease.Grease{Identity: fmt.Sprint(i), Selected: true}, []byte(`{"created":"2025-01-15T09:00:00.123456Z"}`), api.CanceledVerification{})
		found := regexp.MustCompile(`"2025-01-15T09:00:00\.(1234560{1,3})\+00:00"`).FindSubmatch(greased)
		if found == nil {
			t.Fatalf("another instant: %s", greased)
		}
		digits[len(found[1])] = true
	}
	if diff := cmp.Diff(map[int]bool{7: true, 8: true, 9: true}, digits); diff != "" {
		t.Error(diff)
	}
}

// Each enumeration of an answer either may grow or not. A new one needs a decision.
func TestApplyWords(t *testing.T) {
	t.Parallel()
	grown := map[string]bool{}
	of := map[string]bool{}
	for _, example := range []any{whole(), whole().Canceled(), fixtures.Generator{Seed: 1}.QualificationCheck("qc", "qc", fixtures.QualificationShape{}, completed)} {
		var visit func(reflect.Type)
		visit = func(t reflect.Type) {
			switch t.Kind() {
			case reflect.Pointer, reflect.Slice:
				visit(t.Elem())
			case reflect.Struct:
				for field := range t.Fields() {
					visit(field.Type)
				}
			case reflect.String:
				if _, ok := t.MethodByName("Values"); ok {
					of[strings.ToLower(t.Name())] = true
				}
			}
		}
		visit(reflect.TypeOf(example))
	}
	for seed := range uint64(3) {
		for _, text := range []string{
			`{"type":"employment","use_case":"other","permissible_purpose":"employment","state":"canceled","cancellation_reason":"other","request_parameters":{"employer_filter":"all-employers"},"price":{"currency":"USD"},
			"reports":[{"pricing_tier":"instant","employee":{"status":"active","status_detail":"casual","positions":[{"employment_type":"other"}],"salary":{"pay_frequency":"daily","reduced_covid":"no"}},"employer":{"government_ids":[{"type":"us-fein"}]}}]}`,
			`{"kind":"applicant","result":{"outcome":"qualified","monthly_gross_income_fidelity":"source"}}`,
		} {
			example := any(api.VerificationRequest{})
			if strings.Contains(text, "kind") {
				example = api.QualificationCheck{}
			}
			is, _ := apply(t, grease.Grease{Seed: seed, Words: true}, []byte(text), example)
			if strings.Contains(text, "use_case") && !bytes.Contains(is, []byte(`"type":"employment"`)) {
				t.Errorf("the type of a request has grown: %s", is)
			}
			for _, found := range regexp.MustCompile(`"(\w+)":"grease-`).FindAllSubmatch(is, -1) {
				grown[string(found[1])] = true
			}
		}
	}
	want := map[string]bool{"pricing_tier": true, "status_detail": true, "employment_type": true, "pay_frequency": true, "type": true, "monthly_gross_income_fidelity": true}
	if diff := cmp.Diff(want, grown); diff != "" {
		t.Errorf("keys with unknown words, wanted (-) and got (+):\n%s", diff)
	}
	listed := map[string]bool{}
	for _, name := range strings.Fields("VerificationType PermissiblePurpose UseCase CancellationReason State EmploymentStatus StatusDetail PricingTier PayFrequency EmploymentType ReducedCovid EmployerFilter QualificationKind QualificationOutcome IncomeFidelity Currency GovernmentIDType") {
		listed[strings.ToLower(name)] = true
	}
	if diff := cmp.Diff(listed, of); diff != "" {
		t.Errorf("enumerations listed (-) and of answers (+):\n%s", diff)
	}
}
