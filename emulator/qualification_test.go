package emulator_test

import (
	"math/big"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// Data rules, qualification checks: the outcome follows from the check's own figures.
func TestAQualificationCheckIsConsistentWithItsOwnFigures(t *testing.T) {
	t.Parallel()
	c := start(t)
	for id, outcome := range map[string]api.QualificationOutcome{
		"qc_qualified":              "qualified",
		"qc_not_qualified":          "not_qualified",
		"qc_not_enough_information": "not_enough_information",
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			r := c.Get("/qualification-checks/" + id)
			wantStatus(t, r, 200, "")
			var check api.QualificationCheck
			r.JSON(&check)
			result := check.Result
			if check.ID != id || result.Outcome != outcome || check.Kind != "applicant" {
				t.Fatalf("%+v", check)
			}
			if outcome == "not_enough_information" {
				if result.MonthlyGrossIncome != nil || result.MonthlyGrossIncomeFidelity != nil || result.RentToIncomeRatio != nil {
					t.Errorf("figures without information: %s", r.Body)
				}
				return
			}
			rent, income := rational(t, check.PropertyDetails.Rent), rational(t, *result.MonthlyGrossIncome)
			ratio, threshold := rational(t, *result.RentToIncomeRatio), rational(t, check.QualificationCheckSet.ApplicantRentToIncomeRatio)
			exact := new(big.Rat).Quo(rent, income)
			if difference := new(big.Rat).Sub(exact, ratio); difference.Abs(difference).Cmp(big.NewRat(1, 20000)) > 0 {
				t.Errorf("ratio %s of rent %s to income %s", ratio.FloatString(4), rent.FloatString(2), income.FloatString(2))
			}
			if qualified := ratio.Cmp(threshold) <= 0; qualified != (outcome == "qualified") {
				t.Errorf("ratio %s, threshold %s, outcome %s", ratio.FloatString(4), threshold.FloatString(4), outcome)
			}
		})
	}
}

func rational(t *testing.T, d api.Decimal) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(string(d))
	if !ok {
		t.Fatalf("%q is no decimal", d)
	}
	return r
}

func TestAnUnknownQualificationCheckIs404(t *testing.T) {
	t.Parallel()
	wantStatus(t, start(t).Get("/qualification-checks/qc_nothing"), 404, "Qualification check not found")
}
