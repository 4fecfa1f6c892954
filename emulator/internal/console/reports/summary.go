package reports

import (
	"cmp"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// tile is a figure of the summary of a report, and how it comes about.
type tile struct {
	Name   string
	Figure words.Value
	Notes  []string
	Warns  bool
}

// tilesOf returns the summary of a report, as seen at the instant now.
func tilesOf(r api.Report, now time.Time) []tile {
	return []tile{incomeOf(r), tenureOf(r), lastPaid(r), warningsOf(r, now)}
}

func incomeOf(r api.Report) tile {
	t := tile{Name: "Monthly income"}
	income, ok := fixtures.MonthlyIncome(r.IncomeAnalytics)
	if !ok {
		t.Figure.Absent = noAnalytics(r)
		return t
	}
	t.Figure.Text = words.Money(income.Decimal())
	annual := r.IncomeAnalytics.AnnualizedIncome
	gross, base := annual.GrossAmount, annual.BaseAmount
	t.Notes = []string{words.ValueOf(*cmp.Or(gross, base), "nothing").String() + " a year / 12"}
	if base != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("Base %s a year, from %s", words.ValueOf(*base, "nothing"), baseFrom(r)))
	}
	switch {
	case base == nil:
		t.Notes = append(t.Notes, "Gross of the pay stubs, for twelve months: there is no salary")
	case gross == nil:
		t.Notes = append(t.Notes, "No gross: there are no pay stubs")
	default:
		t.Notes = append(t.Notes, fmt.Sprintf("Gross %s a year: base, and the overtime, bonus, commission and other pay of twelve months", words.ValueOf(*gross, "nothing")))
	}
	return t
}

// noAnalytics returns why a report has no income of a year.
func noAnalytics(r api.Report) string {
	switch {
	case r.Employee.Status != api.EmploymentActive:
		return "computed for active employees only (spec 2.3)"
	case r.Paystubs == nil && r.Employee.Salary == nil:
		return noPay(r)
	}
	return "cannot be computed"
}

// noPay returns why a report has no pay data.
func noPay(r api.Report) string {
	switch of := r.VerificationRequest.Type; of {
	case api.TypeEmployment, "assets":
		return fmt.Sprintf("a verification of type %s has no pay data", of)
	}
	return "the report has null here"
}

// baseFrom names what the base of a year is computed from.
func baseFrom(r api.Report) string {
	pay := r.Employee.Salary
	switch {
	case pay == nil || pay.GrossPay == nil || pay.PayFrequency == nil:
		return "the report"
	case *pay.PayFrequency == api.PayVariable && len(r.Paystubs) > 0:
		return "the mean base of the pay stubs"
	}
	text := "a salary of " + words.Money(*pay.GrossPay) + " " + words.UnitOfPay[*pay.PayFrequency]
	if *pay.PayFrequency == api.PayHourly && pay.HoursPerWeek != nil {
		text = words.Money(*pay.GrossPay) + " an hour, " + words.Plain(*pay.HoursPerWeek) + " hours a week"
	}
	if months := pay.MonthsPerYear; months != nil && words.Plain(*months) != "12" {
		text += ", " + words.Plain(*months) + " months a year"
	}
	return text
}

func tenureOf(r api.Report) tile {
	t := tile{Name: "Tenure"}
	hired, ended, until := r.Employee.HiredDate, r.Employee.TerminationDate, r.CurrentAsOf
	switch {
	case hired == nil:
		t.Figure.Absent = "the hire is not stated"
		return t
	case *hired > until:
		t.Figure.Text, t.Notes = "Not begun", []string{"begins on " + words.Day(*hired)}
		return t
	case ended != nil:
		until, t.Notes = *ended, []string{"ended: " + words.Day(*hired) + " to " + words.Day(*ended)}
	default:
		t.Notes = []string{"since " + words.Day(*hired)}
	}
	t.Figure.Text = between(hired.Time(), until.Time())
	if n := len(r.Employee.Positions); n > 0 && r.Employee.Positions[n-1].Title != nil {
		t.Notes = append(t.Notes, *r.Employee.Positions[n-1].Title)
	}
	return t
}

