package production

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// suite has the tests of the client: what a developer writes after reading README, the tour and the tables of magic values.
var suite = []struct {
	name string
	run  func(t *probe)
}{
	{"completes", func(t *probe) {
		t.completes(t.verify(anybody))
		t.calls("createCredentialsSession", 1)
	}},
	{"waits", func(t *probe) { // a day, and reads once an hour
		t.completes(t.verify("000-00-1002"))
		t.calls("getVerificationRequest", 25)
	}},
	{"gives up", func(t *probe) {
		t.fails(errPending)(t.income("vr_pending_approval"))
	}},
	{"ends", func(t *probe) {
		t.fails(errEnded)(t.verify("000-00-1004"))
		t.fails(errEnded)(t.income("vr_canceled"))
		t.fails(errEnded)(t.income("vr_invalid"))
	}},
	{"cancels", func(t *probe) {
		canceled, err := t.client.cancel(t.ctx, "vr_processing", "competitor")
		if err != nil || canceled != (cancellation{"canceled", "competitor"}) {
			t.Errorf("canceling ends with %v, %v", canceled, err)
		}
		t.fails(errEnded)(t.income("vr_processing"))
	}},
	{"outages", func(t *probe) {
		t.completes(t.income("vr_outage_then_fine"))
		for _, id := range words("vr_outage_502 vr_outage_503 vr_outage_504 vr_outage_500_empty vr_error_500") {
			t.fails(errUnavailable)(t.income(id))
		}
		t.fails(errUnclear)(t.verify("000-00-0502"))
	}},
	{"wrong answers", func(t *probe) {
		for _, id := range words("vr_outage_200_empty vr_outage_200_html vr_wrong_shape") {
			t.fails(errNoAnswer)(t.income(id))
		}
	}},
	{"connections", func(t *probe) {
		for _, id := range words("vr_fault_reset vr_fault_empty vr_fault_truncated vr_fault_malformed") {
			t.fails(errUnavailable)(t.income(id))
		}
	}},
	{"lost answer", func(t *probe) {
		t.world.AddFault(`{on: create, fault: truncated}`)
		t.fails(errUnclear)(t.verify(anybody))
		t.calls("createCredentialsSession", 1)
	}},
	{"slow", func(t *probe) {
		t.world.AddFault(`{on: get, delay: {fixed: 1s}}`)
		t.impatient()
		t.fails(errUnavailable)(t.income("vr_completed"))
	}},
	{"limits", func(t *probe) {
		t.completes(t.income("vr_flaky"))
		t.waited = nil
		for _, id := range words("vr_limited_bare vr_limited_date vr_limited_long") {
			t.fails(errUnavailable)(t.income(id))
		}
		bare, date, long := 2*time.Second, 30*time.Second, time.Hour
		if !slices.Equal(t.waited, []time.Duration{bare, bare, date, date, long, long}) {
			t.Errorf("it waits %v", t.waited)
		}
	}},
	{"frozen", func(t *probe) {
		t.fails(errFrozen)(t.verify("000-00-0451"))
		t.fails(errFrozen)(t.income("vr_error_451"))
	}},
	{"refusals", func(t *probe) {
		ids := words("vr_error_400 vr_error_401 vr_error_403 vr_error_404 vr_error_406 vr_error_501")
		for _, id := range ids {
			_, err := t.income(id)
			if refused := (*refusal)(nil); !errors.As(err, &refused) {
				t.Errorf("%s ends with %v", id, err)
			}
		}
		t.calls("getVerificationRequest", len(ids))
	}},
	{"to the cent", func(t *probe) {
		t.world.CreateVerificationRequest(`{id: vr_cents, reports: [{set: {income_analytics: {annualized_income: {gross_amount: {amount: "35018.02"}}}}}]}`)
		t.wants(35018_02)(t.income("vr_cents"))
	}},
	{"income", func(t *probe) { // base without gross, gross without base, nothing, no pay
		t.wants(62000_00)(t.income("vr_base_without_gross"))
		t.completes(t.income("vr_gross_without_base"))
		t.wants(0)(t.income("vr_zero_income"))
		t.fails(errNoIncome)(t.income("vr_employment"))
	}},
	{"jobs", func(t *probe) { // two at once, and a former one
		t.world.CreateVerificationRequest(`
id: vr_jobs
reports:
  - pay: {frequency: monthly, base: 48000.00, bonus: none}
  - pay: {frequency: monthly, base: 12000.00, bonus: none}
  - {employee: {status_detail: separated}, pay: {frequency: monthly, base: 36000.00, bonus: none}}
`)
		t.wants(60000_00)(t.income("vr_jobs"))
	}},
	{"person", func(t *probe) { // nobody but the applicant can use the token
		t.set("session_flow: manual")
		t.completes(t.verify(anybody))
	}},
	{"account", func(t *probe) {
		t.set("account: {types: [employment-income], use_cases: [tenant], permissible_purposes: [employee-request], reseller: false}")
		t.completes(t.verify(anybody))
	}},
	{"grease", func(t *probe) {
		t.set("grease: on")
		t.completes(t.verify(anybody))
		t.completes(t.income("vr_completed"))
	}},
	{"new words", func(t *probe) {
		t.set("grease: values")
		for _, id := range words("vr_completed vr_contractor vr_frequency_weekly vr_frequency_monthly vr_frequency_hourly") {
			t.completes(t.income(id))
		}
	}},
}

// anybody is the number of a test person.
const anybody = "000-00-0000"

func words(text string) []string { return strings.Fields(text) }
