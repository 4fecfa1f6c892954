package console

import (
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// amounts draws what may stand for an amount: null, nothing, a loss, pay, and what no pay is.
func amounts() *rapid.Generator[*api.Decimal] {
	return rapid.Custom(func(t *rapid.T) *api.Decimal {
		cents := rapid.OneOf(
			rapid.Just(int64(0)), rapid.Int64Range(1, 100), rapid.Int64Range(100_00, 9_999_99),
			rapid.Int64Range(-5_000_00, -1), rapid.Int64Range(0, 1e14),
		).Draw(t, "cents")
		if rapid.IntRange(0, 9).Draw(t, "null") == 0 {
			return nil
		}
		sign := ""
		if cents < 0 {
			sign, cents = "-", -cents
		}
		return new(api.Decimal(fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)))
	})
}

// payStubs draws pay stubs, one to all that a report has.
func payStubs() *rapid.Generator[[]api.Paystub] {
	return rapid.Custom(func(t *rapid.T) []api.Paystub {
		stubs := make([]api.Paystub, rapid.IntRange(1, 104).Draw(t, "stubs"))
		for i := range stubs {
			stubs[i].Gross, stubs[i].Net = amounts().Draw(t, "gross"), amounts().Draw(t, "net")
			if rapid.IntRange(0, 9).Draw(t, "undated") > 0 {
				stubs[i].PayDate = new(api.NewDate(2025, 1, 15-7*i))
			}
		}
		return stubs
	})
}

// years draws earnings of one year to more than the API has.
func years() *rapid.Generator[[]api.Earnings] {
	return rapid.Custom(func(t *rapid.T) []api.Earnings {
		earnings := make([]api.Earnings, rapid.IntRange(1, 30).Draw(t, "years"))
		for i := range earnings {
			part := func(name string) api.Decimal {
				if amount := amounts().Draw(t, name); amount != nil {
					return *amount
				}
				return "0.00"
			}
			earnings[i] = api.Earnings{
				Year: new(fmt.Sprint(2025 - i)), Base: part("base"), Bonus: part("bonus"), Commission: part("commission"),
				Other: part("other"), Overtime: part("overtime"), Total: part("total"),
			}
		}
		return earnings
	})
}

// checks draws qualification checks with any ratio and any thresholds.
func checks() *rapid.Generator[api.QualificationCheck] {
	return rapid.Custom(func(t *rapid.T) (check api.QualificationCheck) {
		check.Kind = rapid.SampledFrom(check.Kind.Values()).Draw(t, "kind")
		check.Result.RentToIncomeRatio = amounts().Draw(t, "ratio")
		check.QualificationCheckSet.ApplicantRentToIncomeRatio = "0.3300"
		check.QualificationCheckSet.GuarantorRentToIncomeRatio = "0.2500"
		if limit := amounts().Draw(t, "threshold"); limit != nil {
			check.QualificationCheckSet.ApplicantRentToIncomeRatio = *limit
		}
		return check
	})
}

func TestNothingLeavesAPicture(t *testing.T) {
	t.Parallel()
	for name, draw := range map[string]func(*rapid.T) *chart{
		"pay":      func(t *rapid.T) *chart { return payChart(payStubs().Draw(t, "stubs")) },
		"earnings": func(t *rapid.T) *chart { return earningsChart(years().Draw(t, "years")) },
		"ratio":    func(t *rapid.T) *chart { return ratioChart(checks().Draw(t, "check")) },
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
							t.Fatalf("a bar of %q leaves the picture: %+v", column.Title, b)
						}
					}
				}
				for _, l := range slices.Concat(c.Grid, c.Lines) {
					if min(l.X1, l.X2, l.Y1, l.Y2) < 0 || max(l.X1, l.X2) > chartWidth || max(l.Y1, l.Y2) > c.Height {
						t.Fatalf("a line leaves the picture: %+v", l)
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

// extent returns where a label begins and ends.
func extent(l label) (from, to length) {
	width := textWidth(l.Text)
	if strings.Contains(l.Class, "chart-end") {
		return l.X - width, l.X
	}
	return l.X - width/2, l.X + width/2
}

func TestBarsOfPayAreAsHighAsTheirAmounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		stubs := payStubs().Draw(t, "stubs")
		c := payChart(stubs)
		if c == nil {
			t.Skip("there is nothing to draw")
		}
		perUnit := 0.0
		for i, column := range c.Columns {
			stub := stubs[len(stubs)-1-i]
			drawn := 0
			for class, amount := range map[string]*api.Decimal{"chart-gross": stub.Gross, "chart-net": stub.Net} {
				value, ok := figure(amount)
				if !ok {
					continue
				}
				drawn++
				b := barOf(t, column, class)
				if value == 0 && b.Height != 0 {
					t.Fatalf("nothing is %v high", b.Height)
				}
				if math.Abs(float64(b.Height)) < 0.5 {
					continue // too low to be measured
				}
				if perUnit == 0 {
					perUnit = float64(b.Height) / math.Abs(value)
				}
				if got := float64(b.Height) / math.Abs(value); math.Abs(got/perUnit-1) > 1e-6 {
					t.Fatalf("%v of %v is drawn %v a unit, others %v", class, value, got, perUnit)
				}
			}
			if drawn != len(column.Bars) {
				t.Fatalf("%d bars are drawn of %d amounts", len(column.Bars), drawn)
			}
		}
	})
}

