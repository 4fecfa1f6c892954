package console

import (
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// earningsView is the earnings of a report, newest year first.
type earningsView struct {
	Chart *chart
	Years []earningsRow
	None  string // why there are none
}

// earningsRow is a year of earnings in a table.
type earningsRow struct {
	Year    string
	Note    string   // "" or what is particular to the year
	Amounts []string // by kind, and the total
}

// viewEarnings returns what a person reads of the earnings; the picture has an id that begins with id.
func viewEarnings(id string, r api.Report) earningsView {
	earnings := r.Employee.Earnings
	switch {
	case earnings == nil:
		return earningsView{None: withoutPay(r)}
	case len(earnings) == 0:
		return earningsView{None: "No year has earnings."}
	}
	v := earningsView{Chart: earningsChart(id+"-earnings", earnings)}
	for _, year := range earnings {
		row := earningsRow{Year: yearName(year)}
		for _, kind := range kindsOfEarnings() {
			row.Amounts = append(row.Amounts, money(kind.amount(year)))
		}
		row.Amounts = append(row.Amounts, money(year.Total))
		switch {
		case year.Termination:
			row.Note = "employment ended"
		case row.Year == fmt.Sprint(r.CurrentAsOf.Year()):
			row.Note = "to date"
		}
		v.Years = append(v.Years, row)
	}
	return v
}

// Of the pay stubs of a report the latest stand in the open. The older ones unfold; more of them than a few are in the
// page only when they are asked for.
const (
	latest = 12
	few    = 40
)

// payView is the pay stubs of a report, most recent first.
type payView struct {
	Chart  *chart
	Latest payTable
	Older  payTable // unfolds
	Asked  bool     // the older ones were asked for: they are unfolded
	More   string   // where the older ones are asked for; "" when they are here
	Left   int      // how many those are, then
	None   string   // why there are none
}

// payTable is a table of pay stubs.
type payTable struct {
	Name string
	Rows []payRow
}

// payRow is a pay stub in a table: its day, its period, its hours and its amounts.
type payRow struct {
	PayDate, Period, Hours value
	Amounts                []value // base, overtime, bonus, commission, other, gross, net
}

// viewPay returns what a person reads of the pay stubs; the picture has an id that begins with id.
func viewPay(id string, r api.Report) payView {
	switch {
	case r.Paystubs == nil:
		return payView{None: withoutPay(r)}
	case len(r.Paystubs) == 0:
		return payView{None: "There are no pay stubs."}
	}
	rows := make([]payRow, len(r.Paystubs))
	for i, stub := range r.Paystubs {
		rows[i] = viewStub(stub)
	}
	shown := min(latest, len(rows))
	return payView{
		Chart: payChart(id+"-pay", r.Paystubs), Latest: payTable{"Pay stubs", rows[:shown]}, Older: payTable{"Older pay stubs", rows[shown:]},
	}
}

// abridge leaves older pay stubs out when they are many, for a page that is asked for them at a path.
func (v *payView) abridge(path string) {
	if n := len(v.Older.Rows); n > few {
		v.Older.Rows, v.Left, v.More = nil, n, path
	}
}

func viewStub(stub api.Paystub) payRow {
	row := payRow{
		PayDate: or(stub.PayDate, "null", day),
		Period:  period(stub.PayPeriodStartDate, stub.PayPeriodEndDate),
		Hours:   or(stub.PayPeriodHours, "null", plain),
	}
	for _, amount := range []*api.Decimal{stub.Base, stub.Overtime, stub.Bonus, stub.Commission, stub.Other, stub.Gross, stub.Net} {
		row.Amounts = append(row.Amounts, or(amount, "null", money))
	}
	return row
}

// period writes the days from one to another without saying a month or a year twice: 2 – 15 Dec 2024.
func period(start, end *api.Date) value {
	switch {
	case start == nil && end == nil:
		return value{Absent: "null"}
	case start == nil:
		return said("to " + day(*end))
	case end == nil:
		return said("from " + day(*start))
	}
	from, to := start.Time(), end.Time()
	form := "2 Jan 2006"
	if from.Year() == to.Year() {
		form = "2 Jan"
		if from.Month() == to.Month() {
			form = "2"
		}
	}
	return said(from.Format(form) + " – " + day(*end))
}
