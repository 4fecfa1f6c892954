package scenarios_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// beginnings are instants at which worlds begin: ends of months and years, leap days, and days on which clocks change.
var beginnings = []time.Time{
	time.Date(2024, time.February, 28, 23, 59, 59, 0, time.UTC),
	time.Date(2024, time.February, 29, 12, 0, 0, 0, time.UTC),
	time.Date(2024, time.March, 10, 6, 59, 0, 0, time.UTC),
	time.Date(2024, time.March, 31, 1, 0, 0, 0, time.UTC),
	time.Date(2024, time.November, 3, 5, 30, 0, 0, time.UTC),
	time.Date(2024, time.December, 31, 23, 59, 59, 0, time.UTC),
	time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC),
	time.Date(2025, time.March, 1, 0, 0, 0, 0, time.UTC),
	time.Date(2100, time.February, 28, 0, 0, 0, 0, time.UTC),
}

// drawBeginning draws an instant at which a world begins.
func drawBeginning(t *rapid.T) time.Time {
	began := rapid.SampledFrom(beginnings).Draw(t, "began")
	return began.AddDate(0, 0, rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 800)).Draw(t, "days later"))
}

// forEachWorld checks what a built-in magic request shows of its report in worlds of any seed, as they begin.
func forEachWorld(t *testing.T, tests map[string]func(r api.Report) bool) {
	t.Helper()
	c := builtin(t)
	for id, holds := range tests {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			shape := c.ByID(scenarios.VerificationRequestID, id).VerificationShape()
			rapid.Check(t, func(t *rapid.T) {
				g, began := fixtures.Generator{Seed: rapid.Uint64().Draw(t, "seed")}, drawBeginning(t)
				progress := fixtures.Progress{State: api.StateCompleted, Created: began.Add(-g.Turnaround(id)), Completed: began}
				v := g.VerificationRequest(id, id, shape, progress).Analyzed(began)
				if !holds(v.Reports[0]) {
					body, _ := api.Render(v)
					t.Fatalf("%s", body)
				}
			})
		})
	}
}

func TestBoundaries(t *testing.T) {
	t.Parallel()
	variable := func(volatility api.Decimal, warns bool) func(api.Report) bool {
		return func(r api.Report) bool {
			income := r.IncomeAnalytics
			return *income.IncomeVolatility.GrossIncomeVolatility == volatility && income.AnnualizedIncome.VariableIncomeWarning == warns &&
				len(r.Paystubs) == 2 && *r.Paystubs[0].PayPeriodEndDate-*r.Paystubs[0].PayPeriodStartDate == 13 &&
				*r.Paystubs[1].PayPeriodEndDate-*r.Paystubs[1].PayPeriodStartDate == 13
		}
	}
	employed := func(days api.Date, warns bool) func(api.Report) bool {
		return func(r api.Report) bool {
			return r.CurrentAsOf-*r.Employee.HiredDate == days && r.IncomeAnalytics.AnnualizedIncome.ShortEmploymentWarning == warns && len(r.Paystubs) > 1
		}
	}
	old := func(days api.Date, warns bool) func(api.Report) bool {
		return func(r api.Report) bool {
			return r.CurrentAsOf-*r.Paystubs[0].PayPeriodEndDate == days && *r.PaidThroughDate == *r.Paystubs[0].PayPeriodEndDate &&
				r.IncomeAnalytics.AnnualizedIncome.StaleDataWarning == warns
		}
	}
	forEachWorld(t, map[string]func(api.Report) bool{
		"vr_employed_89_days":  employed(89, true),
		"vr_employed_90_days":  employed(90, false),
		"vr_data_60_days_old":  old(60, false),
		"vr_data_61_days_old":  old(61, true),
		"vr_volatility_0_2499": variable("0.2499", false),
		"vr_volatility_0_2501": variable("0.2501", true),
		"vr_zero_hours": func(r api.Report) bool {
			for i, p := range r.Paystubs {
				if zero := i < 2; zero != (*p.PayPeriodHours == "0.00") || zero != (*p.Gross == "0.00") || zero != (*p.Net == "0.00") {
					return false
				}
			}
			return r.Employee.Status == api.EmploymentActive && *r.Employee.Salary.GrossPay == "24.50" && *r.IncomeAnalytics.AnnualizedIncome.BaseAmount.Amount > "0.00"
		},
	})
}

