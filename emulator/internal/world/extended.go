package world

import (
	"cmp"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// How long a request of the extension takes to be processing, and to end, where its number has no timeline.
const (
	processingAfter = 5 * time.Second
	endAfter        = 15 * time.Second
)

// maxReverified is how long after its completion a request is verified again at most.
const maxReverified = 90 * 24 * time.Hour

// fullTimeline returns the timeline of a scenario from pending-approval on, as a request of the extension follows it.
func fullTimeline(s *scenarios.Scenario) scenarios.Timeline {
	steps := s.Timeline()
	first := steps[0]
	if first.State == api.StatePendingApproval {
		return steps
	}
	all := scenarios.Timeline{{State: api.StatePendingApproval}}
	if first.After.Elapsed = scenarios.Duration(processingAfter); first.State != api.StateProcessing {
		all = append(all, scenarios.Step{State: api.StateProcessing, After: first.After})
		first.After.Elapsed = scenarios.Duration(endAfter - processingAfter)
	}
	return append(append(all, first), steps[1:]...)
}

// Shown is a verification request as a read shows it, and a function that reports what a caller or a scenario has set: see
// [Tx.Given].
type Shown struct {
	api.VerificationRequest
	Given func(path string) bool
}

// CreateVerification creates a verification request of a person. It also returns the name of its scenario.
func (tx *Tx) CreateVerification(in api.NewCredentialsSession, analytics bool) (created Shown, scenario string, err error) {
	s, err := tx.scenarioOf(in.Target.SocialSecurityNumber)
	if err != nil {
		return created, "", err
	}
	shape, err := tx.requestShape(s, in)
	if err == nil {
		created, err = tx.begin(s, tx.fixtures.Identity(in.Target.SocialSecurityNumber), shape, in.Sync, analytics)
	}
	return created, s.Name, err
}

// begin stores a new verification request of a person, at the beginning of its timeline or at its end.
func (tx *Tx) begin(s *scenarios.Scenario, identity string, shape fixtures.VerificationShape, ended, analytics bool) (Shown, error) {
	id, err := tx.newID(scenarios.VerificationRequestID, nil)
	if err != nil {
		return Shown{}, err
	}
	full := *s
	full.VerificationRequest = &scenarios.VerificationRequest{Timeline: fullTimeline(s)}
	v := start(&full, id, identity, shape, tx.now, tx.now)
	v.Timeline = full.Timeline()
	if ended {
		v.end(tx)
	}
	_, err = tx.saveVerification(&v)
	return Shown{v.read(tx, analytics), v.given}, err
}

// end moves the request through its timeline at once. It is completed or canceled then: what does not complete is canceled by the
// service.
func (v *verification) end(tx *Tx) {
	for step := 1; step < len(v.Timeline); step++ {
		v.Cursor = scenarios.Cursor{Step: step, Entered: tx.now}
		v.reach(step, v.Timeline[step], tx.now)
	}
	if state := v.Progress.State; state != api.StateCompleted && state != api.StateCanceled {
		v.transition(tx, scenarios.Step{State: api.StateCanceled})
	}
}

// requestShape returns the shape of a person's verification request: that of a session with what only the request has.
func (tx *Tx) requestShape(s *scenarios.Scenario, in api.NewCredentialsSession) (shape fixtures.VerificationShape, err error) {
	own := s.VerificationShape()
	in.UseCase = cmp.Or(in.UseCase, own.UseCase)
	if account := tx.settings.Account; account != nil && len(account.UseCases) > 0 {
		in.UseCase = cmp.Or(in.UseCase, account.UseCases[0])
	}
	shape = sessionShape(tx.mixed(s, in), in)
	if shape.EmployerFilter = cmp.Or(in.EmployerFilter, shape.EmployerFilter); in.EmployerFilter != "" {
		if err := firstViolation("", shape); err != nil { // the number's scenario may have others than the caller asks for
			return shape, api.Invalid("request_parameters: the number's scenario " + err.Error())
		}
	}
	methods := cmp.Or(in.Methods, &api.VerificationMethods{Instant: api.VerificationMethod{Enabled: true}})
	if all := (api.VerificationMethod{Enabled: true}); in.Methods == nil && in.Target.Company != nil {
		methods = &api.VerificationMethods{Credentials: all, Instant: all, SmartOutreach: all}
	}
	shape.PricingTier = own.PricingTier
	if !methods.Instant.Enabled {
		shape.PricingTier = api.TierSmartOutreach
		if methods.Credentials.Enabled {
			shape.PricingTier = api.TierCredentials
		}
	}
	shape.Documents = in.Documents
	parameters := &api.RequestParameters{EmployerFilter: shape.EmployerFilter, VerificationMethods: *methods}
	shape.Set, err = given{in.BranchID, in.LoanID, in.AdditionalInformation, parameters}.over(shape.Set)
	return shape, err
}

// given is what a verifier gives beside the person.
type given struct {
	BranchID              *string                `json:"branch_id"`
	LoanID                *string                `json:"loan_id"`
	AdditionalInformation *string                `json:"additional_information"`
	RequestParameters     *api.RequestParameters `json:"request_parameters"`
}

// over returns the fields of a request, without some, and with those that are given in their place.
func (g given) over(set fixtures.Overlay[api.VerificationRequest], without ...string) (fixtures.Overlay[api.VerificationRequest], error) {
	var fields map[string]json.RawMessage
	for _, part := range []any{set, g} {
		text, err := json.Marshal(part)
		if err == nil {
			err = json.Unmarshal(text, &fields) // adds to the fields before
		}
		if err != nil {
			return set, err
		}
	}
	for _, name := range without {
		delete(fields, name)
	}
	text, err := json.Marshal(fields)
	if err == nil {
		err = set.UnmarshalJSON(text)
	}
	return set, err
}

// ListVerifications returns up to limit of the stored verification requests in a state, "" for any, from the one with the number
// offset on, and the number of all of them. The newest is the first. It moves none.
func (tx *Tx) ListVerifications(state api.State, offset, limit int) (page []Shown, count int, err error) {
	type created struct {
		created time.Time
		id      string
	}
	var places []created
	err = tx.scanVerifications("", func(v verification, _ int64) bool {
		if state != "" && v.Progress.State != state {
			return true
		}
		places = append(places, created{v.created(), v.id})
		return tx.store.want(int64(len(v.id)+64)) == nil
	})
	if err != nil {
		return nil, 0, err
	}
	slices.SortFunc(places, func(a, b created) int {
		return cmp.Or(b.created.Compare(a.created), strings.Compare(b.id, a.id))
	})
	first := min(offset, len(places))
	for _, p := range places[first:min(first+limit, len(places))] {
		v, err := tx.inspect(p.id)
		if err != nil {
			return nil, 0, err
		}
		page = append(page, Shown{v.document(tx), v.given})
	}
	return page, len(places), nil
}

// created returns the instant of creation that reads show.
func (v *verification) created() time.Time {
	if !v.Shape.Set.Sets("created") {
		return v.Progress.Created
	}
	return v.Shape.Set.Lay(api.VerificationRequest{}).Created.Time
}

// Report returns the latest report of a completed verification request, the first of several, with what a caller or a scenario has
// set of it. It also returns the name of the scenario.
func (tx *Tx) Report(r Resource) (report api.Report, given func(path string) bool, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return report, nil, "", api.NotFound("Report", r.unknown(tx))
	}
	if state := v.Progress.State; state != api.StateCompleted {
		return report, nil, v.Scenario, api.NotFound("Report", "the request is "+string(state)+": it has a report once it is completed")
	}
	reports, latest := v.document(tx).Reports, 0
	for i := range reports {
		if reports[i].Created.After(reports[latest].Created.Time) {
			latest = i
		}
	}
	given = func(path string) bool { return v.given("reports." + strconv.Itoa(latest) + "." + path) }
	return reports[latest], given, v.Scenario, nil
}

