package emulator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/api/apitest"
	"github.com/understudy-sandbox/understudy/scenarios"
)

// Contract 5 gives each kind of resource an id for every error status of spec 7.
func TestEveryErrorStatusHasMagicIDs(t *testing.T) {
	t.Parallel()
	c := start(t)
	messages := map[int]string{
		400: "Invalid field values provided", 401: message401, 403: message403, 404: "Not Found",
		406: "An invalid API version was requested", 429: message429, 451: "The social security number is frozen",
		500: "Internal server error", 501: "Not Implemented",
	}
	for status, message := range messages {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			id := func(form string) string { return fmt.Sprintf(form, status) }
			wantStatus(t, c.Get(id("/verification-requests/vr_error_%d")), status, message)
			wantStatus(t, c.Put(id("/verification-requests/vr_error_%d/cancel"), cancelOther), status, message)
			wantStatus(t, c.Put(id("/tenant-properties/tp_error_%d"), `{"name":"Quay"}`), status, message)
			wantStatus(t, c.Get(id("/qualification-checks/qc_error_%d")), status, message)

			before := c.Get(id("/verification-requests/vr_cancel_error_%d"))
			wantStatus(t, before, 200, "")
			wantStatus(t, c.Put(id("/verification-requests/vr_cancel_error_%d/cancel"), cancelOther), status, message)
			if v := read(t, c, id("vr_cancel_error_%d")); v.State != api.StateProcessing {
				t.Errorf("reads as %s", v.State)
			}
		})
	}
}

// Every magic value of the catalogue is asked every operation of its kind; the checking client holds each answer against
// the OpenAPI document.
func TestTheWholeCatalogueAnswersByTheDocument(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	c := start(t, (&pauses{}).option())
	for _, s := range catalogue.All() {
		if slices.ContainsFunc(s.Rules, breaks) {
			continue // the tests of faults ask these
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			for _, r := range ask(c, s.Magic) {
				if got := r.Header.Get("Understudy-Scenario"); got != s.Name {
					t.Errorf("decided by the scenario %q: %d %s", got, r.Status, r.Body)
				}
			}
		})
	}
}

// breaks reports whether a rule leaves no answer to look at.
func breaks(r scenarios.Rule) bool {
	return r.Fault != scenarios.NoFault && r.Fault != scenarios.Dribble
}

func ask(c *apitest.Client, magic scenarios.Magic) (answers []*apitest.Response) {
	if id := magic.VerificationRequest; id != "" {
		answers = append(answers,
			c.Get("/verification-requests/"+id),
			c.Get("/verification-requests/"+id+"?income_analytics=true"),
			c.Get("/verification-requests/"+id+"?fields=id,reports"),
			c.Put("/verification-requests/"+id+"/cancel", cancelOther),
			c.Get("/verification-requests/"+id),
		)
	}
	if id := magic.TenantProperty; id != "" {
		answers = append(answers, c.Put("/tenant-properties/"+id, `{"name":"Quay"}`))
	}
	if id := magic.QualificationCheck; id != "" {
		answers = append(answers, c.Get("/qualification-checks/"+id))
	}
	if ssn := strings.Replace(string(magic.SSN), string(scenarios.AnySSN), "000-12-3456", 1); ssn != "" {
		answers = append(answers, c.Post("/credentials/session", session(ssn)))
	}
	return answers
}
