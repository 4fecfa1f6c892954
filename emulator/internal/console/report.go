package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// A report shows its latest pay stubs. The older ones unfold; when there are more than maxInline of them, they are loaded
// on request.
const (
	maxLatest = 12
	maxInline = 40
)

// reportView is the data of pages/part_report.html.
type reportView struct {
	api.Report
	Latest payTable // pay stubs, the most recent first
	Older  payTable // unfolds
	Asked  bool     // the older ones were requested: they are unfolded
	More   string   // link to the older ones; "" when they are in the page
}

type payTable struct {
	Name string
	Rows []api.Paystub
}

// viewReport returns the view of the report with a number, with all of its pay stubs if asked.
func viewReport(r api.Report, number int, asked bool) reportView {
	shown := min(maxLatest, len(r.Paystubs))
	v := reportView{r, payTable{"Pay stubs", r.Paystubs[:shown]}, payTable{"Older pay stubs", r.Paystubs[shown:]}, asked, ""}
	if len(v.Older.Rows) > maxInline && !asked {
		v.More = fmt.Sprintf("?report=%d&stubs=all#older", number)
	}
	return v
}

// summary describes the employment in a sentence.
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

// period writes a range of days without repeating month and year: 2 – 15 Dec 2024.
func period(start, end *api.Date) value {
	switch {
	case start == nil && end == nil:
		return value{Absent: "null"}
	case start == nil:
		return value{Text: "to " + day(*end)}
	case end == nil:
		return value{Text: "from " + day(*start)}
	}
	from, to := start.Time(), end.Time()
	form := "2 Jan 2006"
	if from.Year() == to.Year() {
		form = "2 Jan"
		if from.Month() == to.Month() {
			form = "2"
		}
	}
	return value{Text: from.Format(form) + " – " + day(*end)}
}

// payChart draws gross and net of each pay stub, the oldest first; nil without a number to draw. The bar of the net is
// narrow and in front of the gross, so that both are visible.
func payChart(stubs []api.Paystub) *chart {
	var values []float64
	for _, stub := range stubs {
		for _, amount := range []*api.Decimal{stub.Gross, stub.Net} {
			if v, ok := drawable(amount); ok {
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	s := scaleOf(values...)
	c := upright("report-pay", "Gross and net per pay period", s)
	c.Legend = []legend{{"chart-gross", "Gross"}, {"chart-net", "Net"}}
	c.Description = describePay(stubs)
	var days []label
	for i, stub := range slices.Backward(stubs) {
		x, width := slot(len(stubs)-1-i, len(stubs))
		drawn := column{Title: fmt.Sprintf("%s: gross %s, net %s", valueOf(stub.PayDate, "no pay date"), valueOf(stub.Gross, "null"), valueOf(stub.Net, "null"))}
		if v, ok := drawable(stub.Gross); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, 0, v, "chart-gross"))
		}
		if v, ok := drawable(stub.Net); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.44, 0, v, "chart-net"))
		}
		c.Columns = append(c.Columns, drawn)
		if stub.PayDate != nil {
			days = append(days, label{x + width/2, chartHeight - 8, day(*stub.PayDate), "chart-middle"})
		}
	}
	c.addLabels(0, days)
	return &c
}

func describePay(stubs []api.Paystub) string {
	newest, oldest := stubs[0], stubs[len(stubs)-1]
	text := "The one pay stub, " + valueOf(newest.PayDate, "without a pay date").String()
	if len(stubs) > 1 {
		text = fmt.Sprintf("%d pay stubs from %s to %s", len(stubs), valueOf(oldest.PayDate, "an unknown day"), valueOf(newest.PayDate, "an unknown day"))
	}
	text += fmt.Sprintf("; the latest has gross %s and net %s.", valueOf(newest.Gross, "null"), valueOf(newest.Net, "null"))
	missing := 0
	for _, stub := range stubs {
		if stub.Gross == nil || stub.Net == nil {
			missing++
		}
	}
	if missing > 0 {
		text += fmt.Sprintf(" %s without gross or net.", count(missing, "pay stub is", "pay stubs are"))
	}
	return text + " All numbers are in the table of pay stubs."
}

// earning is one part of a year's earnings (spec 2.3).
type earning struct {
	name, class string
	amount      api.Decimal
}

// earningsOf lists the parts of a year in stacking order.
func earningsOf(e api.Earnings) []earning {
	return []earning{
		{"Base", "chart-base", e.Base}, {"Overtime", "chart-overtime", e.Overtime}, {"Bonus", "chart-bonus", e.Bonus},
		{"Commission", "chart-commission", e.Commission}, {"Other", "chart-other", e.Other},
	}
}

