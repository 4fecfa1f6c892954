package reports

import (
	"fmt"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/console/words"
)

// describeRatio compares a rent-to-income ratio with its threshold.
func describeRatio(check api.QualificationCheck) string {
	threshold := thresholdOf(check)
	if check.Result.RentToIncomeRatio == nil {
		return fmt.Sprintf("There is no ratio; the threshold is %s.", words.Percent(threshold))
	}
	ratio, _ := drawable(check.Result.RentToIncomeRatio)
	limit, _ := drawable(&threshold)
	side := "not above"
	if ratio > limit {
		side = "above"
	}
	return fmt.Sprintf("Rent is %s of monthly gross income, %s the threshold of %s.", words.Percent(*check.Result.RentToIncomeRatio), side, words.Percent(threshold))
}

// thresholdOf returns the threshold for the kind of a check.
func thresholdOf(check api.QualificationCheck) api.Decimal {
	if check.Kind == api.KindGuarantor {
		return check.QualificationCheckSet.GuarantorRentToIncomeRatio
	}
	return check.QualificationCheckSet.ApplicantRentToIncomeRatio
}