// between writes the years and months between two days, or the days where that is less than a month.
func between(from, to time.Time) string {
	months := (to.Year()-from.Year())*12 + int(to.Month()-from.Month())
	if to.Day() < from.Day() {
		months--
	}
	years, months := months/12, months%12
	switch {
	case years > 0 && months > 0:
		return words.Count(years, "year", "years") + " " + words.Count(months, "month", "months")
	case years > 0:
		return words.Count(years, "year", "years")
	case months > 0:
		return words.Count(months, "month", "months")
	}
	return words.Count(int(to.Sub(from)/(24*time.Hour)), "day", "days")
}

func lastPaid(r api.Report) tile {
	t := tile{Name: "Last paid"}
	if len(r.Paystubs) == 0 {
		t.Figure.Absent = "there are no pay stubs"
		if r.Paystubs == nil {
			t.Figure.Absent = noPay(r)
		}
		return t
	}
	latest := r.Paystubs[0]
	t.Figure = words.ValueOf(latest.PayDate, "the day is not stated")
	t.Notes = []string{fmt.Sprintf("gross %s, net %s", words.ValueOf(latest.Gross, "not stated"), words.ValueOf(latest.Net, "not stated"))}
	if through := r.PaidThroughDate; through != nil {
		t.Notes = append(t.Notes, "paid through "+words.Day(*through))
	}
	return t
}

// warningsOf lists the warnings of the analytics, each with the figure behind it, and what else an underwriter must not miss.
func warningsOf(r api.Report, now time.Time) tile {
	t := tile{Name: "Warnings", Figure: words.Value{Text: "None"}}
	warn := func(text string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(text, args...)) }
	if a := r.IncomeAnalytics; a != nil && a.AnnualizedIncome != nil {
		if hired := r.Employee.HiredDate; a.AnnualizedIncome.ShortEmploymentWarning && hired != nil {
			warn("Hired recently: on %s, %s before the report", words.Day(*hired), words.Count(int(r.CurrentAsOf-*hired), "day", "days"))
		} else if a.AnnualizedIncome.ShortEmploymentWarning {
			warn("Hired recently")
		}
		if last := paidUntil(r); a.AnnualizedIncome.StaleDataWarning {
			warn("Data not fresh: paid until %s, %s ago", words.Day(last), words.Count(int(api.DateOf(now)-last), "day", "days"))
		}
		if a.AnnualizedIncome.VariableIncomeWarning {
			warn("Income varies: the volatility of the pay stubs is %s", words.ValueOf(volatility(r), "not known"))
		}
	}
	if e := r.Employee; e.Status == api.EmploymentInactive && e.TerminationDate != nil {
		warn("Employment ended on %s", words.Day(*e.TerminationDate))
	} else if e.Status != api.EmploymentActive {
		warn("Employment is %s: %s", e.Status, words.LabelOf(e.StatusDetail))
	}
	if since := r.Employee.OnLeaveDate; since != nil {
		warn("On leave since %s", words.Day(*since))
	}
	if n := len(r.Disputes); n > 0 {
		warn("%s, see below", words.Count(n, "open dispute", "open disputes"))
	}
	switch n := len(t.Notes); {
	case n > 0:
		t.Warns, t.Figure.Text = true, words.Count(n, "warning", "warnings")
	case r.IncomeAnalytics == nil:
		t.Figure = words.Value{Absent: noAnalytics(r)}
	}
	return t
}

// paidUntil returns the last day that a report says anything about the pay of.
func paidUntil(r api.Report) api.Date {
	var latest api.Paystub
	if len(r.Paystubs) > 0 {
		latest = r.Paystubs[0]
	}
	return *cmp.Or(r.PaidThroughDate, latest.PayPeriodEndDate, latest.PayDate, &r.CurrentAsOf)
}

// volatility returns the volatility of the gross of a report with analytics, nil for none.
func volatility(r api.Report) *string {
	if spread := r.IncomeAnalytics.IncomeVolatility; spread != nil {
		return (*string)(spread.GrossIncomeVolatility)
	}
	return nil
}
