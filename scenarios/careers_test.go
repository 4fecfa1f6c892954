package scenarios_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// clocks are leap days, ends and beginnings of years, and every first day and mid-month of 28 years: on them the weekdays
// of all dates repeat.
func clocks() (all []time.Time) {
	for year := 1996; year < 2030; year++ {
		all = append(all,
			time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC), time.Date(year, time.January, 3, 12, 0, 0, 0, time.UTC),
			time.Date(year, time.February, 28, 23, 59, 59, 0, time.UTC), time.Date(year, time.June, 1, 9, 30, 0, 0, time.UTC),
			time.Date(year, time.July, 15, 9, 30, 0, 0, time.UTC), time.Date(year, time.August, 31, 23, 0, 0, 0, time.UTC),
			time.Date(year, time.October, 10, 9, 30, 0, 0, time.UTC), time.Date(year, time.December, 31, 23, 59, 59, 0, time.UTC),
		)
	}
	return append(all, time.Date(2000, time.February, 29, 12, 0, 0, 0, time.UTC), time.Date(2024, time.February, 29, 0, 0, 0, 0, time.UTC))
}

// careers has what the title of each scenario of careers.yaml says.
var careers = map[string]func(reports []api.Report) string{
	"27-pay-dates": func(r []api.Report) string { return extraPayDate(r[0], 27) },
	"53-pay-dates": func(r []api.Report) string { return extraPayDate(r[0], 53) },
	"leave-return": func(r []api.Report) string {
		reduced, full := 0, *r[0].Employee.Salary.GrossPay
		for _, p := range r[0].Paystubs {
			if *p.PayPeriodHours == "48.00" {
				reduced++
				if share := cents(*p.Base) * 10 / cents(full); share < 5 || share > 6 {
					return "48 hours for " + string(*p.Base)
				}
			}
		}
		return unless(reduced >= 4 && reduced <= 6 && *r[0].Paystubs[0].PayPeriodHours == "80.00" && r[0].Employee.OnLeaveDate == nil,
			"%d paystubs of 48 hours", reduced)
	},
	"military-leave": func(r []api.Report) string {
		gap := api.Date(0)
		for i, p := range r[0].Paystubs[1:] {
			gap = max(gap, *r[0].Paystubs[i].PayPeriodStartDate-*p.PayPeriodEndDate-1)
		}
		return unless(gap >= 181 && gap <= 185 && len(r[0].Employee.Positions) == 1 && r[0].Employee.Status == api.EmploymentActive, "a gap of %d days", gap)
	},
	"union-steps": func(r []api.Report) string {
		var rates []int
		for _, p := range r[0].Paystubs {
			if rate := (cents(*p.Base)*100 + cents(*p.PayPeriodHours)/2) / cents(*p.PayPeriodHours); len(rates) == 0 || rates[len(rates)-1] != rate {
				rates = append(rates, rate)
			}
		}
		return unless(slices.Equal(rates, []int{35_25, 34_00, 32_75, 31_50}) && *r[0].Employee.Salary.GrossPay == "35.25", "rates %v", rates)
	},
	"promotion": func(r []api.Report) string {
		p, stubs := r[0].Employee.Positions, r[0].Paystubs
		earlier := slices.IndexFunc(stubs, func(s api.Paystub) bool { return *s.PayPeriodStartDate < *p[1].StartDate })
		ago := r[0].CurrentAsOf - *p[1].StartDate
		return unless(len(p) == 2 && *p[1].Title == "Operations Manager" && *p[0].Title != *p[1].Title && *p[0].EndDate == *p[1].StartDate-1 &&
			ago <= 170 && ago > 170-14 && near(stubs[earlier-1].Base, 3000_00) && near(stubs[earlier].Base, 2538_46) && *r[0].Employee.Salary.GrossPay == "3000.00",
			"promoted %d days ago, base %s after %s", ago, *stubs[earlier-1].Base, *stubs[earlier].Base)
	},
	"summer-rehire": func(r []api.Report) string {
		positions, asOf := r[0].Employee.Positions, r[0].CurrentAsOf.Time()
		summer := asOf.Month() >= time.June && asOf.Month() <= time.August
		for i, p := range positions {
			start := p.StartDate.Time()
			if start.Month() != time.June || start.Day() > 3 || i > 0 && positions[i-1].StartDate.Year() != start.Year()-1 {
				return "a summer from " + p.StartDate.String()
			}
			if last := i == len(positions)-1; !last && p.EndDate == nil || p.EndDate != nil && (p.EndDate.Time().Month() != time.August || p.EndDate.Time().Day() < 29) {
				return "a summer without an end in August"
			}
		}
		for _, p := range r[0].Paystubs {
			if from, to := p.PayPeriodStartDate.Time().Month(), p.PayPeriodEndDate.Time().Month(); from < time.June || to > time.August {
				return "a paystub from " + p.PayPeriodStartDate.String()
			}
		}
		if len(positions) < 4 || len(r[0].Paystubs) != 24 || *positions[0].StartDate != *r[0].Employee.HiredDate {
			return fmt.Sprintf("%d positions, %d paystubs", len(positions), len(r[0].Paystubs))
		}
		detail := r[0].Employee.StatusDetail
		return unless(detail == api.DetailTempInactive || summer && detail == api.DetailSeason, "%s in %s", detail, asOf.Month())
	},
	"teacher": func(r []api.Report) string {
		for _, p := range r[0].Paystubs {
			if m := p.PayPeriodStartDate.Time().Month(); m == time.July || m == time.August {
				return "a paystub of " + m.String()
			}
		}
		year := 0
		for _, p := range r[0].Paystubs[:20] {
			year += cents(*p.Base)
		}
		e := r[0].Employee
		return unless(*e.Positions[0].Title == "Teacher" && *e.Salary.MonthsPerYear == "10.00" && year == 64_000_00, "%d of ten months", year)
	},
	"two-jobs": func(r []api.Report) string {
		active := func(r api.Report) bool {
			p := r.Employee.Positions[len(r.Employee.Positions)-1]
			return r.Employee.Status == api.EmploymentActive && p.EndDate == nil && len(r.Paystubs) > 0
		}
		return unless(len(r) == 2 && active(r[0]) && active(r[1]) && r[0].Employer.Name != r[1].Employer.Name &&
			*r[0].Employee.Salary.HoursPerWeek == "40.00" && *r[1].Employee.Salary.HoursPerWeek == "15.00", "%d reports", len(r))
	},
	"tips": func(r []api.Report) string {
		amounts := map[api.Decimal]bool{}
		for _, p := range r[0].Paystubs {
			amounts[*p.Other] = true
		}
		return unless(len(amounts) >= 10 && !amounts["0.00"] && *r[0].Employee.Positions[0].Title == "Server", "%d different tips", len(amounts))
	},
	"per-diem": func(r []api.Report) string {
		for _, p := range r[0].Paystubs {
			if *p.Other != "295.00" {
				return "a per diem of " + string(*p.Other)
			}
		}
		return ""
	},
}

