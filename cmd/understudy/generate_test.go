package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// generated runs understudy generate and returns what it prints.
func generated(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(t.Context(), append([]string{"understudy", "generate"}, args...), &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Fatalf("generate %v: exit %d: %s", args, code, &errs)
	}
	return out.String()
}

func TestGeneratePrintsEachKindOfResource(t *testing.T) {
	t.Parallel()
	var report api.Report
	var request api.VerificationRequest
	var check api.QualificationCheck
	var property api.TenantProperty
	for args, into := range map[string]any{
		"report --scenario contractor --set pay.frequency=weekly":                                          &report,
		"verification-request --ssn 000-12-3456 --set type=tenant-screening --set report.pay.paystubs=3":   &request,
		"qualification-check --id qc_mine --set kind=guarantor --set rent=1450 --set report.pay.rate=44.5": &check,
		"tenant-property --set set.status=archived":                                                        &property,
	} {
		if err := json.Unmarshal([]byte(generated(t, strings.Fields(args)...)), into); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
	if report.Employee.Positions[0].EmploymentType != api.EmploymentContractor1099 || *report.Employee.Salary.PayFrequency != api.PayWeekly {
		t.Errorf("report %+v", report.Employee)
	}
	if request.Type != api.TypeTenantScreening || len(request.Reports) != 1 || len(request.Reports[0].Paystubs) != 3 {
		t.Errorf("request %+v", request)
	}
	if check.ID != "qc_mine" || check.Kind != api.KindGuarantor || check.PropertyDetails.Rent != "1450.00" {
		t.Errorf("check %+v", check)
	}
	if property.Status != "archived" {
		t.Errorf("property %+v", property)
	}
}

// Issue: the same command gives the same SHA-256 on two runs, however the work is spread.
func TestGenerateManyIsInOrderAndTheSameEveryTime(t *testing.T) {
	t.Parallel()
	args := []string{"report", "--count", "700", "--set", "pay.paystubs=1"}
	lines := generated(t, append(args, "--format", "ndjson")...)
	if again := generated(t, append(args, "--format", "ndjson")...); again != lines {
		t.Error("another run prints other bytes")
	}
	if n := strings.Count(lines, "\n"); n != 700 {
		t.Errorf("%d lines", n)
	}
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(generated(t, args...)), &list); err != nil || len(list) != 700 {
		t.Fatalf("%d in the list: %v", len(list), err)
	}
	number := 0
	people := make(map[string]bool)
	for line := range strings.Lines(lines) {
		var compact bytes.Buffer
		if err := json.Compact(&compact, list[number]); err != nil || compact.String()+"\n" != line {
			t.Fatalf("document %d of the list is not that of the lines: %v", number, err)
		}
		var r api.Report
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		people[r.ID] = true
		number++
	}
	if len(people) != 700 {
		t.Errorf("%d different reports", len(people))
	}
	if first := generated(t, "report", "--set", "pay.paystubs=1", "--format", "ndjson"); !strings.HasPrefix(lines, first) {
		t.Error("the first of many is not the one of one")
	}
	if seeded := generated(t, append(args, "--format", "ndjson", "--seed", "2")...); seeded == lines {
		t.Error("another seed prints the same bytes")
	}
}

func TestGenerateForANumberIsThePersonOfItsSession(t *testing.T) {
	t.Parallel()
	dashed, plain := generated(t, "report", "--ssn", "000-12-3456"), generated(t, "report", "--ssn", "000123456")
	if dashed != plain || dashed == generated(t, "report", "--ssn", "000-12-3457") {
		t.Error("the number does not decide who it is")
	}
	if strings.Contains(dashed, "12-3456") {
		t.Error("the number is told")
	}
	if !strings.Contains(dashed, `"***-**-3456"`) {
		t.Error("its last four digits are not shown")
	}
}

func TestGenerateWithAnalyticsShowsThem(t *testing.T) {
	t.Parallel()
	var r api.Report
	if err := json.Unmarshal([]byte(generated(t, "report", "--analytics")), &r); err != nil || r.IncomeAnalytics == nil {
		t.Errorf("%v, analytics %v", err, r.IncomeAnalytics)
	}
}

func TestGenerateRefusesWhatIsNotRightInOneLine(t *testing.T) {
	t.Parallel()
	for args, message := range map[string]string{
		"report --set pay.frequency=weakly":  `--set: unknown value "weakly": did you mean weekly?`,
		"report --set pay.base=1":            "--set: base is a year's pay, from 1000.00 to 100000000.00",
		"report --count 0":                   `--count "0" is not a whole number above 0`,
		"report --count 2 --id a":            "--count is for documents of many people: leave --id and --ssn out",
		"report --format xml":                `--format "xml" is neither json nor ndjson`,
		"report --at now":                    `--at "now" is not an RFC 3339 instant such as 2025-01-15T09:00:00Z`,
		"report --at 1900-01-01T00:00:00Z":   `--at "1900-01-01T00:00:00Z": choose a year from 1970 to 9990`,
		"report --ssn 12":                    "--ssn must be a social security number",
		"report --scenario contracter":       `--scenario "contracter" is none: did you mean contractor?`,
		"verification-request --set id=vr_a": `--set: unknown key "id"`,
		"reports":                            `there is no command "reports": did you mean report?`,
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), append([]string{"understudy", "generate"}, strings.Fields(args)...), &out, &errs)
		if code != exitUsage || out.Len() > 0 || !strings.HasPrefix(errs.String(), "understudy: "+message) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%s: exit %d: %s", args, code, &errs)
		}
	}
}

func TestAValueThatIsSetMayHaveCommas(t *testing.T) {
	t.Parallel()
	v := generated(t, "verification-request", "--set", "documents=[a.pdf, b.pdf]", "--set", "report.employee.title=Director, Sales")
	for _, part := range []string{`"a.pdf"`, `"b.pdf"`, `"Director, Sales"`} {
		if !strings.Contains(v, part) {
			t.Errorf("%s is not in it", part)
		}
	}
}

func TestGenerateEndsWhenItIsToldTo(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"understudy", "generate", "report", "--count", "1000000000", "--format", "ndjson"}, &out, &errs); code != exitFailed {
		t.Errorf("exit %d: %s", code, &errs)
	}
}
