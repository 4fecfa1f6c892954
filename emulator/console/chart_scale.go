package console

import (
	"math"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// scale is a vertical axis of amounts, which has the zero and ends at round figures.
type scale struct {
	low, high float64
	step      float64 // from one line to the next
}

// atMost is about how many lines an axis has.
const atMost = 4

// smallest is the least step of an axis of money: a cent.
const smallest = 0.01

// scaleOf returns an axis on which all values can be shown.
func scaleOf(values ...float64) scale {
	low, high := 0.0, 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		return scale{low: 0, high: 1, step: 2} // one line: the zero
	}
	step := max(smallest, roundStep((high-low)/atMost))
	return scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step) * step, step: step}
}

// roundStep returns the least of 1, 2 and 5 with zeros that is not less than least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least {
			return factor * power
		}
	}
	return 10 * power
}

// y returns where a value stands.
func (s scale) y(value float64) length {
	part := (value - s.low) / (s.high - s.low)
	return chartHeight - chartBottom - length(part)*(chartHeight-chartBottom-chartTop)
}

// ticks returns the values that have a line.
func (s scale) ticks() (values []float64) {
	for i := math.Round(s.low / s.step); i*s.step <= s.high+s.step/2; i++ {
		if v := i * s.step; v <= s.high {
			values = append(values, v)
		}
	}
	return values
}

// label writes a value of the axis, all of them in the same unit.
func (s scale) label(value float64) string {
	unit, name := 1.0, ""
	switch extent := max(s.high, -s.low); {
	case extent >= 1e12:
		unit, name = 1e12, "T"
	case extent >= 1e9:
		unit, name = 1e9, "B"
	case extent >= 1e6:
		unit, name = 1e6, "M"
	case extent >= 1e4:
		unit, name = 1e3, "k"
	}
	decimals := 0
	for step := s.step / unit; step < 0.999 && decimals < 3; step *= 10 {
		decimals++
	}
	if name == "" && decimals > 0 {
		decimals = 2 // dollars and cents
	}
	text := strconv.FormatFloat(value/unit, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return "$0"
	}
	return money(api.Decimal(text)) + name
}
