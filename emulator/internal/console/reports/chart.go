package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
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
	Series      []series // names of the parts of the last column

	room length // for them
}

// length is a distance in a chart.
type length float64

// String writes the distance for SVG, with two decimals.
func (l length) String() string {
	return strconv.FormatFloat(math.Round(float64(l)*100)/100, 'f', -1, 64)
}

// column is a group of bars with a tip. Where it has a width, its whole height shows the tip.
type column struct {
	X, Width length
	Tip      string
	Bars     []bar
}

// bar is a rectangle; its class gives it a colour.
type bar struct {
	X, Y, Width, Height length
	Class               string
}

// hatched is the class of a bar that hatches those behind it.
const hatched = "chart-hatch"

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

// series names a part of the last column beside it. Its class gives it the part's colour.
type series struct {
	X, Y        length
	Text, Class string
}

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

	swatchRoom = 22 // for the colour before the name of a part
)

// upright returns a chart with the lines and labels of a vertical axis, and room for the names of parts at the right.
func upright(id, title string, s scale, names []string) chart {
	c := chart{ID: id, Title: title, Height: chartHeight}
	for _, name := range names {
		c.room = max(c.room, textWidth(name)+swatchRoom)
	}
	for _, tick := range s.ticks() {
		y := s.y(tick)
		across := line{X1: chartLeft, Y1: y, X2: c.right(), Y2: y}
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

// right returns where the horizontal axis ends.
func (c *chart) right() length { return chartWidth - chartRight - c.room }

// slot returns the start and the width of the i-th of n slots along the horizontal axis.
func (c *chart) slot(i, n int) (x, width length) {
	width = (c.right() - chartLeft) / length(n)
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

// addSeries adds the names of the parts of the last column, the lowest first where they have room: each at its height, or
// above the one below it.
func (c *chart) addSeries(names []series) {
	slices.SortStableFunc(names, func(a, b series) int { return cmp.Compare(b.Y, a.Y) })
	lowest := length(chartHeight - chartBottom)
	for i := range names {
		names[i].X, names[i].Y = c.right()+8, min(names[i].Y, lowest-length(i)*fontSize)
		names[i].Y = max(names[i].Y, chartTop+length(len(names)-1-i)*fontSize)
		if i > 0 {
			names[i].Y = min(names[i].Y, names[i-1].Y-fontSize)
		}
	}
	c.Series = names
}

// addLabels adds the labels that fit beside one another, the last ones first: each is moved to stand between two places, and
// left out where it would overlap another.
func (c *chart) addLabels(from, to length, labels []label) {
	free := to
	for _, l := range slices.Backward(labels) {
		half := textWidth(l.Text) / 2
		l.X = max(min(l.X, to-half), from+half)
		if l.X+half > free {
			continue
		}
		c.Labels = append(c.Labels, l)
		free = l.X - half - labelRoom
	}
}

// addMonths writes the months in which days at places begin, or as many in equal steps as have room, and returns the places
// of those. January is its year.
func (c *chart) addMonths(days []api.Date, places []length) (at []length) {
	var labels []label
	for _, every := range []int{1, 2, 3, 6, 12, 24, 60} {
		labels, at = nil, nil
		last, wide := 0, length(0)
		for i, d := range days {
			month := 12*d.Year() + int(d.Time().Month())
			if month == last || (month-1)%every != 0 {
				continue
			}
			last = month
			text := d.Time().Format("Jan")
			if text == "Jan" {
				text = fmt.Sprint(d.Year())
			}
			wide += textWidth(text) + labelRoom
			at = append(at, places[i])
			labels = append(labels, label{places[i], c.Height - 8, text, "chart-middle"})
		}
		if wide <= 0.85*(c.right()-chartLeft) { // they are not quite evenly spaced
			break
		}
	}
	c.addLabels(0, chartWidth, labels)
	return at
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

// unit returns the unit of the axis, and its sign.
func (s scale) unit() (size float64, name string) {
	extent := max(s.high, -s.low)
	size = 1
	for _, u := range []struct {
		from, size float64
		name       string
	}{{1e4, 1e3, "k"}, {1e6, 1e6, "M"}, {1e9, 1e9, "B"}, {1e12, 1e12, "T"}} {
		if extent >= u.from {
			size, name = u.size, u.name
		}
	}
	return size, name
}

// label writes a value of the axis, in the unit of the whole axis.
func (s scale) label(value float64) string {
	size, name := s.unit()
	decimals := 0
	for step := s.step / size; step < 0.999 && decimals < 3; step *= 10 {
		decimals++
	}
	if name == "" && decimals > 0 {
		decimals = 2 // dollars and cents
	}
	text := strconv.FormatFloat(value/size, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return "$0"
	}
	return words.Money(api.Decimal(text)) + name
}

// brief writes an amount in the unit of the axis with one decimal, and an amount in dollars as it is.
func (s scale) brief(amount api.Decimal) string {
	size, name := s.unit()
	value, ok := drawable(&amount)
	if !ok || name == "" {
		return words.Money(amount)
	}
	return words.Money(api.Decimal(strconv.FormatFloat(value/size, 'f', 1, 64))) + name
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
