package reports

import (
	"cmp"
	"encoding/xml"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// amounts draws amounts: null, losses, pay, and numbers too large for pay.
func amounts() *rapid.Generator[api.Decimal] {
	return rapid.Map(rapid.OneOf(
		rapid.Just(int64(0)), rapid.Int64Range(1, 100), rapid.Int64Range(100_00, 9_999_99), rapid.Int64Range(-5_000_00, -1), rapid.Int64Range(0, 1e14),
	), func(cents int64) api.Decimal { return fixtures.Cents(cents).Decimal() })
}

// payStubs draws one or more pay stubs.
func payStubs() *rapid.Generator[[]api.Paystub] {
	nullable, days := rapid.Ptr(amounts(), true), rapid.Ptr(rapid.Map(rapid.IntRange(18_000, 21_000), func(day int) api.Date { return api.Date(day) }), true)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) api.Paystub {
		return api.Paystub{Gross: nullable.Draw(t, "gross"), Net: nullable.Draw(t, "net"), PayDate: days.Draw(t, "date")}
	}), 1, 104)
}

// years draws reports with earnings of one or more years.
func years() *rapid.Generator[api.Report] {
	return rapid.Map(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) (e api.Earnings) {
		for _, amount := range []*api.Decimal{&e.Base, &e.Overtime, &e.Bonus, &e.Commission, &e.Other, &e.Total} {
			*amount = amounts().Draw(t, "amount")
		}
		e.Year = new(rapid.StringMatching("20[0-9]{2}").Draw(t, "year"))
		return e
	}), 1, 30), func(years []api.Earnings) api.Report {
		return api.Report{CurrentAsOf: api.NewDate(2025, time.January, 15), Employee: api.Employee{Earnings: years}}
	})
}

func TestChartBounds(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*rapid.T) *chart{
		"pay":      func(t *rapid.T) *chart { return payChart(payStubs().Draw(t, "stubs")) },
		"earnings": func(t *rapid.T) *chart { return earningsChart(years().Draw(t, "years")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				c := draw(t)
				if c == nil {
					t.Skip("there is nothing to draw")
				}
				for _, column := range c.Columns {
					for _, b := range column.Bars {
						if b.Width < 0 || b.Height < 0 || b.X < 0 || b.Y < 0 || b.X+b.Width > chartWidth || b.Y+b.Height > c.Height {
							t.Fatalf("a bar of %q leaves the picture: %+v", column.Tip, b)
						}
					}
				}
				for _, l := range slices.Concat(c.Grid, c.Lines) {
					if min(l.X1, l.X2, l.Y1, l.Y2) < 0 || max(l.X1, l.X2) > chartWidth || max(l.Y1, l.Y2) > c.Height {
						t.Fatalf("a line leaves the picture: %+v", l)
					}
				}
				for i, s := range c.Series {
					if s.X+textWidth(s.Text) > chartWidth || s.Y < fontSize/2 || s.Y > c.Height-fontSize/2 {
						t.Fatalf("the name %q leaves the picture: %v, %v", s.Text, s.X, s.Y)
					}
					if i > 0 && c.Series[i-1].Y-s.Y < fontSize-0.01 {
						t.Fatalf("the name %q touches %q", s.Text, c.Series[i-1].Text)
					}
				}
				for i, l := range c.Labels {
					from, to := extent(l)
					if from < -0.01 || to > chartWidth+0.01 || l.Y < fontSize/2 || l.Y > c.Height {
						t.Fatalf("%q leaves the picture: %v to %v at %v", l.Text, from, to, l.Y)
					}
					for _, other := range c.Labels[:i] {
						if left, right := extent(other); math.Abs(float64(l.Y-other.Y)) < fontSize/2 && from < right && left < to {
							t.Fatalf("%q touches %q", l.Text, other.Text)
						}
					}
				}
			})
		})
	}
}

// extent returns the start and the end of a label.
func extent(l label) (from, to length) {
	width := textWidth(l.Text)
	if strings.Contains(l.Class, "chart-end") {
		return l.X - width, l.X
	}
	return l.X - width/2, l.X + width/2
}

