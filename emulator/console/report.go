package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// reportView is a report as a person reads it: pages/part_report.html.
type reportView struct {
	api.Report
	Detail   string // of the status
	Summary  string // the employment in a sentence
	Unpaid   string // says why there is no day through which is paid
	Ended    string // says why there is no last day of employment
	Until    string // says why there is no last day of a position
	NoSalary string
	NoIncome string // says why there are no analytics
	Earnings earningsView
	Pay      payView
}

// viewReport returns what a person reads of a report. Its pictures have ids that begin with id.
func viewReport(id string, r api.Report) reportView {
	e := r.Employee
	v := reportView{
		Report: r, Detail: labelOf(e.StatusDetail), Summary: summary(e), Unpaid: "not stated", Ended: "not stated", Until: "not stated",
		NoSalary: withoutPay(r), NoIncome: withoutPay(r), Earnings: viewEarnings(id, r), Pay: viewPay(id, r),
	}
	if r.VerificationRequest.Type != api.TypeEmploymentIncome {
		v.Unpaid = "for employment and income only"
	}
	if e.Status == api.EmploymentActive {
		v.Ended, v.Until = "still employed", "to this day"
	} else {
		v.NoIncome = "They are computed for active employees only (spec 2.3)."
	}
	return v
}

// summary says in a sentence what the employment is.
func summary(e api.Employee) string {
	var parts []string
	if n := len(e.Positions); n > 0 && e.Positions[n-1].Title != nil {
		parts = append(parts, *e.Positions[n-1].Title)
	}
	switch {
	case e.HiredDate != nil && e.TerminationDate != nil:
		parts = append(parts, "employed from "+day(*e.HiredDate)+" to "+day(*e.TerminationDate))
	case e.HiredDate != nil:
		parts = append(parts, "hired on "+day(*e.HiredDate))
	case e.TerminationDate != nil:
		parts = append(parts, "employed until "+day(*e.TerminationDate))
	}
	if pay := e.Salary; pay != nil && pay.GrossPay != nil {
		text := money(*pay.GrossPay)
		if pay.PayFrequency != nil {
			text += " " + unitOfPay[*pay.PayFrequency]
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// withoutPay says why a report tells nothing of pay.
func withoutPay(r api.Report) string {
	switch kind := r.VerificationRequest.Type; kind {
	case api.TypeEmployment, api.TypeAssets:
		return fmt.Sprintf("A verification of type %s tells nothing of pay.", kind)
	}
	return "The report has null here."
}

// annualOf writes a money amount (spec 2.1), which is null itself or has a null within.
func annualOf(m *api.MoneyAmount) value {
	if m == nil {
		m = new(api.MoneyAmount)
	}
	return or(m.Amount, "cannot be computed", money)
}

// earningsView is the earnings of a report, newest year first.
type earningsView struct {
	Chart *chart
	Years []api.Earnings
	Now   string // the year of the report
	None  string // why there are none
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
	return earningsView{Chart: earningsChart(id+"-earnings", earnings), Years: earnings, Now: fmt.Sprint(r.CurrentAsOf.Year())}
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
	Rows []api.Paystub
}

// viewPay returns what a person reads of the pay stubs; the picture has an id that begins with id.
func viewPay(id string, r api.Report) payView {
	stubs := r.Paystubs
	switch {
	case stubs == nil:
		return payView{None: withoutPay(r)}
	case len(stubs) == 0:
		return payView{None: "There are no pay stubs."}
	}
	shown := min(latest, len(stubs))
	return payView{
		Chart: payChart(id+"-pay", stubs), Latest: payTable{"Pay stubs", stubs[:shown]}, Older: payTable{"Older pay stubs", stubs[shown:]},
	}
}

// period writes the days from one to another without saying a month or a year twice: 2 – 15 Dec 2024.
func period(start, end *api.Date) value {
	switch {
	case start == nil && end == nil:
		return value{Absent: "null"}
	case start == nil:
		return stated("to " + day(*end))
	case end == nil:
		return stated("from " + day(*start))
	}
	from, to := start.Time(), end.Time()
	form := "2 Jan 2006"
	if from.Year() == to.Year() {
		form = "2 Jan"
		if from.Month() == to.Month() {
			form = "2"
		}
	}
	return stated(from.Format(form) + " – " + day(*end))
}

// payChart draws gross and net of each pay stub, the oldest first; nil when there is no figure to draw. A net stands
// narrow before its gross, so that both are seen whichever is the greater.
func payChart(id string, stubs []api.Paystub) *chart {
	var values []float64
	for _, stub := range stubs {
		for _, amount := range []*api.Decimal{stub.Gross, stub.Net} {
			if v, ok := figure(amount); ok {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	s := scaleOf(values...)
	c := upright(id, "Gross and net per pay period", s)
	c.Legend = []legend{{"chart-gross", "Gross"}, {"chart-net", "Net"}}
	c.Description = describePay(stubs)
	var days []label
	for i, stub := range slices.Backward(stubs) {
		x, width := slot(len(stubs)-1-i, len(stubs))
		drawn := column{Title: fmt.Sprintf("%s: gross %s, net %s", textOr(stub.PayDate, "no pay date", day), textOr(stub.Gross, "null", money), textOr(stub.Net, "null", money))}
		if v, ok := figure(stub.Gross); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, 0, v, "chart-gross"))
		}
		if v, ok := figure(stub.Net); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.44, 0, v, "chart-net"))
		}
		c.Columns = append(c.Columns, drawn)
		if stub.PayDate != nil {
			days = append(days, label{x + width/2, chartHeight - 8, day(*stub.PayDate), "chart-middle"})
		}
	}
	c.place(0, days)
	return &c
}

