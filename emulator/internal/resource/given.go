package resource

import (
	"cmp"
	"strconv"
	"strings"
)

// Given reports whether a caller or a scenario has set the value at a path of the request's document, such as reports.0.created.
func (v *Request) Given(path string) bool {
	shape := v.Shape
	number, field, _ := strings.Cut(strings.TrimPrefix(path, "reports."), ".")
	i, err := strconv.Atoi(number)
	if err != nil || i >= len(shape.Reports) {
		return shape.Set.Sets(path) || shape.SetCanceled.Sets(path) || field == "pricing_tier" && shape.PricingTier != ""
	}
	r, e := shape.Reports[i], shape.Reports[i].Employee
	return r.Set.Sets(field) ||
		field == "pricing_tier" && cmp.Or(r.PricingTier, shape.PricingTier) != "" ||
		field == "employee.status_detail" && (e.StatusDetail != "" || e.Terminated != nil || e.OnLeave != nil || e.Seasonal) ||
		field == "employee.salary.pay_frequency" && (r.Pay.Frequency != "" || r.Pay.Rate > 0) ||
		strings.HasSuffix(field, ".employment_type") && e.EmploymentType != ""
}
