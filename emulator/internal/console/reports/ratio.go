package reports

import (
	"cmp"
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
)

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
	c.Columns = []column{{Tip: "The whole scale", Bars: []bar{{ratioLeft, ratioTop, ratioWidth, ratioBroad, "chart-track"}}}}
	below := "no ratio"
	if hasRatio {
		below = "rent is " + words.Percent(*check.Result.RentToIncomeRatio) + " of income"
	}
	if ratio > 0 {
		class := "chart-within"
		if ratio > limit {
			class = "chart-above"
		}
		c.Columns = append(c.Columns, column{
			Tip: "Rent to income " + words.Percent(*check.Result.RentToIncomeRatio), Bars: []bar{{ratioLeft, ratioTop, x(ratio) - ratioLeft, ratioBroad, class}},
		})
	}
	c.Lines = []line{{x(limit), ratioTop - 8, x(limit), ratioTop + ratioBroad + 8, "chart-threshold"}}
	c.addLabels(0, chartWidth, []label{{x(limit), ratioTop - 14, "threshold " + words.Percent(threshold), "chart-middle"}})
	c.addLabels(0, chartWidth, []label{{x(max(0, ratio)), ratioTop + ratioBroad + 28, below, "chart-middle chart-strong"}})
	return &c
}

func describeRatio(check api.QualificationCheck) string {
	threshold := thresholdOf(check)
	if check.Result.RentToIncomeRatio == nil {
		return fmt.Sprintf("There is no ratio; the threshold is %s.", words.Percent(threshold))
	}
	ratio, _ := drawable(check.Result.RentToIncomeRatio)
	limit, _ := drawable(&threshold)
	side := "not above"
	if ratio > limit {
		side = "above"
	}
	return fmt.Sprintf("Rent is %s of monthly gross income, %s the threshold of %s.", words.Percent(*check.Result.RentToIncomeRatio), side, words.Percent(threshold))
}

// thresholdOf returns the threshold for the kind of a check.
func thresholdOf(check api.QualificationCheck) api.Decimal {
	if check.Kind == api.KindGuarantor {
		return check.QualificationCheckSet.GuarantorRentToIncomeRatio
	}
	return check.QualificationCheckSet.ApplicantRentToIncomeRatio
}
