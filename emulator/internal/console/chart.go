package console

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// chart is an inline SVG: pages/part_chart.html. A table of the page has the same numbers.
type chart struct {
	ID          string // within the page; title and description are ID-title and ID-desc
	Title       string
	Description string // text in place of the picture
	Height      length
	Grid        []line // behind the bars
	Columns     []column
	Lines       []line // across the bars
	Labels      []label
	Legend      []legend
}

// length is a distance in a chart.
type length float64

// String writes the distance for SVG, with two decimals.
func (l length) String() string {
	return strconv.FormatFloat(math.Round(float64(l)*100)/100, 'f', -1, 64)
}

type column struct {
	Title string
	Bars  []bar
}

// bar is a rectangle; its class gives it a colour.
type bar struct {
	X, Y, Width, Height length
	Class               string
}

type line struct {
	X1, Y1, X2, Y2 length
	Class          string
}

// label is a text at a point; its class sets the alignment.
type label struct {
	X, Y  length
	Text  string
	Class string
}

// legend explains a colour.
type legend struct{ Class, Text string }

// The dimensions of a chart, in its own units. Texts are at most fontSize high, in small charts too.
const (
	chartWidth  = 480 // as in pages/part_chart.html
	chartHeight = 230

	chartLeft   = 74 // for the labels of the axis
	chartRight  = 6
	chartTop    = 26
	chartBottom = 32

	fontSize  = 16
	glyph     = 0.6 * fontSize // mean width of a character
	labelRoom = 10             // between two labels
)

// upright returns a chart with the lines and labels of a vertical axis.
func upright(id, title string, s scale) chart {
	c := chart{ID: id, Title: title, Height: chartHeight}
	for _, tick := range s.ticks() {
		y := s.y(tick)
		across := line{X1: chartLeft, Y1: y, X2: chartWidth - chartRight, Y2: y}
		if tick == 0 {
			across.Class = "chart-zero"
			c.Lines = append(c.Lines, across)
		} else {
			c.Grid = append(c.Grid, across)
		}
		c.Labels = append(c.Labels, label{X: chartLeft - 5, Y: y + fontSize/3, Text: s.label(tick), Class: "chart-end"})
	}
	return c
}

// slot returns the start and the width of the i-th of n slots along the horizontal axis.
func slot(i, n int) (x, width length) {
	width = (chartWidth - chartLeft - chartRight) / length(n)
	return chartLeft + length(i)*width, width
}

// maxBarWidth bounds the width of a bar, for charts with few bars.
const maxBarWidth = 56

// bar returns the bar between two values. It takes a part of the width of the slot at x.
func (s scale) bar(x, width length, part length, from, to float64, class string) bar {
	low, high := s.y(min(from, to)), s.y(max(from, to))
	broad := min(width, maxBarWidth/0.8) * part
	return bar{x + (width-broad)/2, high, broad, low - high, class}
}

// addLabels adds the labels that fit beside one another, the last ones first: each is moved to stand between from and the
// end of the chart, and left out where it would overlap another.
func (c *chart) addLabels(from length, labels []label) {
	free := length(chartWidth)
	for _, l := range slices.Backward(labels) {
		half := textWidth(l.Text) / 2
		l.X = max(min(l.X, chartWidth-half), from+half)
		if l.X+half > free {
			continue
		}
		c.Labels = append(c.Labels, l)
		free = l.X - half - labelRoom
	}
}

// textWidth returns an upper estimate of the width of a text.
func textWidth(text string) length { return length(utf8.RuneCountInString(text)) * glyph }

// scale is a vertical axis of amounts. It contains zero and ends at round numbers.
type scale struct {
	low, high float64
	step      float64 // from one line to the next
}

const (
	lines    = 4    // of an axis, about
	smallest = 0.01 // step of an axis of money: a cent
)

// scaleOf returns an axis for values.
func scaleOf(values ...float64) scale {
	low, high := 0.0, 0.0
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	if low == high {
		return scale{low: 0, high: 1, step: 2} // one line: the zero
	}
	step := max(smallest, roundStep((high-low)/lines))
	return scale{low: math.Floor(low/step) * step, high: math.Ceil(high/step) * step, step: step}
}

// roundStep returns the least number of the form 1, 2 or 5 times a power of ten that is not below least.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least {
			return factor * power
		}
	}
	return 10 * power
}

// y returns the position of a value.
func (s scale) y(value float64) length {
	part := (value - s.low) / (s.high - s.low)
	return chartHeight - chartBottom - length(part)*(chartHeight-chartBottom-chartTop)
}

func (s scale) ticks() (values []float64) {
	for i := math.Round(s.low / s.step); i*s.step <= s.high+s.step/2; i++ {
		if v := i * s.step; v <= s.high {
			values = append(values, v)
		}
	}
	return values
}

// label writes a value of the axis, in the unit of the whole axis.
func (s scale) label(value float64) string {
	unit, name, extent := 1.0, "", max(s.high, -s.low)
	for _, u := range []struct {
		from, unit float64
		name       string
	}{{1e4, 1e3, "k"}, {1e6, 1e6, "M"}, {1e9, 1e9, "B"}, {1e12, 1e12, "T"}} {
		if extent >= u.from {
			unit, name = u.unit, u.name
		}
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

// maxDrawable bounds the numbers that are drawn: floats cannot add larger ones exactly.
const maxDrawable = 1e12

// drawable returns a decimal as a number to draw. Null and too large numbers cannot be drawn.
func drawable(d *api.Decimal) (value float64, ok bool) {
	if d == nil {
		return 0, false
	}
	value, err := strconv.ParseFloat(string(*d), 64)
	if err != nil || math.Abs(value) > maxDrawable {
		return 0, false
	}
	return value, true
}
