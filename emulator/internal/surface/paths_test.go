package surface_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/journal"
	"github.com/understudy-sandbox/understudy/emulator/internal/surface"
)

var (
	parameter = regexp.MustCompile(`:\w+|\{\w+\}`)
	named     = regexp.MustCompile(`\b([A-Z]{3,}) (/[^\s,]+)`)
)

// Each operation that is not shown is answered 501. Its diagnosis names operations that exist.
func TestUnshown(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(api.Parts{Control: true, Extensions: true}.YAML())
	if err != nil {
		t.Fatal(err)
	}
	served := make(map[string]bool)
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			served[method+" "+parameter.ReplaceAllString(path, "{id}")] = true
		}
	}
	s := surface.New(surface.Config{
		Unmatched: journal.New(journal.Config{}), Log: slog.New(slog.DiscardHandler), Stopping: context.Background(),
		Observe: func(string, int, time.Duration) {},
	})
	for _, family := range surface.UnshownOperations() {
		instead := named.FindAllStringSubmatch(family.Instead, -1)
		if len(instead) == 0 {
			t.Errorf("%q names no operation", family.Instead)
		}
		for _, operation := range instead {
			if !served[operation[1]+" "+operation[2]] {
				t.Errorf("%q names %s, which does not exist", family.Instead, operation[0])
			}
		}
		for _, request := range family.Requests {
			method, path, _ := strings.Cut(request, " ")
			for _, slash := range []string{"", "/"} {
				w := httptest.NewRecorder()
				s.ServeHTTP(w, httptest.NewRequest(method, parameter.ReplaceAllString(path, "x")+slash, nil))
				if diagnosis := w.Header().Get("Understudy-Diagnosis"); w.Code != http.StatusNotImplemented || !strings.HasSuffix(strings.TrimSuffix(diagnosis, ", or start with --extended"), family.Instead) || w.Header().Get("Allow") != "" {
					t.Errorf("%s%s: %d %v", request, slash, w.Code, w.Header())
				}
			}
		}
	}
}
