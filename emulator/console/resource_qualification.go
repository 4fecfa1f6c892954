package console

import (
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// qualificationPage is what pages/qualification.html shows.
type qualificationPage struct {
	api.QualificationCheck
	liveView
	Outcome string
	Badge   string // the class of the outcome
	Verdict string // the outcome in a sentence
	Chart   *chart
	Figures []fact
	About   []fact
	Reports []qualificationRow
	JSON    rawView
	Steer   steerView
}

// qualificationRow is a report's part in a result, in a table.
type qualificationRow struct {
	Report    string
	Income    value
	Fidelity  value
	Documents []string
}

// showQualification shows a qualification check.
func showQualification(x *exchange) (answer, error) {
	q, err := x.world.InspectQualification(x.context(), x.param("id"))
	if err != nil {
		return nil, err
	}
	raw, err := x.raw(q)
	if err != nil {
		return nil, err
	}
	live, err := x.liveOf(liveView{}, raw.text, x.here("qualification-checks", q.ID))
	if err != nil {
		return nil, err
	}
	data := qualificationPage{
		QualificationCheck: q, liveView: live, Outcome: spoken(q.Result.Outcome), Badge: "outcome-" + strings.ReplaceAll(string(q.Result.Outcome), "_", "-"), Verdict: verdict(q), Chart: ratioChart("ratio", q), JSON: raw,
		Figures: figuresOf(q), About: aboutCheck(q),
		Steer: x.steerView(`{"metadata": {"unit": "4B"}}`, "qualification-checks", q.ID),
	}
	for _, r := range q.Result.ReportResults {
		data.Reports = append(data.Reports, viewReportResult(r))
	}
	return page{name: "qualification", title: q.ID, data: data}, nil
}

// verdict says the outcome by its figures.
func verdict(q api.QualificationCheck) string {
	r := q.Result
	switch {
	case r.RentToIncomeRatio != nil:
		return describeRatio(q, thresholdOf(q))
	case r.MonthlyGrossIncome != nil:
		return "Monthly gross income is " + money(*r.MonthlyGrossIncome) + ", of which rent is no part that could be stated."
	}
	return "No report has an income that rent could be compared with."
}

func figuresOf(q api.QualificationCheck) []fact {
	r, set := q.Result, q.QualificationCheckSet
	return []fact{
		{"Rent a month", said(money(q.PropertyDetails.Rent))},
		{"Gross income a month", or(r.MonthlyGrossIncome, "not known", money)},
		{"Where income is from", or(r.MonthlyGrossIncomeFidelity, "no income is known", fidelity)},
		{"Rent to income", or(r.RentToIncomeRatio, "cannot be computed", ratio)},
		{"Threshold of applicants", said(ratio(set.ApplicantRentToIncomeRatio))},
		{"Threshold of guarantors", said(ratio(set.GuarantorRentToIncomeRatio))},
		{"Income multiple (deprecated)", or(set.IncomeMultiple, "not stated", plain)},
	}
}

func aboutCheck(q api.QualificationCheck) []fact {
	return []fact{
		{"Whose income", said(spoken(q.Kind))},
		{"Created", said(instant(q.Created.Time))},
		{"Check set", said(q.QualificationCheckSet.Name)},
		{"Its id", said(q.QualificationCheckSet.ID)},
		{"Metadata", metadata(q.Metadata)},
	}
}

// ratio writes a ratio for people, and as the API has it.
func ratio(d api.Decimal) string { return percent(d) + " (" + string(d) + ")" }

// fidelity says where an income is from (spec 2.7).
func fidelity(f api.IncomeFidelity) string {
	switch f {
	case api.FidelitySource:
		return "Provided directly by the source"
	case api.FidelityEstimate:
		return "Estimated from source data"
	}
	return spoken(f)
}

func viewReportResult(r api.QualificationReportResult) qualificationRow {
	row := qualificationRow{
		Report:   r.ReportID,
		Income:   or(r.MonthlyGrossIncome, "not known", money),
		Fidelity: or(r.MonthlyGrossIncomeFidelity, "no income is known", fidelity),
	}
	for _, d := range r.SatisfiedDocumentIncomeRequirements {
		row.Documents = append(row.Documents, d.FileType+", "+dayOr(d.StartDate, "no first day")+" to "+dayOr(d.EndDate, "no last day"))
	}
	return row
}
