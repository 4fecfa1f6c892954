package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// IncomeView is the income of a person over several reports: pages/part_income.html.
type IncomeView struct {
	Total   words.Value // of a month
	Jobs    []words.Fact
	Sources []words.Fact // of the latest year, all employers together
	Year    string
	Strip   *chart   // the employments; nil: none has a hire date
	Gaps    []string // between them
}

// IncomeOfAll returns the income over all reports at an instant, nil for fewer than two.
func IncomeOfAll(reports []api.Report, now time.Time) *IncomeView {
	if len(reports) < 2 {
		return nil
	}
	v := &IncomeView{Total: words.Value{Absent: "no active employment has an income"}}
	var total fixtures.Cents
	for _, r := range reports {
		monthly := words.Value{Absent: noAnalytics(r)}
		if income, ok := fixtures.MonthlyIncome(r.IncomeAnalytics); ok {
			total += income
			monthly = words.Value{Text: words.Money(income.Decimal())}
			v.Total = words.Value{Text: words.Money(total.Decimal())}
		}
		v.Jobs = append(v.Jobs, words.Fact{Name: words.ValueOf(r.Employer.Name, "no name").String(), Value: monthly})
	}
	v.Sources, v.Year = sourcesOf(reports)
	v.strip(reports, api.DateOf(now))
	return v
}

// sourcesOf sums the earnings of the latest year by source.
func sourcesOf(reports []api.Report) (sources []words.Fact, year string) {
	for _, r := range reports {
		for _, e := range r.Employee.Earnings {
			if e.Year != nil {
				year = max(year, yearName(e))
			}
		}
	}
	sums := make(map[string]fixtures.Cents)
	var names []string
	for _, r := range reports {
		for _, e := range r.Employee.Earnings {
			for _, part := range earningsOf(e) {
				if amount, ok := drawable(&part.amount); ok && amount != 0 && yearName(e) == year {
					sums[part.name] += fixtures.Cents(math.Round(100 * amount))
					names = append(names, part.name)
				}
			}
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	for _, name := range slices.Compact(names) {
		sources = append(sources, words.Fact{Name: name, Value: words.Value{Text: words.Money(sums[name].Decimal())}})
	}
	return sources, year
}

// span is an employment, from its first day to its last.
type span struct {
	name     string
	from, to api.Date
	ended    bool
}

// The dimensions of the strip of employments.
const (
	stripRow   = 34
	stripBroad = 12
	stripAxis  = 26
)

// strip draws the employments below each other, from the first hire to a day, and names the gaps in which there was none.
func (v *IncomeView) strip(reports []api.Report, today api.Date) {
	var spans []span
	for _, r := range reports {
		if e := r.Employee; e.HiredDate != nil && *e.HiredDate <= today {
			s := span{words.ValueOf(r.Employer.Name, "no name").String(), *e.HiredDate, today, e.TerminationDate != nil}
			if s.ended {
				s.to = min(*e.TerminationDate, today)
			}
			spans = append(spans, s)
		}
	}
	if len(spans) == 0 {
		return
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	first := spans[0].from
	at := func(d api.Date) length { return length(d-first) / length(max(1, today-first)) * chartWidth }
	c := chart{ID: "employments", Title: "Employments", Height: length(len(spans))*stripRow + stripAxis}
	bottom := c.Height - stripAxis
	covered := spans[0].from
	for i, s := range spans {
		if s.from > covered+1 {
			gap := fmt.Sprintf("%s without a job, %s to %s", lastingDays(int(s.from-covered-1)), words.Day(covered+1), words.Day(s.from-1))
			v.Gaps = append(v.Gaps, gap)
			c.Columns = append(c.Columns, column{Tip: gap, Bars: []bar{{at(covered), 0, at(s.from) - at(covered), bottom, "chart-pause"}}})
		}
		covered = max(covered, s.to)
		until := "to this day"
		if s.ended {
			until = "to " + words.Day(s.to)
		}
		y := length(i) * stripRow
		c.Columns = append(c.Columns, column{
			Tip: fmt.Sprintf("%s: %s %s", s.name, words.Day(s.from), until), Bars: []bar{{at(s.from), y + 19, max(3, at(s.to)-at(s.from)), stripBroad, map[bool]string{false: "chart-base", true: "chart-ended"}[s.ended]}},
		})
		c.Labels = append(c.Labels, label{max(0, min(at(s.from), chartWidth-textWidth(s.name))), y + 12, s.name, "chart-strong"})
	}
	c.Description = strings.Join(append(describeSpans(spans), v.Gaps...), "; ") + "."
	var months []api.Date
	var places []length
	for m := first.Time().AddDate(0, 0, 1-first.Time().Day()).AddDate(0, 1, 0); !m.After(today.Time()); m = m.AddDate(0, 1, 0) {
		months, places = append(months, api.DateOf(m)), append(places, at(api.DateOf(m)))
	}
	for _, x := range c.addMonths(months, places) {
		c.Grid = append(c.Grid, line{X1: x, Y1: 0, X2: x, Y2: bottom})
	}
	v.Strip = &c
}

func describeSpans(spans []span) (texts []string) {
	for _, s := range spans {
		until := "this day"
		if s.ended {
			until = words.Day(s.to)
		}
		texts = append(texts, fmt.Sprintf("%s from %s to %s", s.name, words.Day(s.from), until))
	}
	return texts
}

// lastingDays writes a number of days in the largest fitting unit.
func lastingDays(days int) string {
	switch {
	case days >= 2*365:
		return fmt.Sprintf("%.1f years", float64(days)/365.25)
	case days >= 60:
		return fmt.Sprintf("%d months", (days*12+182)/365)
	}
	return words.Count(days, "day", "days")
}
