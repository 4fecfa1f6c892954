package scenarios_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestRuleJSON(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		`{on: get, respond: {status: 500}, times: 2}`:             `{"on":"get","respond":{"status":500},"times":2}`,
		`{on: any, delay: {between: [50ms, 250ms]}}`:              `{"on":"any","delay":{"between":["50ms","250ms"]}}`,
		"on: get\ncalls: 2-3 # twice\nfault: empty\n":             `{"on":"get","calls":"2-3","fault":"empty"}`,
		`{on: get, probability: 0.10, fault: truncated}`:          `{"on":"get","probability":0.10,"fault":"truncated"}`,
		`{on: webhook, state: completed, deliver: twice}`:         `{"on":"webhook","state":"completed","deliver":"twice"}`,
		`{on: webhook, deliver: {late: 2h}}`:                      `{"on":"webhook","deliver":{"late":"2h"}}`,
		`{on: any, state: processing, limit: 10/s}`:               `{"on":"any","state":"processing","limit":"10/s"}`,
		"on: get\nrespond: {status: 500}\nevery: 5":               `{"on":"get","respond":{"status":500},"every":5}`,
		"on: get\nrespond:\n  status: 500\n  message: |\n    a\n": `{"on":"get","respond":{"status":500,"message":"a\n"}}`,
		// A conversion of YAML's numbers would change these texts.
		`{on: get, respond: {status: 500, message: 007}}`:                `{"on":"get","respond":{"status":500,"message":"007"}}`,
		`{on: get, respond: {status: 429, headers: {Retry-After: 0x1}}}`: `{"on":"get","respond":{"status":429,"headers":{"Retry-After":"0x1"}}}`,
		`{"on":"get", "fault":"empty"}`:                                  `{"on":"get", "fault":"empty"}`,
	} {
		got, err := scenarios.RuleJSON("rule", []byte(rule))
		if err != nil || string(got) != want || !json.Valid(got) {
			t.Errorf("%s becomes %s, %v, want %s", rule, got, err, want)
			continue
		}
		before, _ := scenarios.ParseRule("rule", []byte(rule))
		after, problems := scenarios.ParseRule("rule", got)
		if diff := cmp.Diff(before, after, cmpopts.IgnoreTypes(scenarios.Position{}), cmpopts.EquateEmpty()); diff != "" || problems != nil {
			t.Errorf("%s: %v\n%s", rule, problems, diff)
		}
	}
}

func TestRuleJSONProblem(t *testing.T) {
	t.Parallel()
	got, err := scenarios.RuleJSON("rule", []byte(`{on: fetch, fault: empty}`))
	problems := (scenarios.Problems)(nil)
	if got != nil || !errors.As(err, &problems) || !strings.HasPrefix(problems[0].What, `unknown value "fetch" for on: must be one of any, get, cancel, update, create, `) {
		t.Errorf("%s, %v", got, err)
	}
}

// A stored rule may have numbers where the language has texts, since RuleJSON writes every number as one.
func TestParseRuleStored(t *testing.T) {
	t.Parallel()
	stored, err := scenarios.RuleJSON("rule", []byte(`{on: get, respond: {status: 429, headers: {Retry-After: 1}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if rule, problems := scenarios.ParseRule("rule", stored); len(problems) > 0 || rule.Respond.Headers["Retry-After"] != "1" {
		t.Errorf("%s is read as %v: %v", stored, rule, problems)
	}
	if _, err := scenarios.RuleJSON("rule", stored); err == nil {
		t.Errorf("%s is accepted from a client", stored)
	}
}
