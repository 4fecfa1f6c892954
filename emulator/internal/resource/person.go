package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// StartPerson returns a verification request of a person that goes through all of its timeline, from pending-approval on, or has gone
// through it at once.
func StartPerson(at Scene, s *scenarios.Scenario, id, identity string, shape fixtures.VerificationShape, ended bool) Request {
	full := *s
	full.VerificationRequest = &scenarios.VerificationRequest{Timeline: fullTimeline(s)}
	v := Start(&full, id, identity, shape, at.Now, at.Now)
	v.Timeline = full.Timeline()
	if ended {
		v.end(at)
	}
	return v
}

// Report returns the latest report of a completed request, the first of several, and a function that reports what a caller or a
// scenario has set of it.
func (v *Request) Report(at Scene) (report api.Report, given func(path string) bool, err error) {
	if state := v.Progress.State; state != api.StateCompleted {
		return report, nil, api.NotFound("Report", "the request is "+string(state)+": it has a report once it is completed")
	}
	reports, latest := v.Document(at).Reports, 0
	for i := range reports {
		if reports[i].Created.After(reports[latest].Created.Time) {
			latest = i
		}
	}
	return reports[latest], func(path string) bool { return v.Given("reports." + strconv.Itoa(latest) + "." + path) }, nil
}

// Reverified returns the shape of a request that verifies the person of a completed one again, whose report it names.
func (v *Request) Reverified(at Scene, report string) (shape fixtures.VerificationShape, err error) {
	if state := v.Progress.State; state != api.StateCompleted {
		return shape, api.Invalid("the request is " + string(state) + ": it is verified again once it is completed")
	}
	was := v.Document(at)
	switch completed := was.DateOfCompletion.Time; {
	case !slices.ContainsFunc(was.Reports, func(of api.Report) bool { return of.ID == report }):
		return shape, api.Invalid("report_id " + api.Quote(report) + " is none of the reports of this request: it has " + idsOf(was.Reports))
	case at.Now.Sub(completed) > maxReverified:
		return shape, api.Invalid(fmt.Sprintf("the request was completed at %s, more than 90 days ago: create another one", api.DatetimeOf(completed)))
	}
	return reverified(v.Shape, was)
}

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

// end moves the request through its timeline at once. It is completed or canceled then: what does not complete is canceled by the
// service.
func (v *Request) end(at Scene) {
	for step := 1; step < len(v.Timeline); step++ {
		v.Cursor = scenarios.Cursor{Step: step, Entered: at.Now}
		v.reach(step, v.Timeline[step], at.Now)
	}
	if state := v.Progress.State; state != api.StateCompleted && state != api.StateCanceled {
		v.transition(at, scenarios.Step{State: api.StateCanceled})
	}
}

// PersonShape returns the shape of a person's verification request: that of a session with what only the request has.
func PersonShape(at Scene, s *scenarios.Scenario, in api.NewCredentialsSession) (shape fixtures.VerificationShape, err error) {
	own := s.VerificationShape()
	in.UseCase = cmp.Or(in.UseCase, own.UseCase)
	if account := at.Settings.Account; account != nil && len(account.UseCases) > 0 {
		in.UseCase = cmp.Or(in.UseCase, account.UseCases[0])
	}
	shape = sessionShape(at.mixed(s, in), in)
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

// Created returns the instant of creation that reads show.
func (v *Request) Created() time.Time {
	if !v.Shape.Set.Sets("created") {
		return v.Progress.Created
	}
	return v.Shape.Set.Lay(api.VerificationRequest{}).Created.Time
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
