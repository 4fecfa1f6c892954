package console

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/world"
)

// formSection is a part of a form. The names of its fields are paths of keys in a scenario file, such as pay.base, below the
// element of its list.
type formSection struct {
	Title    string
	List     string // the path of a list of which each element is such a part: "" for none
	Fields   string // separated by spaces
	Later    string // fields of all elements but the first
	Sections []formSection
	Open     bool // it does not fold
}

// employers are the reports of a request or a check: each is of another employer.
var employers = formSection{
	Title: "Employer", List: "reports", Open: true,
	Fields: "employee.status_detail pay.frequency pay.base pay.rate pay.hours_per_week",
	Sections: []formSection{
		{Title: "Employment", Fields: "employee.employment_type employee.title employee.hired employee.terminated employee.on_leave employee.rehired employee.workdays employee.positions employee.seasonal",
			Sections: []formSection{{Title: "Past leave", List: "employee.leaves", Fields: "from to pay"}}},
		{Title: "Pay", Fields: "pay.overtime pay.bonus pay.commission pay.other pay.other_per_day pay.variation pay.raise pay.months_per_year pay.paystubs pay.provider_changed pay.extra_period",
			Sections: []formSection{{Title: "Pay event", List: "pay.events", Fields: "kind amount on"}, {Title: "Agreed raise", List: "pay.steps", Fields: "from by"}}},
		{Title: "Answer", Fields: "pricing_tier missing later.event later.on set",
			Sections: []formSection{{Title: "Dispute", List: "disputes", Fields: "description opened"}}},
	},
}

var (
	person  = formSection{Title: "Person", Fields: "person.first_name person.last_name person.date_of_birth person.last_four person.email person.phone"}
	company = formSection{Title: "Company of the first employer", Fields: "company.name company.id company.address company.city company.state company.zip_code company.phone_number"}
	titled  = formSection{Title: "Scenario file", Fields: "title"}
)

// making is a kind of resource with the form that makes one.
type making struct {
	Path     string // of its page, below the world's
	Tab      string
	One      string
	Resource string // the path of its pages, below the world's
	prefix   string // of its ids
	id       string // the field with the id
	presets  []makePreset
	Sections []formSection

	// create makes the resource of a text.
	create func(w *world.World, ctx context.Context, text string) (made, error)
}

// made is the resource that a form makes: one of the three.
type made struct {
	ID       string
	Request  *world.Verification
	Check    *api.QualificationCheck
	Property *api.TenantProperty
}

// makePreset is a scenario that a form can start from.
type makePreset struct{ Name, Label string }

// makings are the kinds of resources that can be made, the most requested first.
var makings = []making{
	{
		Path: "make", Tab: "Verification request", One: "verification request", Resource: "verification-requests", prefix: "vr_",
		id: "magic.verification_request", create: makeVerification,
		presets: []makePreset{
			{"completed", "Full-time with a salary"},
			{"two-part-time-jobs", "Part-time with two employers"},
			{"two-jobs", "Full-time and part-time, two employers"},
			{"frequency-hourly", "Paid by the hour"},
			{"contractor", "Contractor (1099)"},
			{"new-hire", "New hire"},
			{"status-on-leave", "On leave"},
			{"status-separated", "Separated"},
			{"multiple-reports", "Present employer and two former ones"},
			{"variable-income", "Income that varies"},
			{"tips", "Tips"},
			{"off-cycle-bonus", "Off-cycle bonus"},
			{"lifecycle", "Moves on with each read"},
			{"lifecycle-timed", "Moves on with the clock"},
			{"service-canceled", "Canceled by the service"},
		},
		Sections: []formSection{
			{Open: true, Fields: "magic.verification_request verification_request.type"},
			employers,
			{Title: "Timeline", Sections: []formSection{{
				Title: "State", List: "verification_request.timeline", Open: true,
				Fields: "state", Later: "after.reads after.elapsed after.manual",
				Sections: []formSection{{Title: "Cancellation", Fields: "cancellation_reason cancellation_details"}},
			}}},
			person,
			company,
			{Title: "Request", Fields: "verification_request.use_case verification_request.permissible_purpose verification_request.pricing_tier " +
				"verification_request.employer_filter verification_request.turnaround verification_request.completed verification_request.documents verification_request.metadata"},
			{Title: "Answers", Fields: "verification_request.set verification_request.set_canceled verification_request.reseller_originating_party"},
			titled,
		},
	},
	{
		Path: "make/check", Tab: "Qualification check", One: "qualification check", Resource: "qualification-checks", prefix: "qc_",
		id: "magic.qualification_check", create: makeCheck,
		presets: []makePreset{
			{"qualified", "Qualified"},
			{"not-qualified", "Not qualified"},
			{"guarantor-qualified", "Guarantor"},
			{"not-enough-information", "Not enough information"},
			{"qualification-multiple-reports", "Several employers"},
			{"qualification-document-requirements", "Documents as proof"},
		},
		Sections: []formSection{
			{Open: true, Fields: "magic.qualification_check qualification_check.kind qualification_check.rent"},
			employers,
			person,
			company,
			{Title: "Thresholds", Fields: "qualification_check.applicant_rent_to_income_ratio qualification_check.guarantor_rent_to_income_ratio qualification_check.income_multiple"},
			{Title: "Answers", Fields: "qualification_check.type qualification_check.documents qualification_check.set"},
			titled,
		},
	},
	{
		Path: "make/property", Tab: "Tenant property", One: "tenant property", Resource: "tenant-properties", prefix: "tp_",
		id: "magic.tenant_property", create: makeProperty,
		presets: []makePreset{{"tenant-property", "A property with an address"}},
		Sections: []formSection{
			{Open: true, Fields: "magic.tenant_property tenant_property.set.name tenant_property.set.address_line_1 tenant_property.set.city tenant_property.set.state " +
				"tenant_property.set.postal_code tenant_property.set.status"},
			{Title: "More of the address", Fields: "tenant_property.set.address_line_2 tenant_property.set.address_line_3"},
			titled,
		},
	},
}

