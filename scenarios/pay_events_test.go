package scenarios_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
)

// Each magic value of an event in pay shows it at every seed and clock.
func TestPayEvents(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]func(r api.Report) bool{
		"retroactive-pay": func(r api.Report) bool {
			return count(r, func(p api.Paystub) bool { return *p.Base == "850.00" && *p.Gross == "850.00" && *p.Net == "597.98" }) == 1
		},
		"off-cycle-bonus": func(r api.Report) bool {
			return count(r, func(p api.Paystub) bool { return *p.Bonus == "2500.00" && *p.Gross == "2500.00" }) == 1
		},
		"reversal": func(r api.Report) bool {
			i := slices.IndexFunc(r.Paystubs, func(p api.Paystub) bool { return (*p.Gross)[0] == '-' })
			if i < 1 || i+1 == len(r.Paystubs) {
				return false
			}
			correction, reversed, before := r.Paystubs[i-1], r.Paystubs[i], r.Paystubs[i+1]
			return *reversed.Net == "-"+*before.Net && *reversed.Base == "-"+*before.Base && *reversed.PayDate == *correction.PayDate &&
				*correction.Base == *before.Base && *before.Overtime == "0.00" && *correction.Overtime == "96.00"
		},
		"clawback": func(r api.Report) bool {
			taken := count(r, func(p api.Paystub) bool { return strings.HasPrefix(string(*p.Bonus), "-") && (*p.Gross)[0] != '-' })
			paid := count(r, func(p api.Paystub) bool { return *p.Bonus == "2500.00" })
			balance := fixtures.Cents(0)
			for _, p := range r.Paystubs {
				balance += amountOf(p.Bonus)
			}
			return taken == 2 && paid == 1 && balance == 0
		},
		"final-pay": func(r api.Report) bool {
			last := r.Paystubs[0]
			return *last.PayPeriodEndDate <= *r.Employee.TerminationDate && *last.Other != "0.00" &&
				count(r, func(p api.Paystub) bool { return *p.Other != "0.00" }) == 1
		},
		"garnishment": func(r api.Report) bool {
			oldest := amountOf(r.Paystubs[len(r.Paystubs)-1].Net)
			lower := count(r, func(p api.Paystub) bool { return oldest-amountOf(p.Net) > 195_00 })
			return *r.Paystubs[0].Gross == "2500.00" && lower >= 5 && lower <= 8 && len(r.Paystubs) == 26
		},
		"wage-base": func(r api.Report) bool {
			below := count(r, func(p api.Paystub) bool { return *p.Gross == "15000.00" && *p.Net == "9972.12" })
			above := count(r, func(p api.Paystub) bool { return *p.Gross == "15000.00" && *p.Net == "10902.12" })
			return below >= 9 && above >= 12
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shape := builtin(t).ByName(name).VerificationShape()
			for seed := range uint64(40) {
				for _, on := range []string{
					"1970-01-01", "2000-02-29", "2024-02-29", "2024-12-31", "2025-01-01", "2025-01-02", "2025-03-01", "2025-04-17",
					"2025-06-15", "2025-06-30", "2025-08-31", "2025-10-12", "2026-11-23", "2031-12-25", "2100-02-28",
				} {
					completed, err := time.Parse(time.DateOnly, on)
					if err != nil {
						t.Fatal(err)
					}
					v := fixtures.Generator{Seed: seed}.VerificationRequest("vr_x", "vr_x", shape,
						fixtures.Progress{State: api.StateCompleted, Created: completed, Completed: completed})
					if r := v.Reports[0]; !shows(r) {
						t.Fatalf("seed %d on %s: %+v", seed, on, amounts(r))
					}
				}
			}
		})
	}
}

func count(r api.Report, is func(api.Paystub) bool) (n int) {
	for _, p := range r.Paystubs {
		if is(p) {
			n++
		}
	}
	return n
}

func amountOf(d *api.Decimal) (amount fixtures.Cents) {
	_ = amount.UnmarshalText([]byte(*d)) // a report has amounts
	return amount
}

// amounts returns what tests of events look at.
func amounts(r api.Report) (lines []string) {
	for _, p := range r.Paystubs {
		lines = append(lines, strings.Join([]string{p.PayDate.String(), string(*p.Base), string(*p.Bonus), string(*p.Gross), string(*p.Net)}, " "))
	}
	return lines
}
