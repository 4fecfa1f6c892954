package generate

import (
	"math/big"
	"strings"
)

// The detectors find defects in the documents alone: they share no code and no type with the generator.

type (
	requestPage struct {
		ID     string
		Target struct {
			Company *struct{ Name string }
		}
		Parameters struct {
			Filter string `json:"employer_filter"`
		} `json:"request_parameters"`
		Reports []reportPageJSON
	}
	reportPageJSON struct {
		Employee struct {
			Hired     *string `json:"hired_date"`
			Positions []struct {
				Start *string `json:"start_date"`
			}
			Earnings []yearJSON
		}
		Employer struct {
			Name string
			IDs  []struct{ ID string } `json:"government_ids"`
		}
		Paystubs []stubJSON
	}
	yearJSON struct {
		Year                                            string
		Base, Overtime, Bonus, Commission, Other, Total *amount
	}
	stubJSON struct {
		Reference                                            *string `json:"reference_id"`
		Paid                                                 *string `json:"pay_date"`
		Start                                                *string `json:"pay_period_start_date"`
		End                                                  *string `json:"pay_period_end_date"`
		Base, Overtime, Bonus, Commission, Other, Gross, Net *amount
	}
)

// amount is an amount in cents.
type amount int64

func (a *amount) UnmarshalText(text []byte) error {
	r, ok := new(big.Rat).SetString(string(text))
	if ok {
		*a = amount(new(big.Rat).Mul(r, big.NewRat(100, 1)).Num().Int64())
	}
	return nil
}

// sum adds amounts; ok is false where one is unknown.
func sum(amounts ...*amount) (total amount, ok bool) {
	for _, a := range amounts {
		if a == nil {
			return 0, false
		}
		total += *a
	}
	return total, true
}

// detectors are named after the defects that they find.
var detectors = map[string]func(v requestPage) bool{
	"year-to-date": func(v requestPage) bool { return v.has(highYearToDate) },
	"total":        func(v requestPage) bool { return v.has(otherTotal) },
	"net":          func(v requestPage) bool { return v.has(highNet) },
	"gross":        func(v requestPage) bool { return v.has(otherGross) },
	"rounded":      func(v requestPage) bool { return v.has(roundedPay) },
	"duplicate":    func(v requestPage) bool { return v.has(doubledPaystub) },
	"dates":        func(v requestPage) bool { return v.has(impossibleDates) },
	"tenure":       func(v requestPage) bool { return v.has(longTenure) },
	"employer":     otherEmployer,
	"ein":          sharedEIN,
}

func (v requestPage) has(defect func(reportPageJSON) bool) bool {
	for _, r := range v.Reports {
		if defect(r) {
			return true
		}
	}
	return false
}

// highYearToDate compares the latest year with the paystubs, where these are all of that year.
func highYearToDate(r reportPageJSON) bool {
	if len(r.Paystubs) == 0 || len(r.Employee.Earnings) == 0 {
		return false
	}
	latest, oldest := r.Employee.Earnings[0], r.Paystubs[len(r.Paystubs)-1]
	covered := oldest.Paid != nil && (*oldest.Paid)[:4] < latest.Year || oldest.Start != nil && r.Employee.Hired != nil && *oldest.Start == *r.Employee.Hired
	var base amount
	for _, p := range r.Paystubs {
		if p.Paid == nil || p.Base == nil {
			return false
		}
		if strings.HasPrefix(*p.Paid, latest.Year) {
			base += *p.Base
		}
	}
	return covered && latest.Base != nil && *latest.Base != base
}

func otherTotal(r reportPageJSON) bool {
	for _, e := range r.Employee.Earnings {
		if parts, ok := sum(e.Base, e.Overtime, e.Bonus, e.Commission, e.Other); ok && e.Total != nil && *e.Total != parts {
			return true
		}
	}
	return false
}

func highNet(r reportPageJSON) bool {
	for _, p := range r.Paystubs {
		if p.Net != nil && p.Gross != nil && *p.Gross > 0 && *p.Net > *p.Gross {
			return true
		}
	}
	return false
}

func otherGross(r reportPageJSON) bool {
	for _, p := range r.Paystubs {
		if parts, ok := sum(p.Base, p.Overtime, p.Bonus, p.Commission, p.Other); ok && p.Gross != nil && *p.Gross != parts {
			return true
		}
	}
	return false
}

func roundedPay(r reportPageJSON) bool {
	for _, p := range r.Paystubs {
		if p.Gross == nil || p.Net == nil || *p.Gross == *p.Net || *p.Gross%100_00 != 0 || *p.Net%100_00 != 0 {
			return false
		}
	}
	return len(r.Paystubs) >= 3
}

func doubledPaystub(r reportPageJSON) bool {
	type key struct {
		reference, paid, start string
		gross, net             amount
	}
	seen := map[key]bool{}
	for _, p := range r.Paystubs {
		if p.Reference == nil || p.Paid == nil || p.Start == nil || p.Gross == nil || p.Net == nil {
			continue
		}
		k := key{*p.Reference, *p.Paid, *p.Start, *p.Gross, *p.Net}
		if seen[k] {
			return true
		}
		seen[k] = true
	}
	return false
}

func impossibleDates(r reportPageJSON) bool {
	after := func(a, b *string) bool { return a != nil && b != nil && *a > *b }
	for _, p := range r.Paystubs {
		if after(p.Start, p.Paid) || after(p.Start, p.End) || after(p.End, p.Paid) {
			return true
		}
	}
	return false
}

func longTenure(r reportPageJSON) bool {
	e := r.Employee
	return e.Hired != nil && len(e.Positions) > 0 && e.Positions[0].Start != nil && *e.Hired != *e.Positions[0].Start
}

func otherEmployer(v requestPage) bool {
	comparable := v.Target.Company != nil && len(v.Reports) > 0 && v.Parameters.Filter != "current-employer"
	return comparable && v.Reports[0].Employer.Name != v.Target.Company.Name
}

func sharedEIN(v requestPage) bool {
	names := map[string]string{}
	for _, r := range v.Reports {
		for _, id := range r.Employer.IDs {
			if name, ok := names[id.ID]; ok && name != r.Employer.Name {
				return true
			}
			names[id.ID] = r.Employer.Name
		}
	}
	return false
}
