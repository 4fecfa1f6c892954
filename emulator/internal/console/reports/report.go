// Package reports says what a report means: its figures and charts, made of the document alone.
package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
)

// maxLatest is the number of pay stubs that a report shows at once. The older ones unfold.
const maxLatest = 12

// ReportView is the data of pages/part_report.html.
type ReportView struct {
	api.Report
	Number   int // of the report, from 1
	Tiles    []tile
	Earnings table
	Latest   table    // pay stubs, the most recent first
	Older    table    // unfolds
	Missing  []string // what the report leaves out or contradicts
}

// ViewReport returns the view of the report with a number at the instant now.
func ViewReport(r api.Report, number int, now time.Time) ReportView {
	stubs := stubTable(r.Paystubs)
	shown := min(maxLatest, len(stubs.Rows))
	v := ReportView{Report: r, Number: number, Tiles: tilesOf(r, now), Earnings: earningsTable(r), Latest: stubs, Older: stubs}
	v.Latest.Rows, v.Older.Rows, v.Older.Name = stubs.Rows[:shown], stubs.Rows[shown:], "Older pay stubs"
	return v
}

// grossPay writes the pay of a salary with its period.
func grossPay(pay api.Salary) words.Value {
	gross := words.ValueOf(pay.GrossPay, "not stated")
	if pay.GrossPay != nil && pay.PayFrequency != nil {
		gross.Text += " " + words.UnitOfPay[*pay.PayFrequency]
	}
	return gross
}

// table is a table of amounts, without the columns in which nothing stands.
type table struct {
	Name, Key string // Key heads the first column
	Columns   []string
	Rows      []tableRow
	Without   string // the columns that are left out
}

type tableRow struct {
	Key   words.Value
	Notes []string // beside the key
	Cells []words.Value
}

// amountColumn is a column of amounts of rows of T.
type amountColumn[T any] struct {
	name   string
	of     func(T) *api.Decimal
	always bool // also when nothing stands in it
}

// tableOf returns a table of rows, without their keys.
func tableOf[T any](name, key string, rows []T, columns []amountColumn[T]) table {
	t := table{Name: name, Key: key, Rows: make([]tableRow, len(rows))}
	var without []string
	for _, c := range columns {
		if !c.always && !slices.ContainsFunc(rows, func(row T) bool { d := c.of(row); return d != nil && !isZero(*d) }) {
			without = append(without, strings.ToLower(c.name))
			continue
		}
		t.Columns = append(t.Columns, c.name)
		for i, row := range rows {
			cell := words.ValueOf(c.of(row), "null")
			if c.name == "Hours" {
				cell = words.NumberOf(c.of(row), "null")
			}
			t.Rows[i].Cells = append(t.Rows[i].Cells, cell)
		}
	}
	t.Without = strings.Join(without, ", ")
	return t
}

func earningsTable(r api.Report) table {
	t := tableOf("Earnings by year, before deductions", "Year", r.Employee.Earnings, []amountColumn[api.Earnings]{
		{"Base", func(e api.Earnings) *api.Decimal { return &e.Base }, true},
		{"Overtime", func(e api.Earnings) *api.Decimal { return &e.Overtime }, false},
		{"Bonus", func(e api.Earnings) *api.Decimal { return &e.Bonus }, false},
		{"Commission", func(e api.Earnings) *api.Decimal { return &e.Commission }, false},
		{"Other", func(e api.Earnings) *api.Decimal { return &e.Other }, false},
		{"Total", func(e api.Earnings) *api.Decimal { return &e.Total }, true},
	})
	for i, year := range r.Employee.Earnings {
		t.Rows[i].Key = words.ValueOf(year.Year, "year null")
		switch {
		case year.Termination:
			t.Rows[i].Notes = []string{"employment ended"}
		case isRunning(r, year):
			t.Rows[i].Notes = []string{"to date"}
		}
	}
	return t
}

