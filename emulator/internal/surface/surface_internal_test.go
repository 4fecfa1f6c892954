package surface

import (
	"fmt"
	"slices"
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
	op, out := operations()[1], outcome{resource: []byte(`{"id":"vr_1","price":{"amount":"1.00"}}`)}
	if n := testing.AllocsPerRun(100, func() { out.answer(op) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	out.grease = new(grease.Grease)
	if a := out.answer(op); len(a.texts) != 1 || !strings.Contains(string(a.body), `"grease_`) {
		t.Errorf("with grease %s, %s", a.texts, a.body)
	}
}

// The table of operations equals the OpenAPI document.
func TestOperations(t *testing.T) {
	t.Parallel()
	document, err := openapi3.NewLoader().LoadFromData(api.OpenAPIYAML())
	if err != nil {
		t.Fatal(err)
	}
	var published []string
	for path, item := range document.Paths.Map() {
		for method, operation := range item.Operations() {
			for _, status := range []int{200, 201} {
				if operation.Responses.Status(status) == nil {
					continue
				}
				for _, op := range operations() {
					if strings.Contains(operation.Description, "version="+op.version) && op.name == operation.OperationID {
						published = append(published, fmt.Sprintf("%s %s %s %d", operation.OperationID, method, path, status))
					}
				}
			}
		}
	}
	var served []string
	for _, op := range operations() {
		served = append(served, fmt.Sprintf("%s %s %s %d", op.name, op.method, documentPath(op), op.success))
	}
	slices.Sort(published)
	slices.Sort(served)
	if diff := cmp.Diff(published, served); diff != "" {
		t.Errorf("published (-) and served (+):\n%s", diff)
	}
}

// documentPath returns an operation's path as the document has it, with the name of the id.
func documentPath(op *operation) string {
	name := map[string]string{
		"/verification-requests": "verification_request_id",
		"/tenant-properties":     "tenant_property_id",
		"/qualification-checks":  "qualification_check_result_id",
	}
	for prefix, id := range name {
		if strings.HasPrefix(op.path, prefix) {
			return strings.Replace(op.path, ":id", "{"+id+"}", 1)
		}
	}
	return op.path
}

func TestOpenAPILimits(t *testing.T) {
	t.Parallel()
	document := strings.Join(strings.Fields(string(api.OpenAPIYAML())), " ")
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