func describePay(stubs []api.Paystub) string {
	newest, oldest := stubs[0], stubs[len(stubs)-1]
	text := "The one pay stub, " + textOr(newest.PayDate, "without a pay date", day)
	if len(stubs) > 1 {
		text = fmt.Sprintf("%d pay stubs from %s to %s", len(stubs), textOr(oldest.PayDate, "an unknown day", day), textOr(newest.PayDate, "an unknown day", day))
	}
	text += fmt.Sprintf("; the latest has gross %s and net %s.", textOr(newest.Gross, "null", money), textOr(newest.Net, "null", money))
	missing := 0
	for _, stub := range stubs {
		if stub.Gross == nil || stub.Net == nil {
			missing++
		}
	}
	if missing > 0 {
		text += fmt.Sprintf(" %s without gross or net.", count(missing, "pay stub is", "pay stubs are"))
	}
	return text + " All figures are in the table of pay stubs."
}

// earning is a part of a year's earnings (spec 2.3, Earnings).
type earning struct {
	name, class string
	amount      api.Decimal
}

// earningsOf lists the parts of a year in the order in which they are stacked.
func earningsOf(e api.Earnings) []earning {
	return []earning{
		{"Base", "chart-base", e.Base}, {"Overtime", "chart-overtime", e.Overtime}, {"Bonus", "chart-bonus", e.Bonus},
		{"Commission", "chart-commission", e.Commission}, {"Other", "chart-other", e.Other},
	}
}

// earningsChart draws the earnings of each year stacked by kind, the oldest year first; nil when there are none. What is
// below zero is stacked downwards. A part that cannot be drawn is zero.
func earningsChart(id string, earnings []api.Earnings) *chart {
	if len(earnings) == 0 {
		return nil
	}
	var extents []float64
	for _, year := range earnings {
		low, high := 0.0, 0.0
		for _, part := range earningsOf(year) {
			v, _ := figure(&part.amount)
			low, high = low+min(0, v), high+max(0, v)
		}
		extents = append(extents, low, high)
	}
	s := scaleOf(extents...)
	c := upright(id, "Earnings by year", s)
	c.Description = describeEarnings(earnings)
	for i, part := range earningsOf(earnings[0]) {
		if slices.ContainsFunc(earnings, func(e api.Earnings) bool { return !isZero(earningsOf(e)[i].amount) }) {
			c.Legend = append(c.Legend, legend{part.class, part.name})
		}
	}
	var totals, years []label
	for i, year := range slices.Backward(earnings) {
		x, width := slot(len(earnings)-1-i, len(earnings))
		low, high := 0.0, 0.0
		drawn := column{Title: describeYear(year)}
		for _, part := range earningsOf(year) {
			v, _ := figure(&part.amount)
			from, to := high, high+v
			if v < 0 {
				from, to = low, low+v
			}
			low, high = min(low, to), max(high, to)
			if from != to {
				drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, from, to, part.class))
			}
		}
		c.Columns = append(c.Columns, drawn)
		totals = append(totals, label{x + width/2, s.y(high) - 6, money(year.Total), "chart-middle chart-strong"})
		years = append(years, label{x + width/2, chartHeight - 8, yearName(year), "chart-middle"})
	}
	c.place(chartLeft, totals)
	c.place(0, years)
	return &c
}

func describeEarnings(earnings []api.Earnings) string {
	var years []string
	for _, year := range slices.Backward(earnings) {
		years = append(years, yearName(year)+" "+money(year.Total))
	}
	return "Total earnings: " + strings.Join(years, ", ") + ". All figures are in the table of earnings."
}

func describeYear(year api.Earnings) string {
	var parts []string
	for _, part := range earningsOf(year) {
		if !isZero(part.amount) {
			parts = append(parts, strings.ToLower(part.name)+" "+money(part.amount))
		}
	}
	return yearName(year) + ": " + cmp.Or(strings.Join(parts, ", "), "nothing")
}

func yearName(year api.Earnings) string { return textOr(year.Year, "year null", asIs) }

// isZero reports whether an amount is nothing, however many zeros it has.
func isZero(amount api.Decimal) bool { return strings.Trim(string(amount), "-0.") == "" }