// The careers of the catalogue show what their titles say, at every seed and clock.
func TestCareers(t *testing.T) {
	t.Parallel()
	for name, check := range careers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scenario := builtin(t).ByName(name)
			if scenario == nil {
				t.Fatal("is not in the catalogue")
			}
			for i, began := range clocks() {
				g := fixtures.Generator{Seed: uint64(i % 40)}
				id := scenario.Magic.VerificationRequest
				v := g.VerificationRequest(id, id, scenario.VerificationShape(), fixtures.Progress{State: api.StateCompleted, Created: began, Completed: began})
				if found := check(v.Reports); found != "" {
					t.Fatalf("seed %d, %s: %s", g.Seed, began, found)
				}
			}
		})
	}
	for _, s := range builtin(t).All() {
		if strings.HasSuffix(s.At.File, "/careers.yaml") && careers[s.Name] == nil {
			t.Errorf("nothing checks %s", s.Name)
		}
	}
}

// extraPayDate looks for a whole calendar year with so many pay dates, one more than usual, in the paystubs: its earnings
// are as many parts of the usual number.
func extraPayDate(r api.Report, dates int) string {
	paid, base := map[int]int{}, map[int]int{}
	for _, p := range r.Paystubs {
		paid[p.PayDate.Year()]++
		base[p.PayDate.Year()] += cents(*p.Base)
	}
	for year, count := range paid {
		shown := slices.IndexFunc(r.Employee.Earnings, func(e api.Earnings) bool { return *e.Year == strconv.Itoa(year) })
		if count != dates || shown >= 0 && cents(r.Employee.Earnings[shown].Base) != base[year] {
			continue
		}
		periods := dates - 1
		if more := base[year] - cents(*r.Employee.Salary.GrossPay)*dates; more >= -periods && more <= periods {
			return ""
		}
	}
	return fmt.Sprintf("pay dates by year: %v", paid)
}

func cents(d api.Decimal) int {
	n, err := strconv.Atoi(strings.Replace(string(d), ".", "", 1))
	if err != nil {
		panic(err) // amounts of the API have two decimals
	}
	return n
}

// near reports whether an amount is one but for a spread cent.
func near(d *api.Decimal, want int) bool { return cents(*d)-want <= 1 && want-cents(*d) <= 1 }

func unless(holds bool, format string, args ...any) string {
	if holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}
