package reports

import (
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/frame"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// drawn returns a rendered part of a page.
func drawn(t *testing.T, part string, data any) string {
	t.Helper()
	var text strings.Builder
	files := os.DirFS("../pages")
	parts := template.Must(template.New("").Funcs(frame.Funcs).Funcs(Funcs).Funcs(template.FuncMap{"location": fmt.Sprint}).ParseFS(files, "part_report.html", "part_chart.html", "part_facts.html", "part_bits.html"))
	if err := parts.ExecuteTemplate(&text, part, data); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// shows checks that a text contains parts.
func shows(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(html.UnescapeString(text), part) {
			t.Errorf("there is no %s in %s", part, text)
		}
	}
}

// completed draws a verification request that was completed on 15 January 2025, with its analytics.
func completed(shape fixtures.VerificationShape) api.VerificationRequest {
	at := time.Date(2025, time.January, 15, 9, 30, 0, 0, time.UTC)
	return drawnAt(shape, at).Analyzed(at)
}

// drawnAt draws a verification request that was completed at an instant.
func drawnAt(shape fixtures.VerificationShape, at time.Time) fixtures.Drawn {
	return fixtures.Generator{Seed: 1}.VerificationRequest("vr_1", "vr_1", shape,
		fixtures.Progress{State: api.StateCompleted, Created: at.Add(-time.Hour), Completed: at})
}

func TestReport(t *testing.T) {
	t.Parallel()
	r := completed(fixtures.VerificationShape{}).Reports[0]
	text := drawn(t, "report", ViewReport(r, 1, r.Created.Time))
	stub, year := r.Paystubs[0], r.Employee.Earnings[0]
	shows(t, text, r.Employee.FirstName+" "+r.Employee.LastName, r.Employer.Name, words.Day(*r.Employee.HiredDate), words.Money(*r.Employee.Salary.GrossPay),
		"<td>"+words.Money(*stub.Net)+"</td>", *year.Year, "<td>"+words.Money(year.Total)+"</td>", words.Money(*r.IncomeAnalytics.AnnualizedIncome.GrossAmount.Amount), "<dd>"+string(*r.IncomeAnalytics.IncomeVolatility.GrossIncomeVolatility)+"</dd>",
		`id="report-pay-title"`, `id="report-earnings-title"`, "still employed", `2025 <span class="badge">to date</span>`)
}

func TestReportOlderPayStubs(t *testing.T) {
	t.Parallel()
	for stubs, older := range map[int]int{1: 0, maxLatest: 0, maxLatest + 1: 1, 104: 104 - maxLatest} {
		r := completed(fixtures.VerificationShape{Reports: []fixtures.ReportShape{{Pay: fixtures.PayShape{Paystubs: &stubs}}}}).Reports[0]
		if v := ViewReport(r, 1, r.Created.Time); len(v.Older.Rows) != older || len(v.Latest.Rows)+len(v.Older.Rows) != stubs {
			t.Errorf("of %d pay stubs %d are shown and %d unfold", stubs, len(v.Latest.Rows), len(v.Older.Rows))
		}
	}
}

func TestReportNulls(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*api.Report)
		want   string
	}{
		"no pay in a verification of employment": {func(r *api.Report) {
			r.VerificationRequest.Type = api.TypeEmployment
			r.Employee.Salary, r.Employee.Earnings, r.Paystubs, r.IncomeAnalytics = nil, nil, nil, nil
		}, "a verification of type employment has no pay data"},
		"spec 2.3: analytics of active employees": {func(r *api.Report) {
			r.Employee.Status, r.IncomeAnalytics = api.EmploymentInactive, nil
		}, "computed for active employees only"},
		"no pay stubs":            {func(r *api.Report) { r.Paystubs = []api.Paystub{} }, "There are no pay stubs."},
		"no number of a pay stub": {func(r *api.Report) { r.Paystubs = make([]api.Paystub, 2) }, `title="null"`},
		"no respondent":           {func(r *api.Report) { r.Respondent = nil }, "nobody is named"},
		"no positions":            {func(r *api.Report) { r.Employee.Positions = []api.Position{} }, "There are no positions."},
		"a text of nothing":       {func(r *api.Report) { r.AdditionalNotes = new("") }, "(empty)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := completed(fixtures.VerificationShape{}).Reports[0]
			tt.change(&r)
			shows(t, drawn(t, "report", ViewReport(r, 1, r.Created.Time)), tt.want)
		})
	}
}

func TestReportAllNull(t *testing.T) {
	t.Parallel()
	var r api.Report
	if err := json.Unmarshal([]byte(`{"disputes":[],"employee":{"positions":[{}]}}`), &r); err != nil {
		t.Fatal(err)
	}
	drawn(t, "report", ViewReport(r, 1, r.Created.Time))
}

func TestReportHostileTexts(t *testing.T) {
	t.Parallel()
	const hostile = `"><script>alert(1)</script>`
	r := completed(fixtures.VerificationShape{}).Reports[0]
	r.ID, r.Employer.Name, r.Employee.FirstName, r.Employee.LastName = hostile, hostile, hostile, hostile
	r.Employee.Positions[0].Title, r.AdditionalNotes, r.Employee.Earnings[0].Year = new(hostile), new(hostile), new(hostile)
	r.Disputes = []api.Dispute{{Description: hostile, ReferenceID: hostile}}
	if text := drawn(t, "report", ViewReport(r, 1, r.Created.Time)); strings.Contains(text, "<script") {
		t.Error("a text of the report is markup")
	}
}

func TestPeriod(t *testing.T) {
	t.Parallel()
	at := func(year, month, day int) *api.Date { return new(api.NewDate(year, time.Month(month), day)) }
	for want, days := range map[string][2]*api.Date{
		"2 – 15 Dec 2024":          {at(2024, 12, 2), at(2024, 12, 15)},
		"18 Nov – 1 Dec 2024":      {at(2024, 11, 18), at(2024, 12, 1)},
		"30 Dec 2024 – 5 Jan 2025": {at(2024, 12, 30), at(2025, 1, 5)},
		"from 2 Dec 2024":          {at(2024, 12, 2), nil},
		"to 15 Dec 2024":           {nil, at(2024, 12, 15)},
		"":                         {nil, nil},
	} {
		if got := period(days[0], days[1]); got.Text != want {
			t.Errorf("the period is %q, want %q", got.Text, want)
		}
	}
}
