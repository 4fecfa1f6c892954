package surface

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/internal/rules"
)

// A header of a rule takes the place of the usual one and of a refusal's own, such as the Retry-After of a 429 for lack of
// memory. A header without values is not sent. A failure of the emulator has no headers of a rule.
func TestHeaderOrder(t *testing.T) {
	t.Parallel()
	refusal := http.Header{"Retry-After": {"1"}, "Allow": {"GET"}}
	rule := rules.Decision{Header: http.Header{"Retry-After": {"9"}, "Content-Type": nil, "X-Proxy": {"a"}}}
	for name, tt := range map[string]struct {
		answer answer
		want   http.Header
	}{
		"no refusal": {answer{}, http.Header{"Retry-After": {"9"}, "Content-Type": nil, "Content-Length": {"0"}, "X-Proxy": {"a"}}},
		"a refusal":  {answer{header: refusal}, http.Header{"Retry-After": {"9"}, "Allow": {"GET"}, "Content-Type": nil, "Content-Length": {"0"}, "X-Proxy": {"a"}}},
		"a failure": {answer{header: refusal, failure: errors.New("broken")},
			http.Header{"Retry-After": {"1"}, "Allow": {"GET"}, "Content-Type": {"application/json"}, "Content-Length": {"0"}}},
	} {
		writer := httptest.NewRecorder()
		x := &exchange{writer: writer, operation: &operation{}}
		x.setHeaders(outcome{decision: rule}, tt.answer)
		if diff := cmp.Diff(tt.want, writer.Header()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