// isRunning reports whether a year of a report goes on after it.
func isRunning(r api.Report, year api.Earnings) bool {
	return !year.Termination && yearName(year) == fmt.Sprint(r.CurrentAsOf.Year())
}

func stubTable(stubs []api.Paystub) table {
	t := tableOf("Pay stubs", "Pay date", stubs, []amountColumn[api.Paystub]{
		{"Hours", func(p api.Paystub) *api.Decimal { return p.PayPeriodHours }, false},
		{"Base", func(p api.Paystub) *api.Decimal { return p.Base }, false},
		{"Overtime", func(p api.Paystub) *api.Decimal { return p.Overtime }, false},
		{"Bonus", func(p api.Paystub) *api.Decimal { return p.Bonus }, false},
		{"Commission", func(p api.Paystub) *api.Decimal { return p.Commission }, false},
		{"Other", func(p api.Paystub) *api.Decimal { return p.Other }, false},
		{"Gross", func(p api.Paystub) *api.Decimal { return p.Gross }, true},
		{"Net", func(p api.Paystub) *api.Decimal { return p.Net }, true},
	})
	t.Columns = append([]string{"Period"}, t.Columns...)
	for i, stub := range stubs {
		row := &t.Rows[i]
		row.Key, row.Notes = words.ValueOf(stub.PayDate, "null"), payEventsIn(stubs, i)
		row.Cells = append([]words.Value{period(stub.PayPeriodStartDate, stub.PayPeriodEndDate)}, row.Cells...)
	}
	return t
}

// payEventsIn names the events in the i-th pay stub; they are in order, the most recent first.
func payEventsIn(stubs []api.Paystub, i int) (names []string) {
	stub := stubs[i]
	if signOf(stub.Gross) < 0 {
		return []string{"reversal"}
	}
	if sign := signOf(stub.Bonus); sign != 0 {
		names = append(names, map[int]string{1: "bonus", -1: "clawback"}[sign])
	}
	if signOf(stub.Base) <= 0 || stub.PayPeriodStartDate == nil || stub.PayPeriodEndDate == nil {
		return names
	}
	for _, earlier := range stubs[i+1:] { // that pay for the same days
		switch start, end := earlier.PayPeriodStartDate, earlier.PayPeriodEndDate; {
		case start == nil || end == nil || *start > *stub.PayPeriodEndDate || *end < *stub.PayPeriodStartDate || signOf(earlier.Base) == 0:
		case signOf(earlier.Gross) < 0:
			return append(names, "correction")
		default:
			return append(names, "back pay")
		}
	}
	return names
}

// signOf returns the sign of an amount; that of null is 0.
func signOf(d *api.Decimal) int {
	switch {
	case d == nil || isZero(*d):
		return 0
	case strings.HasPrefix(string(*d), "-"):
		return -1
	}
	return 1
}

// period writes a range of days without repeating month and year: 2 – 15 Dec 2024.
func period(start, end *api.Date) words.Value {
	switch {
	case start == nil && end == nil:
		return words.Value{Absent: "null"}
	case start == nil:
		return words.Value{Text: "to " + words.Day(*end)}
	case end == nil:
		return words.Value{Text: "from " + words.Day(*start)}
	}
	from, to := start.Time(), end.Time()
	form := "2 Jan 2006"
	if from.Year() == to.Year() {
		form = "2 Jan"
		if from.Month() == to.Month() {
			form = "2"
		}
	}
	return words.Value{Text: from.Format(form) + " – " + words.Day(*end)}
}

// Funcs are the functions of templates that show reports and checks.
var Funcs = template.FuncMap{
	"ratio": func(d api.Decimal) string { return words.Percent(d) + " (" + string(d) + ")" },
	"noPay": noPay, "noAnalytics": noAnalytics, "grossPay": grossPay, "payChart": payChart, "earningsChart": earningsChart, "describeRatio": describeRatio,
}
