package console

import (
	"fmt"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// reportView is a report as a person reads it: pages/part_report.html.
type reportView struct {
	api.Report
	Detail    string // of the status
	Summary   string // the employment in a sentence
	About     []fact
	Employee  []fact
	Employer  []fact
	Until     string // when a position ends that has no last day
	Salary    []fact // nil when there is none
	NoSalary  string // why, then
	Analytics []fact
	NoIncome  string // why there are no analytics
	Earnings  earningsView
	Pay       payView
}

// viewReport returns what a person reads of a report. Its pictures have ids that begin with id.
func viewReport(id string, r api.Report) reportView {
	e := r.Employee
	v := reportView{
		Report: r, Detail: labelOf(e.StatusDetail), Summary: summary(e),
		About: aboutReport(r), Employee: aboutEmployee(e), Employer: aboutEmployer(r.Employer), Until: "not stated",
		Earnings: viewEarnings(id, r), Pay: viewPay(id, r),
	}
	if e.Status == api.EmploymentActive {
		v.Until = "to this day"
	}
	v.Salary, v.NoSalary = aboutSalary(r)
	v.Analytics, v.NoIncome = aboutIncome(r)
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

func aboutReport(r api.Report) []fact {
	unpaid := "not stated"
	if r.VerificationRequest.Type != api.TypeEmploymentIncome {
		unpaid = "for employment and income only"
	}
	facts := []fact{
		{"Report", stated(r.ID)},
		{"Created", stated(instant(r.Created.Time))},
		{"Current as of", stated(day(r.CurrentAsOf))},
		{"Paid through", or(r.PaidThroughDate, unpaid, day)},
		{"Obtained by", or(r.PricingTier, "not stated", labelOf)},
		{"Day-one certainty", or(r.D1CEligible, "not stated", yesNo)},
		{"Its reference", or(r.DUReferenceID, "none", asIs)},
		{"Notes", or(r.AdditionalNotes, "none", asIs)},
	}
	if r.Respondent == nil {
		return append(facts, fact{"Respondent", value{Absent: "nobody is named"}})
	}
	return append(facts,
		fact{"Respondent", or(r.Respondent.FullName, "no name", asIs)},
		fact{"Their title", or(r.Respondent.Title, "not stated", asIs)},
		fact{"Their e-mail", or(r.Respondent.Email, "not stated", asIs)},
	)
}

func aboutEmployee(e api.Employee) []fact {
	ended := "not stated"
	if e.Status == api.EmploymentActive {
		ended = "still employed"
	}
	return []fact{
		{"Name", stated(e.FirstName + " " + e.LastName)},
		{"SSN", or(e.SocialSecurityNumber, "not stated", asIs)},
		{"E-mail", or(e.Email, "not stated", asIs)},
		{"Status", stated(labelOf(e.Status) + ", " + strings.ToLower(labelOf(e.StatusDetail)))},
		{"Hired", or(e.HiredDate, "not stated", day)},
		{"On leave since", or(e.OnLeaveDate, "not on leave", day)},
		{"Employment ended", or(e.TerminationDate, ended, day)},
	}
}

func aboutEmployer(e api.Employer) []fact {
	facts := []fact{{"Name", stated(e.Name)}, {"Address", or(e.Address, "not stated", asIs)}}
	if len(e.GovernmentIDs) == 0 {
		return append(facts, fact{"FEIN", value{Absent: "not stated"}})
	}
	for _, id := range e.GovernmentIDs {
		facts = append(facts, fact{labelOf(id.Type), stated(id.ID)})
	}
	return facts
}

// withoutPay says why a report tells nothing of pay.
func withoutPay(r api.Report) string {
	switch kind := r.VerificationRequest.Type; kind {
	case api.TypeEmployment, api.TypeAssets:
		return fmt.Sprintf("A verification of type %s tells nothing of pay.", kind)
	}
	return "The report has null here."
}

func aboutSalary(r api.Report) (facts []fact, why string) {
	s := r.Employee.Salary
	if s == nil {
		return nil, withoutPay(r)
	}
	return []fact{
		{"Gross pay", or(s.GrossPay, "not stated", money)},
		{"Pay frequency", or(s.PayFrequency, "not stated", labelOf)},
		{"Hours a week", or(s.HoursPerWeek, "not stated", plain)},
		{"Months a year", or(s.MonthsPerYear, "not stated", plain)},
		{"Reduced by COVID-19", stated(labelOf(s.ReducedCovid))},
	}, ""
}

func aboutIncome(r api.Report) (facts []fact, why string) {
	a := r.IncomeAnalytics
	switch {
	case a == nil && r.Employee.Status != api.EmploymentActive:
		return nil, "They are computed for active employees only (spec 2.3)."
	case a == nil:
		return nil, withoutPay(r)
	}
	if income := a.AnnualizedIncome; income != nil {
		facts = append(facts,
			fact{"Annualized gross", moneyOf(income.GrossAmount)},
			fact{"Annualized base", moneyOf(income.BaseAmount)},
		)
	} else {
		facts = append(facts, fact{"Annualized income", value{Absent: "cannot be computed"}})
	}
	var volatility *api.Decimal
	if a.IncomeVolatility != nil {
		volatility = a.IncomeVolatility.GrossIncomeVolatility
	}
	return append(facts, fact{"Volatility of gross", or(volatility, "needs two pay stubs with pay", asIs)}), ""
}

// moneyOf writes a money amount (spec 2.1), which is null itself or has a null within.
func moneyOf(m *api.MoneyAmount) value {
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
