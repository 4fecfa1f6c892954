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
		Who: e.FirstName + " " + e.LastName, Where: r.Employer.Name, Status: e.Status, Detail: labelOf(e.StatusDetail),
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

func viewPosition(p api.Position, status api.EmploymentStatus) positionView {
	end := "not stated"
	if status == api.EmploymentActive {
		end = "to this day"
	}
	return positionView{
		Title: or(p.Title, "no title", asIs),
		Start: or(p.StartDate, "not stated", day),
		End:   or(p.EndDate, end, day),
		Kind:  labelOf(p.EmploymentType),
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

// earningsView is the earnings of a report, newest year first.
type earningsView struct {
	Chart *chart
	Years []earningsRow
	None  string // why there are none
}

// earningsRow is a year of earnings in a table.
type earningsRow struct {
	Year    string
	Note    string   // "" or what is particular to the year
	Amounts []string // by kind, and the total
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
	v := earningsView{Chart: earningsChart(id+"-earnings", earnings)}
	for _, year := range earnings {
		row := earningsRow{Year: yearName(year)}
		for _, kind := range kindsOfEarnings() {
			row.Amounts = append(row.Amounts, money(kind.amount(year)))
		}
		row.Amounts = append(row.Amounts, money(year.Total))
		switch {
		case year.Termination:
			row.Note = "employment ended"
		case row.Year == fmt.Sprint(r.CurrentAsOf.Year()):
			row.Note = "to date"
		}
		v.Years = append(v.Years, row)
	}
	return v
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
	Rows []payRow
}

// payRow is a pay stub in a table: its day, its period, its hours and its amounts.
type payRow struct {
	PayDate, Period, Hours value
	Amounts                []value // base, overtime, bonus, commission, other, gross, net
}

// viewPay returns what a person reads of the pay stubs; the picture has an id that begins with id.
func viewPay(id string, r api.Report) payView {
	switch {
	case r.Paystubs == nil:
		return payView{None: withoutPay(r)}
	case len(r.Paystubs) == 0:
		return payView{None: "There are no pay stubs."}
	}
	rows := make([]payRow, len(r.Paystubs))
	for i, stub := range r.Paystubs {
		rows[i] = viewStub(stub)
	}
	shown := min(latest, len(rows))
	return payView{
		Chart: payChart(id+"-pay", r.Paystubs), Latest: payTable{"Pay stubs", rows[:shown]}, Older: payTable{"Older pay stubs", rows[shown:]},
	}
}

func viewStub(stub api.Paystub) payRow {
	row := payRow{
		PayDate: or(stub.PayDate, "null", day),
		Period:  period(stub.PayPeriodStartDate, stub.PayPeriodEndDate),
		Hours:   or(stub.PayPeriodHours, "null", plain),
	}
	for _, amount := range []*api.Decimal{stub.Base, stub.Overtime, stub.Bonus, stub.Commission, stub.Other, stub.Gross, stub.Net} {
		row.Amounts = append(row.Amounts, or(amount, "null", money))
	}
	return row
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
