package generate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/commandtest"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// generated returns the output of understudy generate.
func generated(t *testing.T, args ...string) string {
	t.Helper()
	got := commandtest.Understudy(t, append([]string{"generate"}, args...)...)
	if got.Code != command.ExitOK || got.Stderr != "" {
		t.Fatalf("generate %v: exit %d: %s", args, got.Code, got.Stderr)
	}
	return got.Stdout
}

func TestGenerateKinds(t *testing.T) {
	t.Parallel()
	report := commandtest.Decoded[api.Report](t, generated(t, "report", "--scenario", "contractor", "--set", "pay.frequency=weekly", "--analytics"))
	request := commandtest.Decoded[api.VerificationRequest](t, generated(t, "verification-request", "--ssn", "000-12-3456", "--set", "type=tenant-screening", "--set", "report.pay.paystubs=3"))
	check := commandtest.Decoded[api.QualificationCheck](t, generated(t, "qualification-check", "--id", "qc_mine", "--set", "kind=guarantor", "--set", "rent=1450", "--set", "report.pay.rate=44.5"))
	property := commandtest.Decoded[api.TenantProperty](t, generated(t, "tenant-property", "--set", "set.status=archived"))
	if report.Employee.Positions[0].EmploymentType != api.EmploymentContractor1099 || *report.Employee.Salary.PayFrequency != api.PayWeekly || report.IncomeAnalytics == nil {
		t.Errorf("report %+v", report)
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

// The output is the same in every run, although documents are generated in parallel.
func TestGenerateMany(t *testing.T) {
	t.Parallel()
	args := []string{"report", "--count", "700", "--set", "pay.paystubs=1"}
	asLines := append(args, "--format", "ndjson")
	lines := generated(t, asLines...)
	if generated(t, asLines...) != lines {
		t.Error("another run prints other bytes")
	}
	if n := strings.Count(lines, "\n"); n != 700 {
		t.Errorf("%d lines", n)
	}
	list := commandtest.Decoded[[]json.RawMessage](t, generated(t, args...))
	if len(list) != 700 {
		t.Fatalf("%d in the list", len(list))
	}
	number, people := 0, make(map[string]bool)
	for line := range strings.Lines(lines) {
		var compact bytes.Buffer
		if err := json.Compact(&compact, list[number]); err != nil || compact.String()+"\n" != line {
			t.Fatalf("document %d differs between json and ndjson: %v", number, err)
		}
		people[commandtest.Decoded[api.Report](t, line).ID] = true
		number++
	}
	if len(people) != 700 {
		t.Errorf("%d different reports", len(people))
	}
	if first := generated(t, "report", "--set", "pay.paystubs=1", "--format", "ndjson"); !strings.HasPrefix(lines, first) {
		t.Error("the first of many differs from a single one")
	}
	if seeded := generated(t, append(asLines, "--seed", "2")...); seeded == lines {
		t.Error("another seed prints the same bytes")
	}
}

func TestGenerateSSN(t *testing.T) {
	t.Parallel()
	dashed, plain := generated(t, "report", "--ssn", "000-12-3456"), generated(t, "report", "--ssn", "000123456")
	if dashed != plain || dashed == generated(t, "report", "--ssn", "000-12-3457") {
		t.Error("the person does not depend on the SSN alone")
	}
	if strings.Contains(dashed, "12-3456") || !strings.Contains(dashed, `"***-**-3456"`) {
		t.Error("more than the last four digits are printed")
	}
}

func TestGenerateSetCommas(t *testing.T) {
	t.Parallel()
	v := generated(t, "verification-request", "--set", "documents=[a.pdf, b.pdf]", "--set", "report.employee.title=Director, Sales")
	for _, part := range []string{`"a.pdf"`, `"b.pdf"`, `"Director, Sales"`} {
		if !strings.Contains(v, part) {
			t.Errorf("no %s in the output", part)
		}
	}
}

func TestGenerateSetFields(t *testing.T) {
	t.Parallel()
	request := commandtest.Decoded[api.VerificationRequest](t, generated(t, "verification-request", "--set", "state=canceled", "--set", "set.cancellation_reason=competitor", "--set", "use_case=other"))
	if request.State != api.StateCanceled || *request.CancellationReason != "competitor" || request.UseCase != "other" || request.Reports != nil {
		t.Errorf("request %+v", request)
	}
	report := commandtest.Decoded[api.Report](t, generated(t, "report", "--analytics", "--set", "set.paystubs.1.net=null", "--set", "set.income_analytics.income_volatility=null"))
	if report.Paystubs[1].Net != nil || report.Paystubs[0].Net == nil || report.IncomeAnalytics.IncomeVolatility != nil || report.IncomeAnalytics.AnnualizedIncome == nil {
		t.Errorf("report %+v", report)
	}
	commandtest.Understudy(t, "generate", "report", "--set", "company.state=Oregon").Want(t, command.ExitUsage, `--set: company.state "Oregon" is not the code of a state: write OR`)
	commandtest.Understudy(t, "generate", "report", "--set", "employee.title=Clerk #7").Want(t, command.ExitUsage, `--set: title ends before the #, which begins a comment: put the text in quotes, "Clerk #7"`)
	commandtest.Understudy(t, "generate", "report", "--set", "set.paystubs.26.net=null").Want(t, command.ExitUsage, "--set: paystubs.26 is not there: elements are counted from 0, and the list has 26")
	commandtest.Understudy(t, "generate", "qualification-check", "--set", "set.result.report_results.1.report_id=rep_1").Want(t, command.ExitUsage, "--set: result.report_results.1 is not there")
}

// Nobody is hired before the age of 16, also where day and date of birth are given: then both keys are refused.
func TestGenerateHireAndBirth(t *testing.T) {
	t.Parallel()
	now, err := time.Parse(time.RFC3339, command.GeneratedAt)
	commandtest.NoError(t, err)
	rapid.Check(t, func(r *rapid.T) {
		age, hired, kind := rapid.IntRange(18, 60).Draw(r, "age"), rapid.IntRange(30, 16_000).Draw(r, "hired"), rapid.SampledFrom([]string{"", "--mix"}).Draw(r, "mix")
		born := now.AddDate(-age, 0, 0)
		args := []string{"generate", "verification-request", "--set", "state=completed", "--set", "person.date_of_birth=" + born.Format(time.DateOnly), "--set", fmt.Sprintf("report.employee.hired=%d days ago", hired), kind}
		got := commandtest.Understudy(t, slices.DeleteFunc(args, func(arg string) bool { return arg == "" })...)
		if now.AddDate(0, 0, -hired).Before(born.AddDate(16, 0, 0)) {
			got.Want(t, command.ExitUsage, "--set: employee.hired is ", "date_of_birth")
		} else if got.Code != command.ExitOK {
			r.Errorf("%v: exit %d: %s", args, got.Code, got.Stderr)
		}
	})
}

func TestGenerateInterrupted(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	if code := commandtest.Execute(ctx, &out, &errs, "generate", "report", "--count", "1000000000", "--format", "ndjson"); code != command.ExitFailed {
		t.Errorf("exit %d: %s", code, &errs)
	}
}

// Two scenarios share no ids, and two documents of one scenario do not either.
func TestGenerateScenarios(t *testing.T) {
	t.Parallel()
	from := map[string]string{} // by id
	for _, name := range []string{"", "contractor", "stale", "disputed", "frequency-weekly"} {
		args := []string{"verification-request", "--count", "3"}
		if name != "" {
			args = append(args, "--scenario", name)
		}
		for _, v := range commandtest.Decoded[[]api.VerificationRequest](t, generated(t, args...)) {
			ids := []string{v.ID, v.Reports[0].ID}
			for _, p := range v.Reports[0].Paystubs {
				ids = append(ids, p.ID)
			}
			for _, d := range v.Reports[0].Disputes {
				ids = append(ids, d.ID)
			}
			for _, id := range ids {
				if other, ok := from[id]; ok {
					t.Errorf("%s is of %q and of %q", id, other, name)
				}
				from[id] = name
			}
		}
	}
}
