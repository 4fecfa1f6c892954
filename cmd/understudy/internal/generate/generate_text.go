package generate

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// pageWidth is the length of the line between two documents as text.
const pageWidth = 100

// readable returns a report or a verification request as text, as a person reads it. A field that is null is a dash.
func readable(document any) []byte {
	var b bytes.Buffer
	switch d := document.(type) {
	case api.Report:
		reportPage(&b, d)
	case api.VerificationRequest:
		facts(&b, "Request "+d.ID, [][2]string{
			{"State", fmt.Sprintf("%s, %s for %s", d.State, d.Type, d.UseCase)},
			{"Created", d.Created.Format("2006-01-02 15:04")},
			{"Target", commas(d.Target.FirstName+" "+d.Target.LastName, "born "+shown(d.Target.DateOfBirth), shown(d.Target.SocialSecurityNumber), shown(d.Target.ContactEmail))},
			{"Loan", shown(d.LoanID)},
			{"Canceled", shown(d.CancellationReason)},
		})
		for _, r := range d.Reports {
			b.WriteByte('\n')
			reportPage(&b, r)
		}
	}
	return b.Bytes()
}

func reportPage(to io.Writer, r api.Report) {
	e := r.Employee
	status := commas(string(e.Status)+" ("+string(e.StatusDetail)+")", "hired "+shown(e.HiredDate))
	if e.OnLeaveDate != nil {
		status += ", on leave from " + e.OnLeaveDate.String()
	}
	if e.TerminationDate != nil {
		status += ", ended " + e.TerminationDate.String()
	}
	rows := [][2]string{
		{"Current", commas("as of "+r.CurrentAsOf.String(), "paid through "+shown(r.PaidThroughDate))},
		{"Employee", commas(e.FirstName+" "+e.LastName, shown(e.SocialSecurityNumber), shown(e.Email))},
		{"Employer", r.Employer.Name},
		{"", shown(r.Employer.Address)},
		{"Answered by", answered(r.Respondent)},
		{"Status", status},
	}
	for i, p := range slices.Backward(e.Positions) {
		label := map[bool]string{true: "Position"}[i == len(e.Positions)-1]
		rows = append(rows, [2]string{label, fmt.Sprintf("%s, %s, %s to %s", shown(p.Title), p.EmploymentType, shown(p.StartDate), shown(p.EndDate))})
	}
	if s := e.Salary; s != nil {
		rows = append(rows, [2]string{"Salary", fmt.Sprintf("%s %s, %s hours a week, %s months a year", shown(s.GrossPay), shown(s.PayFrequency), shown(s.HoursPerWeek), shown(s.MonthsPerYear))})
	}
	for _, d := range r.Disputes {
		rows = append(rows, [2]string{"Dispute", d.Created.Format("2006-01-02") + ": " + d.Description})
	}
	facts(to, "Report "+r.ID, append(rows, incomeFacts(r.IncomeAnalytics)...))
	var earned, paid [][]string
	for _, y := range e.Earnings {
		earned = append(earned, []string{shown(y.Year), string(y.Base), string(y.Overtime), string(y.Bonus), string(y.Commission), string(y.Other), string(y.Total)})
	}
	columns(to, "Earnings|base|overtime|bonus|commission|other|total", earned)
	for _, p := range r.Paystubs {
		paid = append(paid, []string{shown(p.PayDate), monthDay(p.PayPeriodStartDate) + "/" + monthDay(p.PayPeriodEndDate), shown(p.PayPeriodHours),
			shown(p.Base), shown(p.Overtime), shown(p.Bonus), shown(p.Commission), shown(p.Other), shown(p.Gross), shown(p.Net)})
	}
	columns(to, "Paid|period|hours|base|overtime|bonus|commission|other|gross|net", paid)
}

func answered(r *api.Respondent) string {
	if r == nil {
		return "-"
	}
	return commas(shown(r.FullName), shown(r.Title), shown(r.Email))
}

func incomeFacts(a *api.IncomeAnalytics) (rows [][2]string) {
	if a == nil {
		return nil
	}
	if i := a.AnnualizedIncome; i != nil {
		rows = append(rows, [2]string{"Income", fmt.Sprintf("%s a year, of this base %s", amountOf(i.GrossAmount), amountOf(i.BaseAmount))})
		for _, w := range []struct {
			warns bool
			text  string
		}{{i.ShortEmploymentWarning, "short employment"}, {i.StaleDataWarning, "stale data"}, {i.VariableIncomeWarning, "variable income"}} {
			if w.warns {
				rows = append(rows, [2]string{"Warning", w.text})
			}
		}
	}
	if v := a.IncomeVolatility; v != nil {
		rows = append(rows, [2]string{"Volatility", shown(v.GrossIncomeVolatility)})
	}
	return rows
}

func amountOf(m *api.MoneyAmount) string {
	if m == nil {
		return "-"
	}
	return shown(m.Amount)
}

// facts writes a title and labeled texts, which are broken between words where the page ends.
func facts(to io.Writer, title string, rows [][2]string) {
	fmt.Fprint(to, title)
	for _, row := range rows {
		column := pageWidth // of the next word: that of a new line
		label := row[0]
		for word := range strings.FieldsSeq(row[1]) {
			width := utf8.RuneCountInString(word)
			if column+1+width > pageWidth {
				fmt.Fprintf(to, "\n  %-12s", label)
				column, label = 14, ""
			}
			fmt.Fprint(to, " ", word)
			column += 1 + width
		}
	}
	fmt.Fprintln(to)
}

// columns writes a table below a header, without the columns of pay that nobody has.
func columns(to io.Writer, header string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintln(to)
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows = append([][]string{strings.Split(header, "|")}, rows...)
	for _, row := range rows {
		for column, cell := range row {
			if slices.ContainsFunc(rows[1:], func(r []string) bool { return r[column] != "0.00" }) {
				fmt.Fprint(table, cell, "\t")
			}
		}
		fmt.Fprintln(table)
	}
	table.Flush()
}

// shown returns a value, or a dash for null.
func shown[T any](value *T) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

func monthDay(d *api.Date) string {
	if d == nil {
		return "-"
	}
	return d.Time().Format("01-02")
}

func commas(parts ...string) string { return strings.Join(parts, ", ") }