func TestIncomplete(t *testing.T) {
	t.Parallel()
	complete := func(p api.Paystub) bool {
		return p.PayPeriodStartDate != nil && p.PayPeriodEndDate != nil && p.PayPeriodHours != nil && p.Gross != nil && p.Net != nil
	}
	forEachWorld(t, map[string]func(api.Report) bool{
		"vr_missing_period_ends": func(r api.Report) bool {
			ended := func(p api.Paystub) bool { return p.PayPeriodEndDate != nil || p.PayPeriodStartDate == nil }
			return len(r.Paystubs) == 26 && !slices.ContainsFunc(r.Paystubs, ended) && *r.PaidThroughDate == *r.Paystubs[0].PayDate
		},
		"vr_missing_hours": func(r api.Report) bool {
			hours := func(p api.Paystub) bool { return p.PayPeriodHours != nil || p.PayPeriodEndDate == nil }
			return len(r.Paystubs) >= 12 && !slices.ContainsFunc(r.Paystubs, hours) && *r.Employee.Salary.PayFrequency == api.PayHourly
		},
		"vr_one_null_member": func(r api.Report) bool {
			null := r.Paystubs[0].Net == nil
			r.Paystubs[0].Net = r.Paystubs[0].Gross
			return null && !slices.ContainsFunc(r.Paystubs, func(p api.Paystub) bool { return !complete(p) })
		},
		"vr_missing_month": func(r api.Report) bool {
			gaps, paid := 0, map[string]float64{}
			for i, p := range r.Paystubs {
				if i > 0 && *p.PayPeriodEndDate+1 < *r.Paystubs[i-1].PayPeriodStartDate {
					gaps++
				}
				paid[fmt.Sprint(p.PayDate.Year())] += number(*p.Gross)
			}
			for _, year := range r.Employee.Earnings { // of a year whose paystubs are all shown
				if r.Paystubs[len(r.Paystubs)-1].PayDate.Year() < r.Paystubs[0].PayDate.Year() && *year.Year == fmt.Sprint(r.Paystubs[0].PayDate.Year()) &&
					fmt.Sprintf("%.2f", paid[*year.Year]) != string(year.Total) {
					return false
				}
			}
			return gaps == 1 && len(r.Paystubs) >= 23 && len(r.Paystubs) <= 24
		},
		"vr_missing_year": func(r api.Report) bool {
			years := r.Employee.Earnings
			return len(years) == 2 && number(api.Decimal(*years[0].Year))-number(api.Decimal(*years[1].Year)) == 2
		},
	})
}

func number(d api.Decimal) float64 {
	n, _ := strconv.ParseFloat(string(d), 64)
	return n
}

func TestQualificationBoundaries(t *testing.T) {
	t.Parallel()
	c := builtin(t)
	for id, want := range map[string]struct {
		ratio, multiple api.Decimal
		outcome         api.QualificationOutcome
	}{
		"qc_ratio_0_4000":           {"0.40", "2.50", api.OutcomeQualified},
		"qc_ratio_0_4001":           {"0.4001", "2.50", api.OutcomeNotQualified},
		"qc_guarantor_ratio_0_2000": {"0.20", "2.50", api.OutcomeQualified},
		"qc_guarantor_ratio_0_2001": {"0.2001", "2.50", api.OutcomeNotQualified},
		"qc_income_multiple_3_00":   {"0.3333", "3.00", api.OutcomeQualified},
		"qc_income_multiple_2_99":   {"0.3344", "3.00", api.OutcomeNotQualified},
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			shape := c.ByID(scenarios.QualificationCheckID, id).QualificationShape()
			rapid.Check(t, func(t *rapid.T) {
				g := fixtures.Generator{Seed: rapid.Uint64().Draw(t, "seed")}
				q := g.QualificationCheck(id, id, shape, drawBeginning(t))
				if *q.Result.MonthlyGrossIncome != "5000.00" || *q.Result.RentToIncomeRatio != want.ratio || q.Result.Outcome != want.outcome ||
					*q.QualificationCheckSet.IncomeMultiple != want.multiple {
					body, _ := api.Render(q)
					t.Fatalf("%s", body)
				}
			})
		})
	}
}

// Built-in people are hired and dismissed, and go on leave, on workdays, unless their file says that days are exact, or has a date.
func TestWorkdays(t *testing.T) {
	t.Parallel()
	holidays := map[string]bool{"2022-07-04": true, "2022-11-11": true, "2022-11-24": true, "2022-12-26": true, "2023-07-04": true, "2024-11-28": true, "2024-12-25": true, "2025-01-01": true}
	workday := func(d *api.Date, given *fixtures.Days) bool {
		if text, err := cmp.Or(given, new(fixtures.Days)).MarshalText(); err == nil && d != nil && string(text) == d.String() {
			return true
		}
		return d == nil || d.Weekday() != time.Saturday && d.Weekday() != time.Sunday && !holidays[d.String()]
	}
	for _, s := range builtin(t).All() {
		exact := strings.HasSuffix(s.At.File, "verification-requests/boundaries.yaml")
		if shape := s.VerificationShape(); len(s.Reports) > 0 && !exact {
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				for days := range 40 {
					began := time.Date(2024, time.December, 1+days, 9, 0, 0, 0, time.UTC)
					g := fixtures.Generator{Seed: 1, Began: began}
					v := g.VerificationRequest(s.Name, s.Name, shape, fixtures.Progress{State: api.StateCompleted, Created: began, Completed: began})
					for i, r := range v.Reports {
						e, given := r.Employee, shape.Reports[i].Employee
						if !workday(e.HiredDate, given.Hired) || !workday(e.TerminationDate, given.Terminated) || !workday(e.OnLeaveDate, given.OnLeave) {
							t.Fatalf("in a world of %s: hired %v, on leave %v, terminated %v", began, e.HiredDate, e.OnLeaveDate, e.TerminationDate)
						}
					}
				}
			})
		}
	}
}
