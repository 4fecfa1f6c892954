package console

import (
	"fmt"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// reportView is a report as a person reads it: pages/report.html.
type reportView struct {
	Who       string
	Where     string // the employer's name
	Status    api.EmploymentStatus
	Detail    string
	Summary   string // the employment in a sentence
	Warnings  []string
	About     []fact
	Employee  []fact
	Employer  []fact
	Positions []positionView
	Salary    []fact // nil when there is none
	NoSalary  string // why, then
	Analytics []fact
	NoIncome  string // why there are no analytics
	Earnings  earningsView
	Pay       payView
	Disputes  []disputeView
}

// positionView is a job as a person reads it.
type positionView struct {
	Title      value
	Start, End value
	Kind       string
}

// disputeView is an open dispute as a person reads it.
type disputeView struct {
	Description, Reference, Created string
}

// viewReport returns what a person reads of a report. Its pictures have ids that begin with id.
func viewReport(id string, r api.Report) reportView {
	e := r.Employee
	v := reportView{
		Who: e.FirstName + " " + e.LastName, Where: r.Employer.Name, Status: e.Status, Detail: spoken(e.StatusDetail),
		Summary: summary(e), About: aboutReport(r), Employee: aboutEmployee(e), Employer: aboutEmployer(r.Employer),
		Earnings: viewEarnings(id, r), Pay: viewPay(id, r),
	}
	for _, p := range e.Positions {
		v.Positions = append(v.Positions, viewPosition(p, e.Status))
	}
	for _, d := range r.Disputes {
		v.Disputes = append(v.Disputes, disputeView{d.Description, d.ReferenceID, instant(d.Created.Time)})
	}
	v.Salary, v.NoSalary = aboutSalary(r)
	v.Analytics, v.NoIncome = aboutIncome(r)
	v.Warnings = warnings(r.IncomeAnalytics)
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
	if pay := salaryInWords(e.Salary); pay != "" {
		parts = append(parts, pay)
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + "."
}

// salaryInWords says what is paid and for what; "" when it is not stated.
func salaryInWords(s *api.Salary) string {
	if s == nil || s.GrossPay == nil {
		return ""
	}
	if s.PayFrequency == nil {
		return money(*s.GrossPay)
	}
	return money(*s.GrossPay) + " " + unitOfPay[*s.PayFrequency]
}

func aboutReport(r api.Report) []fact {
	unpaid := "not stated"
	if r.VerificationRequest.Type != api.TypeEmploymentIncome {
		unpaid = "for employment and income only"
	}
	facts := []fact{
		{"Report", said(r.ID)},
		{"Created", said(instant(r.Created.Time))},
		{"Current as of", said(day(r.CurrentAsOf))},
		{"Paid through", or(r.PaidThroughDate, unpaid, day)},
		{"Obtained by", or(r.PricingTier, "not stated", spoken)},
		{"Day-one certainty", or(r.D1CEligible, "not stated", yesNo)},
		{"Its reference", or(r.DUReferenceID, "none", itself)},
		{"Notes", or(r.AdditionalNotes, "none", itself)},
	}
	if r.Respondent == nil {
		return append(facts, fact{"Respondent", value{Absent: "nobody is named"}})
	}
	return append(facts,
		fact{"Respondent", or(r.Respondent.FullName, "no name", itself)},
		fact{"Their title", or(r.Respondent.Title, "not stated", itself)},
		fact{"Their e-mail", or(r.Respondent.Email, "not stated", itself)},
	)
}

func aboutEmployee(e api.Employee) []fact {
	ended := "not stated"
	if e.Status == api.EmploymentActive {
		ended = "still employed"
	}
	return []fact{
		{"Name", said(e.FirstName + " " + e.LastName)},
		{"SSN", or(e.SocialSecurityNumber, "not stated", itself)},
		{"E-mail", or(e.Email, "not stated", itself)},
		{"Status", said(spoken(e.Status) + ", " + strings.ToLower(spoken(e.StatusDetail)))},
		{"Hired", or(e.HiredDate, "not stated", day)},
		{"On leave since", or(e.OnLeaveDate, "not on leave", day)},
		{"Employment ended", or(e.TerminationDate, ended, day)},
	}
}

func aboutEmployer(e api.Employer) []fact {
	facts := []fact{{"Name", said(e.Name)}, {"Address", or(e.Address, "not stated", itself)}}
	if len(e.GovernmentIDs) == 0 {
		return append(facts, fact{"FEIN", value{Absent: "not stated"}})
	}
	for _, id := range e.GovernmentIDs {
		facts = append(facts, fact{spoken(id.Type), said(id.ID)})
	}
	return facts
}

func viewPosition(p api.Position, status api.EmploymentStatus) positionView {
	end := "not stated"
	if status == api.EmploymentActive {
		end = "to this day"
	}
	return positionView{
		Title: or(p.Title, "no title", itself),
		Start: or(p.StartDate, "not stated", day),
		End:   or(p.EndDate, end, day),
		Kind:  spoken(p.EmploymentType),
	}
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
		{"Pay frequency", or(s.PayFrequency, "not stated", spoken)},
		{"Hours a week", or(s.HoursPerWeek, "not stated", plain)},
		{"Months a year", or(s.MonthsPerYear, "not stated", plain)},
		{"Reduced by COVID-19", said(spoken(s.ReducedCovid))},
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
			fact{"Annualized gross", amountOf(income.GrossAmount, "cannot be computed")},
			fact{"Annualized base", amountOf(income.BaseAmount, "cannot be computed")},
		)
	} else {
		facts = append(facts, fact{"Annualized income", value{Absent: "cannot be computed"}})
	}
	var volatility *api.Decimal
	if a.IncomeVolatility != nil {
		volatility = a.IncomeVolatility.GrossIncomeVolatility
	}
	return append(facts, fact{"Volatility of gross", or(volatility, "needs two pay stubs with pay", itself)}), ""
}

// warnings says what the analytics warn of.
func warnings(a *api.IncomeAnalytics) (all []string) {
	if a == nil || a.AnnualizedIncome == nil {
		return nil
	}
	for _, w := range []struct {
		on   bool
		text string
	}{
		{a.AnnualizedIncome.ShortEmploymentWarning, "Hired recently"},
		{a.AnnualizedIncome.StaleDataWarning, "Data not fresh"},
		{a.AnnualizedIncome.VariableIncomeWarning, "Income varies"},
	} {
		if w.on {
			all = append(all, w.text)
		}
	}
	return all
}
