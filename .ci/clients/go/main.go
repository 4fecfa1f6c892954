// Command clients does the five operations and ten calls of the control plane with the client that oapi-codegen generates
// from the document, at the address in UNDERSTUDY_URL.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	client "clients/openapi"
)

type checked struct{}

// Do sends a request, and ends the program when a validating proxy finds something.
func (checked) Do(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer svc_sk_test_go")
	answer, err := http.DefaultClient.Do(r)
	if err == nil && answer.Header.Get("sl-violations") != "" {
		must(false, "%s %s: %s", r.Method, r.URL, answer.Header.Get("sl-violations"))
	}
	return answer, err
}

// must ends the program with a message unless a condition holds.
func must(holds bool, message string, values ...any) {
	if !holds {
		fmt.Printf(message+"\n", values...)
		os.Exit(1)
	}
}

// got returns an answer that came, with a status.
func got[A interface{ StatusCode() int }](status int) func(A, error) A {
	return func(answer A, err error) A {
		must(err == nil, "%T: %v", answer, err)
		must(answer.StatusCode() == status, "%T: status %d: %v", answer, answer.StatusCode(), answer)
		return answer
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c, err := client.NewClientWithResponses(os.Getenv("UNDERSTUDY_URL"), client.WithHTTPClient(checked{}))
	must(err == nil, "%v", err)
	steer(ctx, c)
	operate(ctx, c)
	fmt.Println("fine: the Go client")
}

// steer does ten calls of the control plane.
func steer(ctx context.Context, c *client.ClientWithResponses) {
	world := got[*client.ResetWorldResponse](200)(c.ResetWorldWithResponse(ctx, nil)).JSON200
	next := world.Clock.Now.Add(24 * time.Hour)
	clock := got[*client.SetClockResponse](200)(c.SetClockWithResponse(ctx, nil, client.ClockChange{Now: &next, Frozen: new(true)})).JSON200
	must(clock.Now.Equal(next) && clock.Frozen, "the clock is %v", clock)
	var advance client.ClockAdvance
	must(advance.FromClockAdvance0(client.ClockAdvance0{By: "36h"}) == nil, "36h is no span of time")
	got[*client.AdvanceClockResponse](200)(c.AdvanceClockWithResponse(ctx, nil, advance))
	created := got[*client.CreateVerificationRequestResponse](201)(c.CreateVerificationRequestWithResponse(ctx, nil,
		client.NewVerification{Id: new("vr_mine"), Scenario: new("completed"), State: new(client.StateCompleted)})).JSON201
	must(created.Timeline[0].After == nil, "the first step has a condition")
	got[*client.ChangeVerificationRequestResponse](200)(c.ChangeVerificationRequestWithResponse(ctx, "vr_mine", nil,
		client.VerificationChange{Set: &map[string]any{"loan_id": "7"}}))
	var rule client.NewFault_Rule
	must(rule.FromNewFaultRule1("{on: update, respond: {status: 451}, times: 1}") == nil, "the rule is no text")
	fault := got[*client.AddFaultResponse](201)(c.AddFaultWithResponse(ctx, nil, client.NewFault{Rule: rule})).JSON201
	must(*fault.Remaining == 1 && fault.Expires == nil, "the fault is %v", fault)
	resolution := got[*client.ResolveRequestResponse](200)(c.ResolveRequestWithResponse(ctx, nil,
		client.RequestToResolve{Method: "GET", Path: "/qualification-checks/qc_qualified"})).JSON200
	must(*resolution.Status == 200, "it would get %d", *resolution.Status)
	scenarios := got[*client.ListScenariosResponse](200)(c.ListScenariosWithResponse(ctx, &client.ListScenariosParams{Limit: new(3)})).JSON200
	must(len(scenarios.Items) == 3 && scenarios.Next != nil, "%d scenarios", len(scenarios.Items))
	got[*client.GetHealthResponse](200)(c.GetHealthWithResponse(ctx))
	unknown := got[*client.InspectTenantPropertyResponse](404)(c.InspectTenantPropertyWithResponse(ctx, "tp_none", nil))
	must(unknown.JSON4XX.Error.Message != "", "an error has no message")
}

// operate does the five operations.
func operate(ctx context.Context, c *client.ClientWithResponses) {
	request := got[*client.GetVerificationRequestResponse](200)(c.GetVerificationRequestWithResponse(ctx, "vr_mine", nil)).JSON200
	must(*request.LoanId == "7" && request.CancellationReason == nil, "the request is %v", request)
	must((*request.Reports)[0].Employee.Status == client.EmployeeStatusActive, "the employee's status is %s", (*request.Reports)[0].Employee.Status)
	canceled := got[*client.CancelVerificationRequestResponse](200)(c.CancelVerificationRequestWithResponse(ctx, "vr_processing",
		client.Cancellation{CancellationReason: client.CancellationReasonCompetitor})).JSON200
	must(*canceled.CancellationReason == client.CanceledReasonCompetitor, "the reason is %s", *canceled.CancellationReason)
	update := client.TenantPropertyUpdate{Name: "Quay"}
	got[*client.UpdateTenantPropertyResponse](451)(c.UpdateTenantPropertyWithResponse(ctx, "tp_default", update)) // by the fault
	property := got[*client.UpdateTenantPropertyResponse](200)(c.UpdateTenantPropertyWithResponse(ctx, "tp_default", update)).JSON200
	must(property.City == nil && property.Name == "Quay", "the property is %v", property)
	var company client.CompanyInput
	must(company.FromCompanyByName(client.CompanyByName{Name: "Harbour"}) == nil, "no company")
	session := got[*client.CreateCredentialsSessionResponse](201)(c.CreateCredentialsSessionWithResponse(ctx, client.CredentialsSessionInput{
		PermissiblePurpose: client.PermissiblePurposeCreditApplication, Type: client.VerificationTypeEmploymentIncome, UseCase: client.UseCaseMortgage,
		Target: client.TargetInput{FirstName: "Ada", LastName: "Example", SocialSecurityNumber: "000-00-0000", Company: &company},
	})).JSON201
	must(session.Token != "", "no token")
	check := got[*client.GetQualificationCheckResponse](200)(c.GetQualificationCheckWithResponse(ctx, "qc_qualified")).JSON200
	must(check.Result.Outcome == client.Qualified, "the outcome is %s", check.Result.Outcome)
}
