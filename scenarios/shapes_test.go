package scenarios_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const shaped = `name: shaped
title: Every key of a shape
magic: {verification_request: vr_shaped}
verification_request:
  type: tenant-screening
  pricing_tier: smart-outreach
  turnaround: none
  documents: [lease.pdf]
  metadata: {case: "7"}
  reseller_originating_party: {originating_party: First Example Bank, permissible_purpose: credit-application, use_case: auto}
  employer_filter: all-employers
  completed: 90 days ago
  set: {branch_id: null, target: {contact_email: null}}
reports:
  - employee: {status_detail: part-time, hired: 420 days ago, positions: 2, title: Archivist}
    pay: {frequency: biweekly, base: 62000.00, overtime: occasional, paystubs: 26, variation: 0.08, hours_per_week: 32.5, raise: 0.03, provider_changed: 120 days ago}
    disputes: [{description: The employee disputes the hours., opened: 12 days ago}]
    set: {respondent: null, employee: {salary: {hours_per_week: null}}}
  - employee: {status_detail: future-employee, hired: in 14 days}
    pay: {rate: 21.50, months_per_year: 10}
`

func TestShapes(t *testing.T) {
	t.Parallel()
	found, problems := scenarios.Parse("f.yaml", []byte(shaped))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	began := time.Date(2025, time.April, 15, 9, 30, 0, 0, time.UTC)
	done := found[0].Completed(began)
	if want := began.AddDate(0, 0, -90); !done.Equal(want) {
		t.Errorf("completed %s, want %s", done, want)
	}
	v := fixtures.Generator{Seed: 1}.VerificationRequest("vr_shaped", "vr_shaped", found[0].VerificationShape(),
		fixtures.Progress{State: api.StateCompleted, Created: done.Add(-time.Hour), Completed: done})
	if v.BranchID != nil || v.Target.ContactEmail != nil || v.TurnaroundTime.BestEstimate != nil || *v.Documents[0].Filename != "lease.pdf" ||
		v.Metadata["case"] != "7" || v.ResellerOriginatingParty.UseCase != "auto" || v.RequestParameters.EmployerFilter != api.EmployersAll {
		t.Errorf("request %+v", v)
	}
	first, second := v.Reports[0], v.Reports[1]
	if e := first.Employee; *e.HiredDate != first.CurrentAsOf-420 || *e.Positions[1].Title != "Archivist" || e.Salary.HoursPerWeek != nil ||
		*e.Salary.GrossPay != "2384.62" || len(first.Paystubs) != 26 || first.Respondent != nil || len(first.Disputes) != 1 {
		t.Errorf("first report %+v", first)
	}
	if e := second.Employee; *e.HiredDate != second.CurrentAsOf+14 || *e.Salary.GrossPay != "21.50" || *e.Salary.MonthsPerYear != "10.00" {
		t.Errorf("second report %+v", second)
	}
}

func TestShapesViolation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, problem string }{
		"a rate beside a base":                                {"base: 62000.00", "base: 62000.00, rate: 30.00", "f.yaml:16:48: rate and base exclude each other: leave one of them out"},
		"a leave of an active employee":                       {"title: Archivist", "on_leave: 3 days ago", "f.yaml:15:77: on_leave needs the status_detail on-leave"},
		"an invalid day":                                      {"hired: 420 days ago", "hired: 420", `"420" is not a day such as 2022-01-10, 420 days ago`},
		"an invalid ratio":                                    {"variation: 0.08", "variation: 8%", `"8%" is not a ratio`},
		"an unknown extra, reported once":                     {"overtime: occasional", "overtime: ocasional", `unknown value "ocasional" for overtime: did you mean occasional?`},
		"a timeline beside completed":                         {"  completed:", "  timeline: [{state: processing}]\n  completed:", "completed is for a request that was completed before"},
		"a request with another id":                           {"{branch_id: null", "{id: vr_2", "set may not set id"},
		"a report with null for a field that is not nullable": {"{respondent: null", "{employer: null", "f.yaml:18:21: employer may not be null"},
		"a price of odd cents":                                {"{branch_id: null", "{price: {amount: 49.9}, branch_id: null", "f.yaml:13:25: price.amount must have two decimals, such as 49.95"},
		"a property without a magic value":                    {"reports:\n", "tenant_property: {set: {name: Quay}}\nreports:\n", "tenant_property needs a magic value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(shaped, tt.old) {
				t.Fatalf("the file has no %q", tt.old)
			}
			_, problems := scenarios.Parse("f.yaml", []byte(strings.Replace(shaped, tt.old, tt.new, 1)))
			if len(problems) != 1 || !strings.Contains(fmt.Sprint(problems[0].At, ": ", problems[0].What), tt.problem) {
				t.Errorf("problems %v, want %s", problems, tt.problem)
			}
		})
	}
}

// The variable income of the catalogue warns, whatever is drawn and whenever.
func TestVariableIncomeWarns(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := catalogue.ByID(scenarios.VerificationRequestID, "vr_variable_income")
	for _, day := range []string{"1970-01-02", "2023-12-31", "2024-01-01", "2024-02-29", "2025-01-15", "2025-03-01", "2026-11-22", "2099-12-31"} {
		began, _ := time.Parse(time.DateOnly, day)
		for seed := range uint64(100) {
			shape := s.VerificationShape()
			v := fixtures.Generator{Seed: seed}.VerificationRequest("vr_variable_income", "vr_variable_income", shape,
				fixtures.Progress{State: api.StateCompleted, Created: began.Add(-time.Hour), Completed: began}).Analyzed(began)
			if a := v.Reports[0].IncomeAnalytics; !a.AnnualizedIncome.VariableIncomeWarning {
				t.Errorf("%s, seed %d: volatility %s", day, seed, *a.IncomeVolatility.GrossIncomeVolatility)
			}
		}
	}
}
