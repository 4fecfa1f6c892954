package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestASessionLeadsToACompletedVerificationRequestOfItsPerson(t *testing.T) {
	t.Parallel()
	c := start(t)
	s := create(t, c, session("000-12-3456"))
	if s.Token == "" || s.Token == s.ID {
		t.Errorf("session %+v", s)
	}
	v := read(t, c, requestOf(s))
	if v.State != "completed" || v.Type != "employment-income" || v.UseCase != "mortgage" || len(v.Reports) != 1 {
		t.Errorf("%+v", v)
	}
	want := api.Target{
		FirstName: "Ada", LastName: "Example", SocialSecurityNumber: new("***-**-3456"), DateOfBirth: new(api.NewDate(1990, 2, 28)),
		Company: &api.Company{Name: new("Example Mill")},
	}
	if diff := cmp.Diff(want, v.Target); diff != "" {
		t.Error(diff)
	}
	employee := v.Reports[0].Employee
	if employee.FirstName != "Ada" || employee.LastName != "Example" || *employee.SocialSecurityNumber != "***-**-3456" {
		t.Errorf("the employee is somebody else: %+v", employee)
	}
	if v.Reports[0].Employer.Name != "Example Mill" {
		t.Errorf("the employer is %s", v.Reports[0].Employer.Name)
	}
	if v.Created.Before(epoch) {
		t.Errorf("the request was created at %v, before its session", v.Created)
	}
}

func TestDigitsOnlyAndDashedNumbersAreTheSamePerson(t *testing.T) {
	t.Parallel()
	url := serve(t)
	one, other := apitest.New(t, url, "svc_sk_test_one"), apitest.New(t, url, "svc_sk_test_other")
	v := read(t, one, requestOf(create(t, one, session("000-12-3456"))))
	w := read(t, other, requestOf(create(t, other, session("000123456"))))
	if diff := cmp.Diff(v, w); diff != "" {
		t.Errorf("contract 5: a person derived from the number, the same in every world:\n%s", diff)
	}
	x := read(t, one, requestOf(create(t, one, session("000-12-3457"))))
	if cmp.Equal(v.Reports[0].Paystubs, x.Reports[0].Paystubs) {
		t.Error("two numbers have the same paystubs")
	}
}

func TestASessionTakesOverWhatItsBodySays(t *testing.T) {
	t.Parallel()
	c := start(t)
	body := strings.Replace(session("000-12-3456"), `"type": "employment-income"`,
		`"type": "tenant-screening", "metadata": {"case": "7"}`, 1)
	v := read(t, c, requestOf(create(t, c, body)))
	if v.Type != "tenant-screening" || v.Metadata["case"] != "7" || v.Reports[0].PaidThroughDate != nil {
		t.Errorf("type %s, metadata %v, paid through %v", v.Type, v.Metadata, v.Reports[0].PaidThroughDate)
	}
}

func TestACompanyByIDIsTheReportsEmployer(t *testing.T) {
	t.Parallel()
	c := start(t)
	body := strings.Replace(session("000-12-3456"), `{"name": "Example Mill"}`, `{"id": "7"}`, 1)
	v := read(t, c, requestOf(create(t, c, body)))
	company := v.Target.Company
	if company == nil || company.ID == nil || *company.ID != 7 || company.Name == nil || *company.Name != v.Reports[0].Employer.Name {
		t.Errorf("the company %+v, the employer %+v", company, v.Reports[0].Employer)
	}
}

func TestASSNOfTheCatalogueAnswersItsStatus(t *testing.T) {
	t.Parallel()
	c := start(t)
	for ssn, message := range map[string]string{
		"000-00-0400": "400 Invalid field values provided",
		"000-00-0401": "401 " + message401,
		"000-00-0403": "403 " + message403,
		"000-00-0406": "406 An invalid API version was requested",
		"000-00-0429": "429 " + message429,
		"000-00-0451": "451 The social security number is frozen",
		"000-00-0500": "500 Internal server error",
		"000-00-0501": "501 Not Implemented",
	} {
		t.Run(ssn, func(t *testing.T) {
			for _, form := range []string{ssn, strings.ReplaceAll(ssn, "-", "")} {
				r := c.Post("/credentials/session", session(form))
				if got := fmt.Sprintf("%d %s", r.Status, r.ErrorMessage()); got != message {
					t.Errorf("%s, want %s", got, message)
				}
			}
		})
	}
}

func TestANumberOfALifecycleMovesTheSessionsRequest(t *testing.T) {
	t.Parallel()
	for ssn, want := range map[string][]api.State{
		"000-00-1001": {"pending-approval", "processing", "completed"},
		"000-00-1002": {"pending-approval", "pending-approval", "pending-approval"},
		"000-00-1003": {"processing", "pending-approval", "processing"},
		"000-00-1004": {"processing", "canceled", "canceled"},
	} {
		t.Run(ssn, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			id := requestOf(create(t, c, session(ssn)))
			if diff := cmp.Diff(want, states(t, c, id, len(want))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestANumberThatCouldBeRealIsServedAndDiagnosed(t *testing.T) {
	t.Parallel()
	r := start(t).Post("/credentials/session", session("123-45-6789"))
	wantStatus(t, r, 201, "")
	wantDiagnosis(t, r, "could have been issued to a person")
	if strings.Contains(r.Header.Get("Understudy-Diagnosis"), "6789") {
		t.Error("the diagnosis has digits of the number")
	}
}

func TestADateOfBirthThatNoEmployeeHasIsDiagnosed(t *testing.T) {
	t.Parallel()
	c := start(t) // at 2025-01-15
	for born, diagnosed := range map[string]bool{
		"1905-01-15": true, "1905-01-16": false, "1990-02-28": false, "2011-01-15": false, "2011-01-16": true, "2990-02-28": true, "0001-01-01": true,
	} {
		r := c.Post("/credentials/session", strings.Replace(session("000-12-3456"), "1990-02-28", born, 1))
		wantStatus(t, r, 201, "")
		if got := strings.Contains(r.Header.Get("Understudy-Diagnosis"), "target.date_of_birth is that of nobody who is 14 to 120 years old"); got != diagnosed {
			t.Errorf("born on %s: %s", born, r.Header.Get("Understudy-Diagnosis"))
		}
	}
}

func TestSessionsOfAWorldAreAllDifferent(t *testing.T) {
	t.Parallel()
	c := start(t)
	sessions := inParallel(64, func() api.CredentialsSession { return create(t, c, session("000-12-3456")) })
	ids, tokens := map[string]bool{}, map[string]bool{}
	for s := range sessions {
		ids[s.ID], tokens[s.Token] = true, true
	}
	if len(ids) != 64 || len(tokens) != 64 {
		t.Errorf("64 sessions have %d ids and %d tokens", len(ids), len(tokens))
	}
}
