package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

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