// ownPresets are the presets that no built-in scenario is like.
var ownPresets = map[string]string{"two-part-time-jobs": `
title: Part-time for two employers at once
magic: {verification_request: vr}
verification_request: {employer_filter: current-employer}
reports:
  - employee: {status_detail: part-time}
    pay: {rate: 18.50, hours_per_week: 20}
  - employee: {status_detail: part-time}
    pay: {rate: 21.00, hours_per_week: 15}
`}

func makeVerification(w *world.World, ctx context.Context, text string) (made, error) {
	v, err := w.CreateVerificationRequest(ctx, text)
	return made{ID: v.ID, Request: &v}, err
}

func makeCheck(w *world.World, ctx context.Context, text string) (made, error) {
	q, err := w.CreateQualificationCheck(ctx, text)
	return made{ID: q.ID, Check: &q}, err
}

func makeProperty(w *world.World, ctx context.Context, text string) (made, error) {
	p, err := w.CreateTenantProperty(ctx, text)
	return made{ID: p.ID, Property: &p}, err
}

// maxElements bounds the elements of a list in a form.
const maxElements = 20

// elements returns how many elements a form has of a list.
func elements(form url.Values, list string) (n int) {
	for name := range form {
		if i, _, ok := elementOf(name, list); ok {
			n = max(n, i+1)
		}
	}
	return n
}

// elementOf returns the number of the element of a list that a field is in, and the field's path in the element.
func elementOf(name, list string) (i int, rest string, ok bool) {
	below, ok := strings.CutPrefix(name, list+".")
	number, rest, _ := strings.Cut(below, ".")
	i, err := strconv.Atoi(number)
	return i, rest, ok && err == nil && i >= 0 && i < maxElements
}

// addElement adds an element to a list of a form.
func addElement(form url.Values, list string) {
	form.Set(fmt.Sprintf("%s.%d.", list, elements(form, list)), "")
}

// removeElement removes an element such as reports.1 from a form. Those after it move up.
func removeElement(form url.Values, element string) {
	dot := strings.LastIndexByte(element, '.')
	list := element[:max(dot, 0)]
	removed, _, ok := elementOf(element, list)
	if !ok {
		return
	}
	names := make([]string, 0, len(form))
	for name := range form {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { // an element is overwritten after it has moved
		i, _, _ := elementOf(a, list)
		j, _, _ := elementOf(b, list)
		return i - j
	})
	for _, name := range names {
		i, rest, ok := elementOf(name, list)
		if !ok || i < removed {
			continue
		}
		if i > removed {
			form[fmt.Sprintf("%s.%d.%s", list, i-1, rest)] = form[name]
		}
		delete(form, name)
	}
}