func TestPayChart(t *testing.T) {
	t.Parallel()
	if payChart(nil) != nil || payChart(make([]api.Paystub, 3)) != nil {
		t.Error("a picture without a figure is drawn")
	}
	rapid.Check(t, func(t *rapid.T) {
		stubs := payStubs().Draw(t, "stubs")
		c := payChart(stubs)
		if c == nil {
			t.Skip("there is nothing to draw")
		}
		perUnit := 0.0
		for i, column := range c.Columns {
			stub := stubs[len(stubs)-1-i]
			bars := column.Bars
			for class, amount := range map[string]*api.Decimal{"chart-gross": stub.Gross, "chart-net": stub.Net} {
				value, ok := drawable(amount)
				i := slices.IndexFunc(bars, func(b bar) bool { return b.Class == class })
				if ok != (i >= 0) || ok && value == 0 && bars[i].Height != 0 {
					t.Fatalf("of %s %v: %+v", class, value, bars)
				}
				if i < 0 || bars[i].Height < 0.5 {
					continue // too low to measure
				}
				got := float64(bars[i].Height) / math.Abs(value)
				if perUnit = cmp.Or(perUnit, got); math.Abs(got/perUnit-1) > 1e-6 {
					t.Fatalf("%v of %v is drawn %v a unit, others %v", class, value, got, perUnit)
				}
			}
		}
	})
}

func TestChartMonths(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		months int
		want   string
	}{{1, "Nov"}, {4, "Nov Dec 2026 Feb"}, {8, "Nov 2026 Mar May"}, {14, "2026 Apr Jul Oct"}, {40, "2026 2027 2028 2029"}} {
		var stubs []api.Paystub
		for i := range tt.months {
			for _, day := range []int{14, 28} {
				stubs = append([]api.Paystub{{Gross: new(api.Decimal("2000.00")), PayDate: new(api.NewDate(2025, time.Month(11+i), day))}}, stubs...)
			}
		}
		var got []string
		for _, l := range payChart(stubs).Labels {
			if l.Y == chartHeight-8 {
				got = append([]string{l.Text}, got...)
			}
		}
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%d months are %q, want %q", tt.months, text, tt.want)
		}
	}
}

func TestEarningsChart(t *testing.T) {
	t.Parallel()
	year := api.Earnings{Year: new("2025"), Base: "50000.00", Overtime: "2000.00", Bonus: "5000.00", Commission: "0.00", Other: "-1000.00", Total: "56000.00"}
	c := earningsChart(api.Report{CurrentAsOf: api.NewDate(2025, time.January, 15), Employee: api.Employee{Earnings: []api.Earnings{year}}})
	bars := c.Columns[0].Bars
	if len(bars) != 5 {
		t.Fatalf("there are %d bars, want one for each kind that is not zero, and one that hatches them", len(bars))
	}
	if hatch := bars[4]; hatch.Class != hatched || hatch.Y != bars[2].Y || math.Abs(float64(hatch.Y+hatch.Height-bars[3].Y-bars[3].Height)) > 1e-9 {
		t.Errorf("the running year is hatched at %+v, its bars are %+v", hatch, bars[:4])
	}
	for i := range 2 {
		if upper, lower := bars[i+1], bars[i]; math.Abs(float64(upper.Y+upper.Height-lower.Y)) > 1e-9 {
			t.Errorf("%s ends at %v, %s begins at %v", upper.Class, upper.Y+upper.Height, lower.Class, lower.Y)
		}
	}
	if below := bars[3]; math.Abs(float64(below.Y-bars[0].Y-bars[0].Height)) > 1e-9 {
		t.Errorf("what is below zero begins at %v, the zero is at %v", below.Y, bars[0].Y+bars[0].Height)
	}
}

func TestChartXML(t *testing.T) {
	t.Parallel()
	stubs := []api.Paystub{{Gross: new(api.Decimal("2000.00")), Net: new(api.Decimal("1500.00")), PayDate: new(api.NewDate(2025, 1, 15))}}
	text := drawn(t, "chart", payChart(stubs))
	shows(t, text, `role="img"`, `aria-labelledby="report-pay-title report-pay-desc"`, `<figcaption id="report-pay-title">Gross and net per pay period</figcaption>`,
		`The one pay stub, 15 Jan 2025; the latest has gross $2,000.00 and net $1,500.00.`)
	if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil {
		t.Errorf("the picture is no XML: %v\n%s", err, text)
	}
}
