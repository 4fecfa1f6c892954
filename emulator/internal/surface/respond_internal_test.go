package surface

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/grease"
	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
)

// A header that a rule sets replaces that of a refusal, and the other ones stay.
func TestAnswerHeaders(t *testing.T) {
	t.Parallel()
	refusal := api.NewError(http.StatusTooManyRequests, "")
	refusal.SetHeader("Retry-After", "1")
	refusal.SetHeader("X-Own", "1")
	changed := http.Header{"Retry-After": {"9"}, "X-Queue": {"long"}}
	a := outcome{err: refusal, decision: rules.Decision{Header: changed}}.answer(&operation{})
	if h := a.header; h.Get("Retry-After") != "9" || h.Get("X-Own") != "1" || h.Get("X-Queue") != "long" {
		t.Errorf("the answer has %v", h)
	}
	if refusal.Header.Get("Retry-After") != "1" || changed.Get("X-Own") != "" {
		t.Error("the headers of the refusal, or of the rule, have changed")
	}
}

// A diagnosis of 1024 bytes is whole, and a longer one is cut to as many.
func TestDiagnosisLength(t *testing.T) {
	t.Parallel()
	for length, want := range map[int]string{1024: "xxx", 1025: "..."} {
		answered := httptest.NewRecorder()
		x := &exchange{writer: answered, operation: new(operation)}
		x.setHeaders(outcome{}, answer{diagnosis: diagnosis{texts: []string{strings.Repeat("x", length)}}})
		if got := answered.Header().Get("Understudy-Diagnosis"); len(got) != 1024 || !strings.HasSuffix(got, want) {
			t.Errorf("%d bytes are shown as %d, ending in %s", length, len(got), got[len(got)-3:])
		}
	}
}

// The answer of a rule is not greased.
func TestAnswerOfRuleUngreased(t *testing.T) {
	t.Parallel()
	refusal := api.NewError(http.StatusForbidden, "")
	out := outcome{err: refusal, grease: new(grease.Grease), decision: rules.Decision{Answer: refusal}}
	if a := out.answer(&operation{}); string(a.body) != string(api.RenderError(refusal)) {
		t.Errorf("the answer is %s", a.body)
	}
}
