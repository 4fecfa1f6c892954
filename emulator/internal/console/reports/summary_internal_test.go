package reports

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	now := time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		change func(*api.Report)
		want   map[string]string // parts by the names of tiles
	}{
		"a salary": {func(r *api.Report) { r.Employee.HiredDate = new(api.NewDate(2020, time.February, 18)) }, map[string]string{
			"Monthly income": "a year / 12", "Tenure": "4 years 10 months; since 18 Feb 2020", "Last paid": "paid through", "Warnings": "None",
		}},
		"no pay stubs": {func(r *api.Report) { r.Paystubs, r.PaidThroughDate = []api.Paystub{}, nil }, map[string]string{
			"Monthly income": "No gross: there are no pay stubs", "Last paid": "there are no pay stubs",
		}},
		"no salary": {func(r *api.Report) { r.Employee.Salary = nil }, map[string]string{
			"Monthly income": "Gross of the pay stubs, for twelve months: there is no salary",
		}},
		"hourly": {func(r *api.Report) {
			*r.Employee.Salary.PayFrequency, *r.Employee.Salary.GrossPay = api.PayHourly, "24.00"
		}, map[string]string{
			"Monthly income": "from $24.00 an hour, 40 hours a week",
		}},
		"hired recently": {func(r *api.Report) { r.Employee.HiredDate = new(api.NewDate(2024, time.December, 28)) }, map[string]string{
			"Tenure": "18 days", "Warnings": "1 warning; Hired recently: on 28 Dec 2024, 18 days before the report",
		}},
		"not hired yet": {func(r *api.Report) { r.Employee.HiredDate = new(api.NewDate(2025, time.February, 3)) }, map[string]string{
			"Tenure": "Not begun; begins on 3 Feb 2025",
		}},
		"old pay": {func(r *api.Report) {
			r.Paystubs = r.Paystubs[6:]
			r.PaidThroughDate = r.Paystubs[0].PayPeriodEndDate
		}, map[string]string{"Warnings": "Data not fresh: paid until 12 Oct 2024, 95 days ago"}},
		"ended": {func(r *api.Report) {
			r.Employee.Status, r.Employee.TerminationDate = api.EmploymentInactive, new(api.NewDate(2025, time.January, 2))
		}, map[string]string{"Monthly income": "computed for active employees only", "Warnings": "Employment ended on 2 Jan 2025"}},
		"disputed": {func(r *api.Report) { r.Disputes = make([]api.Dispute, 2) }, map[string]string{"Warnings": "2 open disputes, see below"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := drawnAt(fixtures.VerificationShape{Reports: []fixtures.ReportShape{{Employee: fixtures.EmployeeShape{Hired: new(fixtures.Days(2000))}}}}, now)
			tt.change(&v.Reports[0])
			for _, tile := range tilesOf(v.Analyzed(now).Reports[0], now) {
				text := strings.Join(append([]string{tile.Figure.String()}, tile.Notes...), "; ")
				if !strings.Contains(text, tt.want[tile.Name]) {
					t.Errorf("%s: %q, want %q", tile.Name, text, tt.want[tile.Name])
				}
			}
		})
	}
}

func TestPayEvents(t *testing.T) {
	t.Parallel()
	for event, want := range map[string]string{
		"reversal": "correction reversal", "off-cycle-bonus": "bonus", "retroactive": "back pay", "garnishment": "",
	} {
		var pay fixtures.PayShape
		if err := json.Unmarshal([]byte(`{"bonus":"none","events":[{"kind":"`+event+`"}]}`), &pay); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, row := range stubTable(completed(fixtures.VerificationShape{Reports: []fixtures.ReportShape{{Pay: pay}}}).Reports[0].Paystubs).Rows {
			names = append(names, row.Notes...)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("of %s the pay stubs are called %q, want %q", event, got, want)
		}
	}
}

func TestTableWithoutEmptyColumns(t *testing.T) {
	t.Parallel()
	stubs := []api.Paystub{{Gross: new(api.Decimal("5.00")), Bonus: new(api.Decimal("0.00"))}, {Overtime: new(api.Decimal("1.00"))}}
	table := stubTable(stubs)
	if want := []string{"Period", "Overtime", "Gross", "Net"}; !slices.Equal(table.Columns, want) {
		t.Errorf("the columns are %q, want %q", table.Columns, want)
	}
	if want := "hours, base, bonus, commission, other"; table.Without != want {
		t.Errorf("left out are %q, want %q", table.Without, want)
	}
	for _, row := range table.Rows {
		if len(row.Cells) != len(table.Columns) {
			t.Errorf("a row has %d cells for %d columns", len(row.Cells), len(table.Columns))
		}
	}
}
