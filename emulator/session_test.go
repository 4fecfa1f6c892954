package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
)

func TestSession_leads_to_a_completed_request_of_its_person(t *testing.T) {
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

func TestSession_digits_only_and_dashed_are_the_same_person(t *testing.T) {
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

func TestSession_takes_over_what_its_body_says(t *testing.T) {
	t.Parallel()
	c := start(t)
	body := strings.Replace(session("000-12-3456"), `"type":"employment-income"`, `"type":"tenant-screening","metadata":{"case":"7"}`, 1)
	v := read(t, c, requestOf(create(t, c, strings.Replace(body, `{"name":"Example Mill"}`, `{"id":"7"}`, 1))))
	if v.Type != "tenant-screening" || v.Metadata["case"] != "7" || v.Reports[0].PaidThroughDate != nil {
		t.Errorf("type %s, metadata %v, paid through %v", v.Type, v.Metadata, v.Reports[0].PaidThroughDate)
	}
	company := v.Target.Company
	if company == nil || company.ID == nil || *company.ID != 7 || company.Name == nil || *company.Name != v.Reports[0].Employer.Name {
		t.Errorf("the company %+v, the employer %+v", company, v.Reports[0].Employer)
	}
}

func TestSession_numbers_of_the_catalogue(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{"could be real": `POST /credentials/session SESSION(123-45-6789) → 201 | could have been issued to a person`}
	for ssn, want := range map[string]string{
		"000-00-0400": "400 " + invalid, "000-00-0401": "401 " + message401, "000-00-0403": "403 " + message403, "000-00-0406": "406 An invalid API version was requested",
		"000-00-0429": "429 " + message429, "000-00-0451": "451 The social security number is frozen", "000-00-0500": "500 Internal server error", "000-00-0501": "501 Not Implemented",
	} {
		for _, form := range []string{ssn, strings.ReplaceAll(ssn, "-", "")} {
			scripts[form] = fmt.Sprintf("POST /credentials/session SESSION(%s) → %s", form, want)
		}
	}
	for ssn, states := range map[string]string{
		"000-00-1001": "pending-approval processing completed", "000-00-1002": "pending-approval pending-approval pending-approval",
		"000-00-1003": "processing pending-approval processing", "000-00-1004": "processing canceled canceled",
	} {
		scripts[ssn] = fmt.Sprintf("POST /credentials/session SESSION(%s) → 201", ssn)
		for _, state := range strings.Fields(states) {
			scripts[ssn] += "\nGET /verification-requests/{vr} → 200 state=" + state
		}
	}
	// at 2025-01-15
	for born, diagnosed := range map[string]bool{
		"1905-01-15": true, "1905-01-16": false, "1990-02-28": false, "2011-01-15": false, "2011-01-16": true, "2990-02-28": true, "0001-01-01": true,
	} {
		t.Run("born "+born, func(t *testing.T) {
			r := start(t).Post("/credentials/session", strings.Replace(session("000-12-3456"), "1990-02-28", born, 1))
			wantStatus(t, r, 201, "")
			if got := strings.Contains(r.Header.Get("Understudy-Diagnosis"), "target.date_of_birth is that of nobody who is 14 to 120 years old"); got != diagnosed {
				t.Error(r.Header.Get("Understudy-Diagnosis"))
			}
		})
	}
	playScripts(t, scripts)
}

func TestSession_all_are_different(t *testing.T) {
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