// earningsChart draws the earnings of each year, of at least one, stacked by kind, the oldest first. Negative parts are
// stacked downwards. A part that cannot be drawn is zero.
func earningsChart(earnings []api.Earnings) *chart {
	var extents []float64
	for _, year := range earnings {
		low, high := 0.0, 0.0
		for _, part := range earningsOf(year) {
			v, _ := drawable(&part.amount)
			low, high = low+min(0, v), high+max(0, v)
		}
		extents = append(extents, low, high)
	}
	s := scaleOf(extents...)
	c := upright("report-earnings", "Earnings by year", s)
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
			v, _ := drawable(&part.amount)
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
	c.addLabels(chartLeft, totals)
	c.addLabels(0, years)
	return &c
}

func describeEarnings(earnings []api.Earnings) string {
	var years []string
	for _, year := range slices.Backward(earnings) {
		years = append(years, yearName(year)+" "+money(year.Total))
	}
	return "Total earnings: " + strings.Join(years, ", ") + ". All numbers are in the table of earnings."
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

func yearName(year api.Earnings) string { return valueOf(year.Year, "year null").String() }

// isZero reports whether an amount is zero, with any number of zeros.
func isZero(amount api.Decimal) bool { return strings.Trim(string(amount), "-0.") == "" }

// qualificationPage is the data of pages/qualification.html.
type qualificationPage struct {
	api.QualificationCheck
	resourceView
	Request string // that has the reports
}

func showQualification(x *exchange) (answer, error) {
	q, err := x.world.QualificationCheck(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	view, err := x.view(q, liveView{}, x.here("qualification-checks", q.ID), `{"metadata": {"unit": "4B"}}`)
	return page{name: "qualification", title: q.ID, data: qualificationPage{q, view, fixtures.CheckRequest + q.ID}}, err
}

// The dimensions of the chart of a ratio.
const (
	ratioHeight = 98
	ratioLeft   = 4
	ratioWidth  = chartWidth - 2*ratioLeft
	ratioTop    = 34
	ratioBroad  = 26
)

// ratioChart draws a rent-to-income ratio as a bar, and its threshold as a line across it. Without a ratio it draws the
// threshold alone; without a threshold it returns nil.
func ratioChart(check api.QualificationCheck) *chart {
	threshold := thresholdOf(check)
	limit, ok := drawable(&threshold)
	if !ok || limit < 0 {
		return nil
	}
	ratio, hasRatio := drawable(check.Result.RentToIncomeRatio)
	full := cmp.Or(max(limit, ratio)*1.25, 1)
	x := func(v float64) length { return ratioLeft + length(v/full)*ratioWidth }
	c := chart{ID: "ratio", Title: "Rent to income against its threshold", Height: ratioHeight, Description: describeRatio(check)}
	c.Columns = []column{{"The whole scale", []bar{{ratioLeft, ratioTop, ratioWidth, ratioBroad, "chart-track"}}}}
	below := "no ratio"
	if hasRatio {
		below = "rent is " + percent(*check.Result.RentToIncomeRatio) + " of income"
	}
	if ratio > 0 {
		class := "chart-within"
		if ratio > limit {
			class = "chart-above"
		}
		c.Columns = append(c.Columns, column{
			"Rent to income " + percent(*check.Result.RentToIncomeRatio), []bar{{ratioLeft, ratioTop, x(ratio) - ratioLeft, ratioBroad, class}},
		})
	}
	c.Lines = []line{{x(limit), ratioTop - 8, x(limit), ratioTop + ratioBroad + 8, "chart-threshold"}}
	c.addLabels(0, []label{{x(limit), ratioTop - 14, "threshold " + percent(threshold), "chart-middle"}})
	c.addLabels(0, []label{{x(max(0, ratio)), ratioTop + ratioBroad + 28, below, "chart-middle chart-strong"}})
	return &c
}

// thresholdOf returns the threshold for the kind of a check.
func thresholdOf(check api.QualificationCheck) api.Decimal {
	if check.Kind == api.KindGuarantor {
		return check.QualificationCheckSet.GuarantorRentToIncomeRatio
	}
	return check.QualificationCheckSet.ApplicantRentToIncomeRatio
}

func describeRatio(check api.QualificationCheck) string {
	threshold := thresholdOf(check)
	if check.Result.RentToIncomeRatio == nil {
		return fmt.Sprintf("There is no ratio; the threshold is %s.", percent(threshold))
	}
	ratio, _ := drawable(check.Result.RentToIncomeRatio)
	limit, _ := drawable(&threshold)
	side := "not above"
	if ratio > limit {
		side = "above"
	}
	return fmt.Sprintf("Rent is %s of monthly gross income, %s the threshold of %s.", percent(*check.Result.RentToIncomeRatio), side, percent(threshold))
}
