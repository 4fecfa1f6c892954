package console

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/world"
)

// verificationPage is what pages/verification.html shows.
type verificationPage struct {
	world.Verification
	liveView
	About   []fact
	Target  []fact
	Asked   []fact
	Reports []reportLink // more than one
	Report  *reportView  // nil when there is none
	JSON    rawView
	Steer   steerView
	States  []api.State
	Reasons []api.CancellationReason
}

// reportLink leads to one of several reports.
type reportLink struct {
	Number  int
	Who     string
	Where   string
	Current bool
}

// showVerification shows a verification request, one report of several at a time: that of ?report=.
func showVerification(x *exchange) (answer, error) {
	v, err := x.world.Inspect(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	raw, err := x.raw(v.Document)
	if err != nil {
		return nil, err
	}
	live, err := x.liveVerification(v, raw.text, x.here("verification-requests", v.ID))
	if err != nil {
		return nil, err
	}
	data := verificationPage{
		Verification: v, liveView: live, JSON: raw,
		Steer: x.steerView(`{"loan_id": "7", "metadata": {"case": "12"}}`, "verification-requests", v.ID),
		About: aboutRequest(v.Document), Target: aboutTarget(v.Document.Target), Asked: aboutParameters(v.Document),
		States: api.State("").Values(), Reasons: api.CancellationReason("").Values(),
	}
	reports := v.Analyzed().Reports
	if len(reports) > 0 {
		number := x.number("report", len(reports))
		data.Report = new(viewReport("report", reports[number-1]))
		data.Reports = linkReports(reports, number)
		if data.Report.Pay.Asked = x.value("stubs") == "all"; !data.Report.Pay.Asked {
			data.Report.Pay.abridge(fmt.Sprintf("?report=%d&stubs=all#older", number))
		}
	}
	return page{name: "verification", title: v.ID, data: data}, nil
}

// linkReports returns the ways to all of several reports; none when there is but one.
func linkReports(reports []api.Report, current int) (links []reportLink) {
	if len(reports) < 2 {
		return nil
	}
	for i, r := range reports {
		links = append(links, reportLink{
			Number: i + 1, Who: r.Employee.FirstName + " " + r.Employee.LastName, Where: r.Employer.Name, Current: i+1 == current,
		})
	}
	return links
}

func aboutRequest(v api.VerificationRequest) []fact {
	incomplete := "not completed"
	if v.State == api.StateCompleted {
		incomplete = "not stated"
	}
	facts := []fact{
		{"Type", said(spoken(v.Type))},
		{"Use case", said(spoken(v.UseCase))},
		{"Permissible purpose", said(spoken(v.PermissiblePurpose))},
		{"Created", said(instant(v.Created.Time))},
		{"Completed", or(v.DateOfCompletion, incomplete, func(at api.Datetime) string { return instant(at.Time) })},
		{"Price", or(v.Price.Amount, "not stated", money)},
		{"Turnaround, estimated", turnaround(v.TurnaroundTime)},
		{"Turnaround, actual", or(v.DateOfCompletion, incomplete, func(at api.Datetime) string { return lasting(at.Sub(v.Created.Time)) })},
		{"Branch", or(v.BranchID, "none", itself)},
		{"Loan", or(v.LoanID, "none", itself)},
		{"Additional information", or(v.AdditionalInformation, "none", itself)},
		{"Documents", documents(v.Documents)},
		{"Metadata", metadata(v.Metadata)},
	}
	if v.State == api.StateCanceled {
		facts = append(facts,
			fact{"Canceled because", or(v.CancellationReason, "no reason is given", spoken)},
			fact{"In words", or(v.CancellationDetails, "nothing is said", itself)},
		)
	}
	return facts
}

func aboutTarget(t api.Target) []fact {
	facts := []fact{
		{"Name", said(t.FirstName + " " + t.LastName)},
		{"SSN", or(t.SocialSecurityNumber, "not stated", itself)},
		{"Date of birth", or(t.DateOfBirth, "not stated", day)},
		{"E-mail", or(t.ContactEmail, "not stated", itself)},
		{"Phone", or(t.PhoneNumber, "not stated", itself)},
	}
	if t.Company == nil {
		return append(facts, fact{"Company", value{Absent: "none is named"}})
	}
	return append(facts,
		fact{"Company", or(t.Company.Name, "no name", itself)},
		fact{"Its address", or(t.Company.Address, "not stated", itself)},
		fact{"Its place", placeOf(t.Company)},
		fact{"Its phone", or(t.Company.PhoneNumber, "not stated", itself)},
	)
}

// placeOf joins city, state and ZIP code of a company.
func placeOf(c *api.Company) value {
	var parts []string
	for _, part := range []*string{c.City, c.State, c.ZipCode} {
		if part != nil {
			parts = append(parts, *part)
		}
	}
	if len(parts) == 0 {
		return value{Absent: "not stated"}
	}
	return said(strings.Join(parts, ", "))
}

func aboutParameters(v api.VerificationRequest) (facts []fact) {
	if p := v.RequestParameters; p == nil {
		facts = append(facts, fact{"Parameters", value{Absent: "none"}})
	} else {
		m := p.VerificationMethods
		facts = append(facts,
			fact{"Employers asked about", said(spoken(p.EmployerFilter))},
			fact{"By credentials", said(yesNo(m.Credentials.Enabled))},
			fact{"Instantly", said(yesNo(m.Instant.Enabled))},
			fact{"By smart outreach", said(yesNo(m.SmartOutreach.Enabled))},
		)
	}
	party := v.ResellerOriginatingParty
	if party == nil {
		return append(facts, fact{"Reseller's client", value{Absent: "not asked through a reseller"}})
	}
	return append(facts,
		fact{"Reseller's client", said(party.OriginatingParty)},
		fact{"Their purpose", said(spoken(party.PermissiblePurpose))},
		fact{"Their use case", said(spoken(party.UseCase))},
	)
}

// turnaround says how long a request is expected to take (spec 2.1).
func turnaround(t api.TurnaroundTime) value {
	if t.BestEstimate == nil && t.LowerBound == nil && t.UpperBound == nil {
		return value{Absent: "no estimate"}
	}
	text := "no best estimate"
	if t.BestEstimate != nil {
		text = plain(*t.BestEstimate) + " h"
	}
	if t.LowerBound != nil && t.UpperBound != nil {
		text += ", between " + plain(*t.LowerBound) + " h and " + plain(*t.UpperBound) + " h"
	}
	return said(text)
}

// documents lists the names of the verifier's files.
func documents(all []api.Document) value {
	if len(all) == 0 {
		return value{Absent: "none"}
	}
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = "a file without a name"
		if d.Filename != nil {
			names[i] = *d.Filename
		}
	}
	return said(strings.Join(names, ", "))
}

// metadata lists what the caller attached, in the order of the keys.
func metadata(all map[string]string) value {
	if len(all) == 0 {
		return value{Absent: "none"}
	}
	pairs := make([]string, 0, len(all))
	for _, key := range slices.Sorted(maps.Keys(all)) {
		pairs = append(pairs, key+": "+all[key])
	}
	return said(strings.Join(pairs, ", "))
}
