package surface_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator"
	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/lab"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

// Without grease an answer is not read again: a large one takes as many allocations as a small one. Not parallel: it counts them.
func TestAnswerAllocates(t *testing.T) {
	e := lab.Launch(t, emulator.WithJournalSize(0))
	allocations := func(id string) float64 {
		r := lab.RequestTo("GET", "/verification-requests/"+id, lab.Key, "")
		return testing.AllocsPerRun(100, func() { e.ServeHTTP(new(surface.Recorder), r) })
	}
	if small, large := allocations("vr_processing"), allocations("vr_multiple_reports"); large > small+10 {
		t.Errorf("%v allocations, and %v for a large answer", small, large)
	}
}

// Each operation equals that of the OpenAPI document in path, version and statuses.
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
	for _, op := range surface.Operations(true) {
		op.Verb, op.Resource = "", "" // of rules
		served[op.Name] = op
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
		"1 to 128 characters of A-Z a-z 0-9 _ -.", // see TestKey
		"up to 1024 bytes.", // see TestDiagnosisHeaderLimit
	} {
		if !strings.Contains(document, limit) {
			t.Errorf("the document does not say %q", limit)
		}
	}
}