// Reverify creates another verification request of the person whose request has a report. It also returns the name of the
// scenario.
func (tx *Tx) Reverify(r Resource, report string) (created Shown, scenario string, err error) {
	v, err := tx.verification(r)
	if err != nil {
		return created, "", err
	}
	if state := v.Progress.State; state != api.StateCompleted {
		return created, v.Scenario, api.Invalid("the request is " + string(state) + ": it is verified again once it is completed")
	}
	was := v.document(tx)
	switch completed := was.DateOfCompletion.Time; {
	case !slices.ContainsFunc(was.Reports, func(of api.Report) bool { return of.ID == report }):
		return created, v.Scenario, api.Invalid("report_id " + api.Quote(report) + " is none of the reports of this request: it has " + idsOf(was.Reports))
	case tx.now.Sub(completed) > maxReverified:
		return created, v.Scenario, api.Invalid(fmt.Sprintf("the request was completed at %s, more than 90 days ago: create another one", api.DatetimeOf(completed)))
	}
	s := tx.catalogue.ByName(v.Scenario)
	if s == nil {
		s = &scenarios.Scenario{Name: v.Scenario}
	}
	shape, err := reverified(v.Shape, was)
	if err == nil {
		created, err = tx.begin(s, v.Identity, shape, false, false)
	}
	return created, v.Scenario, err
}

// reverified returns the shape of a request that verifies the person of another one again: what a verifier gives is the same, and the
// person is counted from the beginning of the world, as in a session.
func reverified(shape fixtures.VerificationShape, was api.VerificationRequest) (fixtures.VerificationShape, error) {
	if t := was.Target; shape.Target == nil {
		shape.Target = &fixtures.Person{
			FirstName: t.FirstName, LastName: t.LastName, DateOfBirth: t.DateOfBirth, Email: t.ContactEmail, Phone: t.PhoneNumber, Company: t.Company,
		}
		if ssn := t.SocialSecurityNumber; ssn != nil {
			shape.Target.LastFour = (*ssn)[max(0, len(*ssn)-4):]
		}
	}
	shape.Documents = []string{}
	for _, file := range was.Documents {
		if file.Filename != nil {
			shape.Documents = append(shape.Documents, *file.Filename)
		}
	}
	set, err := given{was.BranchID, was.LoanID, was.AdditionalInformation, was.RequestParameters}.over(shape.Set, "created", "date_of_completion")
	shape.Set = set
	return shape, err
}

// idsOf lists the ids of reports.
func idsOf(reports []api.Report) string {
	ids := make([]string, len(reports))
	for i := range reports {
		ids[i] = reports[i].ID
	}
	return strings.Join(ids, ", ")
}

// Employers goes through the employers that the world lists, each with its internet domain.
func (tx *Tx) Employers() iter.Seq2[*api.Company, string] { return tx.fixtures.Employers() }
