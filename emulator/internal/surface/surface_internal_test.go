package surface

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/grease"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
)

// Without grease an answer costs no memory more than its resource.
func TestAnswerAllocates(t *testing.T) {
	op, out := operations(false)[1], outcome{resource: []byte(`{"id":"vr_1","price":{"amount":"1.00"}}`)}
	if n := testing.AllocsPerRun(100, func() { out.answer(op) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	out.grease = new(grease.Grease)
	if a := out.answer(op); len(a.texts) != 1 || !strings.Contains(string(a.body), `"grease_`) {
		t.Errorf("with grease %s, %s", a.texts, a.body)
	}
}

// Each operation is implemented, and equals that of the OpenAPI document in path, version and statuses.
func TestOperations(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(api.Parts{Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`\{\w+\}`)
	version := regexp.MustCompile(`version=([\d-]+)`)
	published := map[string]api.Operation{}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			op := api.Operation{Name: o.OperationID, Method: method, Path: id.ReplaceAllString(path, ":id")}
			op.Version = version.FindStringSubmatch(o.Description + " version=")[1]
			for text := range o.Responses.Map() {
				if status, _ := strconv.Atoi(text); status < 400 {
					op.Success = status
				} else {
					op.Errors = append(op.Errors, status)
				}
			}
			slices.Sort(op.Errors)
			_, beyond := o.Responses.Status(op.Success).Value.Headers["Understudy-Extension"]
			op.Extension = beyond
			published[op.Name] = op
		}
	}
	served := map[string]api.Operation{}
	for _, op := range operations(true) {
		if op.decode == nil || op.answer == nil {
			t.Errorf("%s is not implemented", op.Name)
		}
		op.Verb, op.Resource = "", "" // of rules
		served[op.Name] = op.Operation
	}
	if diff := cmp.Diff(published, served); diff != "" {
		t.Errorf("published (-) and served (+):\n%s", diff)
	}
}

func TestOpenAPILimits(t *testing.T) {
	t.Parallel()
	document := strings.Join(strings.Fields(string(api.Parts{Control: true, Extensions: true}.YAML())), " ")
	for _, limit := range []string{
		fmt.Sprintf("A request body has up to %d MiB.", api.MaxBody>>20),
		fmt.Sprintf("Bodies are cut after %d KiB.", journal.MaxBody>>10),
		fmt.Sprintf("1 to %d characters of A-Z a-z 0-9 _ -.", maxKeyLength),
		fmt.Sprintf("up to %d bytes.", diagnosisLength),
	} {
		if !strings.Contains(document, limit) {
			t.Errorf("the document does not say %q", limit)
		}
	}
}
