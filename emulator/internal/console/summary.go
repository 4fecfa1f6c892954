package console

import (
	"cmp"
	"fmt"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// tile is a figure of the summary of a report, and how it comes about.
type tile struct {
	Name   string
	Figure value
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
	t.Figure.Text = money(income.Decimal())
	annual := r.IncomeAnalytics.AnnualizedIncome
	gross, base := annual.GrossAmount, annual.BaseAmount
	t.Notes = []string{valueOf(*cmp.Or(gross, base), "nothing").String() + " a year / 12"}
	if base != nil {
		t.Notes = append(t.Notes, fmt.Sprintf("Base %s a year, from %s", valueOf(*base, "nothing"), baseFrom(r)))
	}
	switch {
	case base == nil:
		t.Notes = append(t.Notes, "Gross of the pay stubs, for twelve months: there is no salary")
	case gross == nil:
		t.Notes = append(t.Notes, "No gross: there are no pay stubs")
	default:
		t.Notes = append(t.Notes, fmt.Sprintf("Gross %s a year: base, and the overtime, bonus, commission and other pay of twelve months", valueOf(*gross, "nothing")))
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
	text := "a salary of " + money(*pay.GrossPay) + " " + unitOfPay[*pay.PayFrequency]
	if *pay.PayFrequency == api.PayHourly && pay.HoursPerWeek != nil {
		text = money(*pay.GrossPay) + " an hour, " + plain(*pay.HoursPerWeek) + " hours a week"
	}
	if months := pay.MonthsPerYear; months != nil && plain(*months) != "12" {
		text += ", " + plain(*months) + " months a year"
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
		t.Figure.Text, t.Notes = "Not begun", []string{"begins on " + day(*hired)}
		return t
	case ended != nil:
		until, t.Notes = *ended, []string{"ended: " + day(*hired) + " to " + day(*ended)}
	default:
		t.Notes = []string{"since " + day(*hired)}
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
		return count(years, "year", "years") + " " + count(months, "month", "months")
	case years > 0:
		return count(years, "year", "years")
	case months > 0:
		return count(months, "month", "months")
	}
	return count(int(to.Sub(from)/(24*time.Hour)), "day", "days")
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
	t.Figure = valueOf(latest.PayDate, "the day is not stated")
	t.Notes = []string{fmt.Sprintf("gross %s, net %s", valueOf(latest.Gross, "not stated"), valueOf(latest.Net, "not stated"))}
	if through := r.PaidThroughDate; through != nil {
		t.Notes = append(t.Notes, "paid through "+day(*through))
	}
	return t
}

// warningsOf lists the warnings of the analytics, each with the figure behind it, and what else an underwriter must not miss.
func warningsOf(r api.Report, now time.Time) tile {
	t := tile{Name: "Warnings", Figure: value{Text: "None"}}
	warn := func(text string, args ...any) { t.Notes = append(t.Notes, fmt.Sprintf(text, args...)) }
	if a := r.IncomeAnalytics; a != nil && a.AnnualizedIncome != nil {
		if hired := r.Employee.HiredDate; a.AnnualizedIncome.ShortEmploymentWarning && hired != nil {
			warn("Hired recently: on %s, %s before the report", day(*hired), count(int(r.CurrentAsOf-*hired), "day", "days"))
		} else if a.AnnualizedIncome.ShortEmploymentWarning {
			warn("Hired recently")
		}
		if last := paidUntil(r); a.AnnualizedIncome.StaleDataWarning {
			warn("Data not fresh: paid until %s, %s ago", day(last), count(int(api.DateOf(now)-last), "day", "days"))
		}
		if a.AnnualizedIncome.VariableIncomeWarning {
			warn("Income varies: the volatility of the pay stubs is %s", valueOf(volatility(r), "not known"))
		}
	}
	if e := r.Employee; e.Status == api.EmploymentInactive && e.TerminationDate != nil {
		warn("Employment ended on %s", day(*e.TerminationDate))
	} else if e.Status != api.EmploymentActive {
		warn("Employment is %s: %s", e.Status, labelOf(e.StatusDetail))
	}
	if since := r.Employee.OnLeaveDate; since != nil {
		warn("On leave since %s", day(*since))
	}
	if n := len(r.Disputes); n > 0 {
		warn("%s, see below", count(n, "open dispute", "open disputes"))
	}
	switch n := len(t.Notes); {
	case n > 0:
		t.Warns, t.Figure.Text = true, count(n, "warning", "warnings")
	case r.IncomeAnalytics == nil:
		t.Figure = value{Absent: noAnalytics(r)}
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
