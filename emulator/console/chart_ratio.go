package console

import (
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

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
