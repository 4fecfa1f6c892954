package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// payChart draws gross and net of each pay stub, the oldest first; nil when there is no figure to draw. A net stands
// narrow before its gross, so that either is seen whichever is the greater.
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
			drawn.Bars = append(drawn.Bars, s.between(inset(x, width, 0.8), broad(width, 0.8), 0, v, "chart-gross"))
		}
		if v, ok := figure(stub.Net); ok {
			drawn.Bars = append(drawn.Bars, s.between(inset(x, width, 0.44), broad(width, 0.44), 0, v, "chart-net"))
		}
		c.Columns = append(c.Columns, drawn)
		if stub.PayDate != nil {
			days = append(days, label{X: x + width/2, Y: chartHeight - 8, Text: day(*stub.PayDate), Class: "chart-middle"})
		}
	}
	c.place(0, days)
	return &c
}

// broadest is how wide a bar becomes at most, so that a single pay stub is no wall.
const broadest = 56

// broad returns how wide a bar is that takes a part of its slot.
func broad(slot length, part length) length { return min(slot, broadest/0.8) * part }

// inset returns where such a bar begins, in the middle of the slot at x.
func inset(x, slot length, part length) length { return x + (slot-broad(slot, part))/2 }

func describePay(stubs []api.Paystub) string {
	newest, oldest := stubs[0], stubs[len(stubs)-1]
	text := fmt.Sprintf("The one pay stub, %s", textOr(newest.PayDate, "without a pay date", day))
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

// kindOfEarnings is a part of a year's earnings (spec 2.3, Earnings).
type kindOfEarnings struct {
	name   string
	class  string
	amount func(api.Earnings) api.Decimal
}

// kindsOfEarnings lists the parts in the order in which they are stacked.
func kindsOfEarnings() []kindOfEarnings {
	return []kindOfEarnings{
		{"Base", "chart-base", func(e api.Earnings) api.Decimal { return e.Base }},
		{"Overtime", "chart-overtime", func(e api.Earnings) api.Decimal { return e.Overtime }},
		{"Bonus", "chart-bonus", func(e api.Earnings) api.Decimal { return e.Bonus }},
		{"Commission", "chart-commission", func(e api.Earnings) api.Decimal { return e.Commission }},
		{"Other", "chart-other", func(e api.Earnings) api.Decimal { return e.Other }},
	}
}

// earningsChart draws the earnings of each year stacked by kind, the oldest year first; nil when there are none. What is
// below zero is stacked downwards.
func earningsChart(id string, earnings []api.Earnings) *chart {
	if len(earnings) == 0 {
		return nil
	}
	var stacks [][]float64
	var extents []float64
	for _, year := range earnings {
		stack, low, high := stacked(year)
		stacks, extents = append(stacks, stack), append(extents, low, high)
	}
	s := scaleOf(extents...)
	c := upright(id, "Earnings by year", s)
	c.Description = describeEarnings(earnings)
	c.Legend = legendOfEarnings(earnings)
	var totals, years []label
	for i, year := range slices.Backward(earnings) {
		x, width := slot(len(earnings)-1-i, len(earnings))
		low, high := 0.0, 0.0
		drawn := column{Title: describeYear(year)}
		for k, kind := range kindsOfEarnings() {
			from, to := high, high+stacks[i][k]
			if stacks[i][k] < 0 {
				from, to = low, low+stacks[i][k]
			}
			low, high = min(low, to), max(high, to)
			if from != to {
				drawn.Bars = append(drawn.Bars, s.between(inset(x, width, 0.8), broad(width, 0.8), from, to, kind.class))
			}
		}
		c.Columns = append(c.Columns, drawn)
		totals = append(totals, label{X: x + width/2, Y: s.y(high) - 6, Text: money(year.Total), Class: "chart-middle chart-strong"})
		years = append(years, label{X: x + width/2, Y: chartHeight - 8, Text: yearName(year), Class: "chart-middle"})
	}
	c.place(chartLeft, totals)
	c.place(0, years)
	return &c
}

// stacked returns the parts of a year as numbers, and how far they reach below and above zero. A part that cannot be
// drawn is zero.
func stacked(year api.Earnings) (parts []float64, low, high float64) {
	for _, kind := range kindsOfEarnings() {
		v, ok := figure(new(kind.amount(year)))
		if !ok {
			v = 0
		}
		parts = append(parts, v)
		low, high = low+min(0, v), high+max(0, v)
	}
	return parts, low, high
}

// legendOfEarnings names the kinds of which there are any.
func legendOfEarnings(earnings []api.Earnings) (shown []legend) {
	for _, kind := range kindsOfEarnings() {
		if slices.ContainsFunc(earnings, func(e api.Earnings) bool { return !isZero(kind.amount(e)) }) {
			shown = append(shown, legend{kind.class, kind.name})
		}
	}
	return shown
}

func describeEarnings(earnings []api.Earnings) string {
	var years []string
	for _, year := range slices.Backward(earnings) {
		years = append(years, yearName(year)+" "+money(year.Total))
	}
	return "Total earnings: " + strings.Join(years, ", ") + ". All figures are in the table of earnings."
}

func describeYear(year api.Earnings) string {
	parts := []string{}
	for _, kind := range kindsOfEarnings() {
		if amount := kind.amount(year); !isZero(amount) {
			parts = append(parts, strings.ToLower(kind.name)+" "+money(amount))
		}
	}
	return fmt.Sprintf("%s: %s", yearName(year), cmp.Or(strings.Join(parts, ", "), "nothing"))
}

func yearName(year api.Earnings) string {
	if year.Year == nil {
		return "year null"
	}
	return *year.Year
}

// isZero reports whether an amount is nothing, however many zeros it has.
func isZero(amount api.Decimal) bool { return strings.Trim(string(amount), "-0.") == "" }

// The room of the picture of a ratio.
const (
	ratioHeight = 98
	ratioLeft   = 4
	ratioWidth  = chartWidth - 2*ratioLeft
	ratioTop    = 34
	ratioBroad  = 26
)

// ratioChart draws a rent-to-income ratio as a bar, and the threshold that it is judged by as a line across it. Without a
// ratio there is the threshold alone. It is nil when neither can be drawn.
func ratioChart(id string, check api.QualificationCheck) *chart {
	threshold := thresholdOf(check)
	limit, ok := figure(&threshold)
	if !ok || limit < 0 {
		return nil
	}
	ratio, known := figure(check.Result.RentToIncomeRatio)
	full := max(limit, ratio) * 1.25
	if full == 0 {
		full = 1
	}
	x := func(v float64) length { return ratioLeft + length(v/full)*ratioWidth }
	c := chart{ID: id, Title: "Rent to income against its threshold", Height: ratioHeight}
	c.Description = describeRatio(check, threshold)
	c.Columns = []column{{Title: "The whole scale", Bars: []bar{
		{X: ratioLeft, Y: ratioTop, Width: ratioWidth, Height: ratioBroad, Class: "chart-track"},
	}}}
	if known && ratio > 0 {
		class := "chart-within"
		if ratio > limit {
			class = "chart-above"
		}
		c.Columns = append(c.Columns, column{Title: "Rent to income " + percent(*check.Result.RentToIncomeRatio), Bars: []bar{
			{X: ratioLeft, Y: ratioTop, Width: x(ratio) - ratioLeft, Height: ratioBroad, Class: class},
		}})
	}
	c.Lines = []line{{X1: x(limit), Y1: ratioTop - 8, X2: x(limit), Y2: ratioTop + ratioBroad + 8, Class: "chart-threshold"}}
	c.place(0, []label{{X: x(limit), Y: ratioTop - 14, Text: "threshold " + percent(threshold), Class: "chart-middle"}})
	below := "no ratio"
	if known {
		below = "rent is " + percent(*check.Result.RentToIncomeRatio) + " of income"
	}
	c.place(0, []label{{X: x(max(0, ratio)), Y: ratioTop + ratioBroad + 28, Text: below, Class: "chart-middle chart-strong"}})
	return &c
}

// thresholdOf returns the ratio that a check is judged by: that of its kind (data rules, qualification checks).
func thresholdOf(check api.QualificationCheck) api.Decimal {
	if check.Kind == api.KindGuarantor {
		return check.QualificationCheckSet.GuarantorRentToIncomeRatio
	}
	return check.QualificationCheckSet.ApplicantRentToIncomeRatio
}

func describeRatio(check api.QualificationCheck, threshold api.Decimal) string {
	if check.Result.RentToIncomeRatio == nil {
		return fmt.Sprintf("There is no ratio; the threshold is %s.", percent(threshold))
	}
	ratio, _ := figure(check.Result.RentToIncomeRatio)
	limit, _ := figure(&threshold)
	judged := "not above"
	if ratio > limit {
		judged = "above"
	}
	return fmt.Sprintf("Rent is %s of monthly gross income, %s the threshold of %s.", percent(*check.Result.RentToIncomeRatio), judged, percent(threshold))
}
