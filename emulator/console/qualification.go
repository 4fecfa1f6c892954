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
		Verdict: verdict(q), Chart: ratioChart("ratio", q), JSON: raw,
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
