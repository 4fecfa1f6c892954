package console

import (
	"fmt"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// reportView is a report as a person reads it: pages/part_report.html.
type reportView struct {
	api.Report
	Detail   string // of the status
	Summary  string // the employment in a sentence
	Unpaid   string // says why there is no day through which is paid
	Ended    string // says why there is no last day of employment
	Until    string // says why there is no last day of a position
	NoSalary string
	NoIncome string // says why there are no analytics
	Earnings earningsView
	Pay      payView
}

// viewReport returns what a person reads of a report. Its pictures have ids that begin with id.
func viewReport(id string, r api.Report) reportView {
	e := r.Employee
	v := reportView{
		Report: r, Detail: labelOf(e.StatusDetail), Summary: summary(e), Unpaid: "not stated", Ended: "not stated", Until: "not stated",
		NoSalary: withoutPay(r), NoIncome: withoutPay(r), Earnings: viewEarnings(id, r), Pay: viewPay(id, r),
	}
	if r.VerificationRequest.Type != api.TypeEmploymentIncome {
		v.Unpaid = "for employment and income only"
	}
	if e.Status == api.EmploymentActive {
		v.Ended, v.Until = "still employed", "to this day"
	} else {
		v.NoIncome = "They are computed for active employees only (spec 2.3)."
	}
	return v
}

// summary says in a sentence what the employment is.
func summary(e api.Employee) string {
	var parts []string
	if n := len(e.Positions); n > 0 && e.Positions[n-1].Title != nil {
		parts = append(parts, *e.Positions[n-1].Title)
	}
	switch {
	case e.HiredDate != nil && e.TerminationDate != nil:
		parts = append(parts, "employed from "+day(*e.HiredDate)+" to "+day(*e.TerminationDate))
	case e.HiredDate != nil:
		parts = append(parts, "hired on "+day(*e.HiredDate))
	case e.TerminationDate != nil:
		parts = append(parts, "employed until "+day(*e.TerminationDate))
	}
	if pay := e.Salary; pay != nil && pay.GrossPay != nil {
		text := money(*pay.GrossPay)
		if pay.PayFrequency != nil {
			text += " " + unitOfPay[*pay.PayFrequency]
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// withoutPay says why a report tells nothing of pay.
func withoutPay(r api.Report) string {
	switch kind := r.VerificationRequest.Type; kind {
	case api.TypeEmployment, api.TypeAssets:
		return fmt.Sprintf("A verification of type %s tells nothing of pay.", kind)
	}
	return "The report has null here."
}

// annualOf writes a money amount (spec 2.1), which is null itself or has a null within.
func annualOf(m *api.MoneyAmount) value {
	if m == nil {
		m = new(api.MoneyAmount)
	}
	return or(m.Amount, "cannot be computed", money)
}

// earningsView is the earnings of a report, newest year first.
type earningsView struct {
	Chart *chart
	Years []api.Earnings
	Now   string // the year of the report
	None  string // why there are none
}

// viewEarnings returns what a person reads of the earnings; the picture has an id that begins with id.
func viewEarnings(id string, r api.Report) earningsView {
	earnings := r.Employee.Earnings
	switch {
	case earnings == nil:
		return earningsView{None: withoutPay(r)}
	case len(earnings) == 0:
		return earningsView{None: "No year has earnings."}
	}
	return earningsView{Chart: earningsChart(id+"-earnings", earnings), Years: earnings, Now: fmt.Sprint(r.CurrentAsOf.Year())}
}

// Of the pay stubs of a report the latest stand in the open. The older ones unfold; more of them than a few are in the
// page only when they are asked for.
const (
	latest = 12
	few    = 40
)

// payView is the pay stubs of a report, most recent first.
type payView struct {
	Chart  *chart
	Latest payTable
	Older  payTable // unfolds
	Asked  bool     // the older ones were asked for: they are unfolded
	More   string   // where the older ones are asked for; "" when they are here
	Left   int      // how many those are, then
	None   string   // why there are none
}

// payTable is a table of pay stubs.
type payTable struct {
	Name string
	Rows []api.Paystub
}

// viewPay returns what a person reads of the pay stubs; the picture has an id that begins with id.
func viewPay(id string, r api.Report) payView {
	stubs := r.Paystubs
	switch {
	case stubs == nil:
		return payView{None: withoutPay(r)}
	case len(stubs) == 0:
		return payView{None: "There are no pay stubs."}
	}
	shown := min(latest, len(stubs))
	return payView{
		Chart: payChart(id+"-pay", stubs), Latest: payTable{"Pay stubs", stubs[:shown]}, Older: payTable{"Older pay stubs", stubs[shown:]},
	}
}

// period writes the days from one to another without saying a month or a year twice: 2 – 15 Dec 2024.
func period(start, end *api.Date) value {
	switch {
	case start == nil && end == nil:
		return value{Absent: "null"}
	case start == nil:
		return stated("to " + day(*end))
	case end == nil:
		return stated("from " + day(*start))
	}
	from, to := start.Time(), end.Time()
	form := "2 Jan 2006"
	if from.Year() == to.Year() {
		form = "2 Jan"
		if from.Month() == to.Month() {
			form = "2"
		}
	}
	return stated(from.Format(form) + " – " + day(*end))
}