func barOf(t *rapid.T, c column, class string) bar {
	for _, b := range c.Bars {
		if b.Class == class {
			return b
		}
	}
	t.Fatalf("%q has no bar %s", c.Title, class)
	return bar{}
}

func TestEarningsOfAYearAreStackedWithoutGapOrOverlap(t *testing.T) {
	t.Parallel()
	year := api.Earnings{Year: new("2025"), Base: "50000.00", Overtime: "2000.00", Bonus: "5000.00", Commission: "0.00", Other: "-1000.00", Total: "56000.00"}
	c := earningsChart([]api.Earnings{year})
	bars := c.Columns[0].Bars
	if len(bars) != 4 {
		t.Fatalf("there are %d bars, want one for each kind that is not zero", len(bars))
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

func TestNothingIsDrawnOfNothing(t *testing.T) {
	t.Parallel()
	if payChart(nil) != nil || payChart(make([]api.Paystub, 3)) != nil {
		t.Error("a picture without a figure is drawn")
	}
}

func TestARatioIsColouredByItsThreshold(t *testing.T) {
	t.Parallel()
	for ratio, want := range map[api.Decimal]string{"0.3300": "chart-within", "0.3301": "chart-above", "0.1000": "chart-within", "1.2000": "chart-above"} {
		check := api.QualificationCheck{Kind: api.KindApplicant}
		check.QualificationCheckSet.ApplicantRentToIncomeRatio = "0.3300"
		check.Result.RentToIncomeRatio = &ratio
		c := ratioChart(check)
		if got := c.Columns[1].Bars[0].Class; got != want {
			t.Errorf("%s is drawn as %s, want %s", ratio, got, want)
		}
	}
}

func TestPicturesAreSoundXMLWithTitleAndDescription(t *testing.T) {
	t.Parallel()
	stubs := []api.Paystub{{Gross: new(api.Decimal("2000.00")), Net: new(api.Decimal("1500.00")), PayDate: new(api.NewDate(2025, 1, 15))}}
	text := drawn(t, "chart", payChart(stubs))
	for _, part := range []string{
		`role="img"`, `aria-labelledby="report-pay-title report-pay-desc"`, `<title id="report-pay-title">Gross and net per pay period</title>`,
		`The one pay stub, 15 Jan 2025; the latest has gross $2,000.00 and net $1,500.00.`,
	} {
		if !strings.Contains(text, part) {
			t.Errorf("the picture is without %s", part)
		}
	}
	if strings.Contains(text, "style") {
		t.Error("the picture has styles, which the page's policy does not allow")
	}
	if err := xml.Unmarshal([]byte(text), new(struct{})); err != nil {
		t.Errorf("the picture is no XML: %v\n%s", err, text)
	}
}

func TestHostileTextsStayTextsInAPicture(t *testing.T) {
	t.Parallel()
	text := drawn(t, "chart", earningsChart([]api.Earnings{{Year: new("</title><script>alert(1)</script>"), Base: "1.00", Total: "1.00"}}))
	if strings.Contains(text, "<script") {
		t.Errorf("a year is markup:\n%s", text)
	}
}
