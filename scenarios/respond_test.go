package scenarios_test

import (
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/scenarios"
)

// The variables of a matrix are filled into a body, whose HTML has no other placeholders, up to its limit.
func TestRespondBodyInMatrix(t *testing.T) {
	t.Parallel()
	file := func(size string) []byte {
		return []byte("matrix: {x: [" + size + "]}\nname: n\ntitle: t\nmagic: {verification_request: vr_<x>}\nrules:\n" +
			"  - {on: get, respond: {status: 500, body: '<html><x></html>" + strings.Repeat("<x>", 7_000) + "'}}\n")
	}
	found, problems := scenarios.Parse("f", file("a"))
	if problems.Errors() > 0 || !strings.HasPrefix(found[0].Rules[0].Respond.Body.Text, "<html>a</html>aaa") {
		t.Error(problems)
	}
	_, problems = scenarios.Parse("f", file("abcdefghij"))
	if problems.Errors() != 1 || !strings.Contains(problems.Error(), "has 70023 bytes: a body may have 65536 (64 KiB)") {
		t.Error(problems)
	}
}

// A refused rule has the errors only, without the warnings before them.
func TestRuleJSONErrorsFirst(t *testing.T) {
	t.Parallel()
	_, err := scenarios.RuleJSON("rule", []byte(`{on: get, respond: {status: 502, headers: {Content-Type: text/html}}}`))
	if err == nil || !strings.HasPrefix(err.Error(), "rule:1:44: the header Content-Type") || strings.Contains(err.Error(), "warning") {
		t.Error(err)
	}
	if _, err := scenarios.RuleJSON("rule", []byte(`{on: get, respond: {status: 502}}`)); err != nil {
		t.Error(err)
	}
}
