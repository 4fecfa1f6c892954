package decode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/scenarios"
)

func TestMatrix(t *testing.T) {
	t.Parallel()
	found, problems := scenarios.Parse("m.yaml", []byte(`
matrix: {state: [pending-approval, completed], n: [1, 2]}
name: <state>-<n>
title: The <n>. <state>
magic: {verification_request: vr_<state_>_<n>}
verification_request:
  timeline: [{state: <state>}]
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, s := range found {
		got = append(got, s.Name+" "+s.Title+" "+s.Magic.VerificationRequest+" "+string(s.Timeline()[0].State))
	}
	want := []string{
		"pending-approval-1 The 1. pending-approval vr_pending_approval_1 pending-approval",
		"completed-1 The 1. completed vr_completed_1 completed",
		"pending-approval-2 The 2. pending-approval vr_pending_approval_2 pending-approval",
		"completed-2 The 2. completed vr_completed_2 completed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMatrixSize(t *testing.T) {
	t.Parallel()
	for _, matrix := range []string{
		"{n: []}",
		"{a: [1], n: []}",
		"{" + strings.Repeat("xx", 20) + ": [1, 2], a: [" + strings.Repeat("1,\n  ", 999) + "1]}",
	} {
		found, problems := scenarios.Parse("m.yaml", []byte("matrix: "+matrix+"\nname: a\ntitle: a\nmagic: {tenant_property: a}\n"))
		if len(found) > 0 || len(problems) != 1 || !strings.Contains(problems.Error(), "1 to 1000 scenarios") {
			t.Errorf("%.20s…: %d scenarios, %v", matrix, len(found), problems)
		}
	}
}

func TestMatrixSizeLargeFile(t *testing.T) {
	t.Parallel()
	rules := strings.Repeat("  - {on: get, calls: 1, fault: empty}\n", 1000)
	for values, refused := range map[string]bool{strings.Repeat("1,", 10): false, strings.Repeat("1,\n ", 400): true} {
		text := "matrix: {n: [" + values + "1]}\nname: a<n>\ntitle: a\nmagic: {tenant_property: a<n>}\nrules:\n" + strings.ReplaceAll(rules, "get", "update")
		if _, problems := scenarios.Parse("m.yaml", []byte(text)); (problems.Errors() > 0) != refused {
			t.Errorf("refused: %t, want %t: %v", !refused, refused, problems)
		}
	}
}

// Drawing documents takes time: what set contradicts in them is looked for in the first scenarios of a matrix only.
func TestMatrixDrawn(t *testing.T) {
	t.Parallel()
	for name, rest := range map[string]string{
		"an element that is not there": "magic: {verification_request: vr_<n>}\nreports: [{pay: {paystubs: <n>}, set: {paystubs: {1: {net: null}}}}]\n",
		"a set result of a check":      "magic: {qualification_check: qc_<n>}\nqualification_check: {income_multiple: <n>, rent: 5000, set: {result: {outcome: not_qualified}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			for values, warned := range map[string]int{"6, 5, 4, 3, 1": 1, "6, 5, 4, 3, 2, 1": 0} {
				_, problems := scenarios.Parse("m.yaml", []byte("matrix: {n: ["+values+"]}\nname: a<n>\ntitle: a\n"+rest))
				if len(problems) != warned {
					t.Errorf("%s: %v", values, problems)
				}
			}
		})
	}
}

func TestMatrixValuesArePlain(t *testing.T) {
	t.Parallel()
	found, problems := scenarios.Parse("m.yaml", []byte("matrix: {a: ['<b>'], b: ['<a>']}\nname: a\ntitle: <a> <b>\nmagic: {tenant_property: t}\n"))
	if len(found) != 1 || found[0].Title != "<b> <a>" {
		t.Errorf("%+v %v", found, problems)
	}
}
