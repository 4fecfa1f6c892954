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
	JSON    rawView
	Steer   steerView
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
	path := x.here("qualification-checks", q.ID)
	live, err := x.live(liveView{}, raw.text, path)
	if err != nil {
		return nil, err
	}
	return page{name: "qualification", title: q.ID, data: qualificationPage{
		QualificationCheck: q, liveView: live, Outcome: labelOf(q.Result.Outcome),
		Badge:   "outcome-" + strings.ReplaceAll(string(q.Result.Outcome), "_", "-"),
		Verdict: verdict(q), Chart: ratioChart("ratio", q), Figures: figuresOf(q), About: aboutCheck(q), JSON: raw,
		Steer: steerView{path, x.request.Form, `{"metadata": {"unit": "4B"}}`},
	}}, nil
}

// verdict says the outcome by its figures.
func verdict(q api.QualificationCheck) string {
	r := q.Result
	switch {
	case r.RentToIncomeRatio != nil:
		return describeRatio(q)
	case r.MonthlyGrossIncome != nil:
		return "Monthly gross income is " + money(*r.MonthlyGrossIncome) + ", of which rent is no part that could be stated."
	}
	return "No report has an income that rent could be compared with."
}

func figuresOf(q api.QualificationCheck) []fact {
	r, set := q.Result, q.QualificationCheckSet
	return []fact{
		{"Rent a month", stated(money(q.PropertyDetails.Rent))},
		{"Gross income a month", or(r.MonthlyGrossIncome, "not known", money)},
		{"Where income is from", or(r.MonthlyGrossIncomeFidelity, "no income is known", fidelity)},
		{"Rent to income", or(r.RentToIncomeRatio, "cannot be computed", ratio)},
		{"Threshold of applicants", stated(ratio(set.ApplicantRentToIncomeRatio))},
		{"Threshold of guarantors", stated(ratio(set.GuarantorRentToIncomeRatio))},
		{"Income multiple (deprecated)", or(set.IncomeMultiple, "not stated", plain)},
	}
}

func aboutCheck(q api.QualificationCheck) []fact {
	return []fact{
		{"Whose income", stated(labelOf(q.Kind))},
		{"Created", stated(instant(q.Created.Time))},
		{"Check set", stated(q.QualificationCheckSet.Name)},
		{"Its id", stated(q.QualificationCheckSet.ID)},
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
	return labelOf(f)
}
