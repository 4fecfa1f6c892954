package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
)

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
	c := upright("report-pay", "Gross and net per pay period", s, []string{"Gross", "Net"})
	c.Description = describePay(stubs)
	var paid []api.Date
	var at []length
	for i, stub := range slices.Backward(stubs) {
		x, width := c.slot(len(stubs)-1-i, len(stubs))
		drawn := column{X: x, Width: width, Tip: fmt.Sprintf("%s: gross %s, net %s", words.ValueOf(stub.PayDate, "no pay date"), words.ValueOf(stub.Gross, "null"), words.ValueOf(stub.Net, "null"))}
		for _, name := range payEventsIn(stubs, i) {
			drawn.Tip += ", " + name
		}
		if v, ok := drawable(stub.Gross); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, 0, v, "chart-gross"))
		}
		if v, ok := drawable(stub.Net); ok {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.44, 0, v, "chart-net"))
		}
		c.Columns = append(c.Columns, drawn)
		if stub.PayDate != nil {
			paid, at = append(paid, *stub.PayDate), append(at, x+width/2)
		}
	}
	c.addMonths(paid, at)
	gross, _ := drawable(stubs[0].Gross)
	net, _ := drawable(stubs[0].Net)
	c.addSeries([]series{{Y: s.y(net / 2), Text: "Net", Class: "chart-net"}, {Y: s.y((gross + net) / 2), Text: "Gross", Class: "chart-gross"}})
	return &c
}

func describePay(stubs []api.Paystub) string {
	newest, oldest := stubs[0], stubs[len(stubs)-1]
	text := "The one pay stub, " + words.ValueOf(newest.PayDate, "without a pay date").String()
	if len(stubs) > 1 {
		text = fmt.Sprintf("%d pay stubs from %s to %s", len(stubs), words.ValueOf(oldest.PayDate, "an unknown day"), words.ValueOf(newest.PayDate, "an unknown day"))
	}
	text += fmt.Sprintf("; the latest has gross %s and net %s.", words.ValueOf(newest.Gross, "null"), words.ValueOf(newest.Net, "null"))
	missing := 0
	for _, stub := range stubs {
		if stub.Gross == nil || stub.Net == nil {
			missing++
		}
	}
	if missing > 0 {
		text += fmt.Sprintf(" %s without gross or net.", words.Count(missing, "pay stub is", "pay stubs are"))
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

// earningsChart draws the earnings of each year of a report, of at least one, stacked by kind, the oldest first. Negative parts
// are stacked downwards. A part that cannot be drawn is zero. The running year is hatched.
func earningsChart(r api.Report) *chart {
	earnings := r.Employee.Earnings
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
	used, names := make([]bool, len(earningsOf(earnings[0]))), []string(nil)
	for i, part := range earningsOf(earnings[0]) {
		if used[i] = slices.ContainsFunc(earnings, func(e api.Earnings) bool { return !isZero(earningsOf(e)[i].amount) }); used[i] {
			names = append(names, part.name)
		}
	}
	c := upright("report-earnings", "Earnings by year", s, names)
	c.Description = describeEarnings(r)
	var totals, years []label
	for i, year := range slices.Backward(earnings) {
		x, width := c.slot(len(earnings)-1-i, len(earnings))
		drawn := column{X: x, Width: width, Tip: describeYear(r, year)}
		low, high := 0.0, 0.0
		var beside []series
		for k, part := range earningsOf(year) {
			v, _ := drawable(&part.amount)
			from, to := high, high+v
			if v < 0 {
				from, to = low, low+v
			}
			low, high = min(low, to), max(high, to)
			if from != to {
				drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, from, to, part.class))
			}
			if used[k] {
				beside = append(beside, series{Y: s.y((from + to) / 2), Text: part.name, Class: part.class})
			}
		}
		if isRunning(r, year) {
			drawn.Bars = append(drawn.Bars, s.bar(x, width, 0.8, low, high, hatched))
		}
		if i == 0 {
			c.addSeries(beside)
		}
		c.Columns = append(c.Columns, drawn)
		totals = append(totals, label{x + width/2, s.y(high) - 6, s.brief(year.Total), "chart-middle chart-strong"})
		years = append(years, label{x + width/2, chartHeight - 8, nameOfYear(r, year), "chart-middle"})
	}
	c.addLabels(chartLeft, c.right(), totals)
	c.addLabels(0, chartWidth, years)
	return &c
}

func describeEarnings(r api.Report) string {
	var years []string
	for _, year := range slices.Backward(r.Employee.Earnings) {
		years = append(years, nameOfYear(r, year)+" "+words.Money(year.Total))
	}
	return "Total earnings: " + strings.Join(years, ", ") + ". All numbers are in the table of earnings."
}

func describeYear(r api.Report, year api.Earnings) string {
	var parts []string
	for _, part := range earningsOf(year) {
		if !isZero(part.amount) {
			parts = append(parts, strings.ToLower(part.name)+" "+words.Money(part.amount))
		}
	}
	return nameOfYear(r, year) + ": " + cmp.Or(strings.Join(parts, ", "), "nothing")
}

// nameOfYear names a year of a report, and says when it goes on.
func nameOfYear(r api.Report, year api.Earnings) string {
	if isRunning(r, year) {
		return yearName(year) + " to date"
	}
	return yearName(year)
}

func yearName(year api.Earnings) string { return words.ValueOf(year.Year, "year null").String() }

// isZero reports whether an amount is zero, with any number of zeros.
func isZero(amount api.Decimal) bool { return strings.Trim(string(amount), "-0.") == "" }
