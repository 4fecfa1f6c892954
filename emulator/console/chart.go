package console

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// chart is a picture of figures: what pages/chart.html draws as an inline SVG. The figures themselves stand in a table on
// the same page.
type chart struct {
	ID          string // within the page; title and description are ID-title and ID-desc
	Title       string
	Description string // what somebody would say who describes the picture
	Height      length
	Grid        []line // behind the bars
	Columns     []column
	Lines       []line // across the bars
	Labels      []label
	Legend      []legend
}

// Width is how wide every picture is, in units of its own.
func (chart) Width() length { return chartWidth }

// length is a distance within a picture.
type length float64

// String writes the distance as SVG has it, to the hundredth.
func (l length) String() string {
	return strconv.FormatFloat(math.Round(float64(l)*100)/100, 'f', -1, 64)
}

// column is a group of bars that are spoken of together.
type column struct {
	Title string
	Bars  []bar
}

// bar is a rectangle; its class gives it a colour.
type bar struct {
	X, Y, Width, Height length
	Class               string
}

// line goes from one point to another.
type line struct {
	X1, Y1, X2, Y2 length
	Class          string
}

// label is a text at a point; its class says which part of the text stands there.
type label struct {
	X, Y  length
	Text  string
	Class string
}

// legend is what a colour means.
type legend struct{ Class, Text string }

// The room of a picture, in its own units. Texts are at most fontSize high, which is how they are drawn where the picture
// is small; there is room for that.
const (
	chartWidth  = 480
	chartHeight = 230

	chartLeft   = 74 // of the axis' labels
	chartRight  = 6
	chartTop    = 26
	chartBottom = 32

	fontSize  = 16
	glyph     = 0.6 * fontSize // of a text's mean character
	labelRoom = 10             // between two labels
)

// plotWidth is how wide the part of a picture is that has the bars.
const plotWidth = chartWidth - chartLeft - chartRight

// upright returns a picture with the lines and labels of a vertical axis.
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

// slot returns where the i-th of n places along the horizontal axis begins, and how wide it is.
func slot(i, n int) (x, width length) {
	width = length(plotWidth) / length(n)
	return chartLeft + length(i)*width, width
}

// between returns the rectangle between two values, of which either may be the greater.
func (s scale) between(x, width length, from, to float64, class string) bar {
	low, high := s.y(min(from, to)), s.y(max(from, to))
	return bar{X: x, Width: width, Y: high, Height: low - high, Class: class}
}

// place adds the labels that fit beside one another, the last ones first: each is moved between from and the picture's
// end, and left out where it would touch another.
func (c *chart) place(from length, labels []label) {
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

// textWidth is about how wide a text is drawn, at most.
func textWidth(text string) length { return length(utf8.RuneCountInString(text)) * glyph }
