package scenarios_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/fixtures"
	"github.com/understudy-sandbox/understudy/scenarios"
)

const whole = `# A comment.
name: slow
title: Takes its time
magic: {verification_request: vr_slow, ssn: 000-00-1007}
verification_request:
  type: employment
  use_case: background
  permissible_purpose: employment
  timeline:
    - state: pending-approval
    - state: processing
      after: {reads: 2}
    - state: canceled
      after: {reads: 1}
      cancellation_reason: wrong-info
      cancellation_details: "Nobody: of that name"
reports:
  - pay: {base: 62000.00, paystubs: 12}
rules:
  - {on: cancel, respond: {status: 500, message: Not today}}
`

func TestParse(t *testing.T) {
	t.Parallel()
	found, problems := scenarios.Parse("slow.yaml", []byte(whole))
	if len(problems) > 0 || len(found) != 1 {
		t.Fatalf("%d scenarios, %v", len(found), problems)
	}
	got := *found[0]
	want := scenarios.Scenario{
		Name: "slow", Title: "Takes its time",
		Magic: scenarios.Magic{VerificationRequest: "vr_slow", SSN: "000001007"},
		VerificationRequest: &scenarios.VerificationRequest{
			VerificationShape: fixtures.VerificationShape{Type: api.TypeEmployment, UseCase: "background", PermissiblePurpose: "employment"},
			Timeline: scenarios.Timeline{
				{State: api.StatePendingApproval},
				{State: api.StateProcessing, After: scenarios.After{Reads: 2}},
				{
					State: api.StateCanceled, After: scenarios.After{Reads: 1},
					CancellationReason: new(api.CancellationReason("wrong-info")), CancellationDetails: new("Nobody: of that name"),
				},
			},
		},
		Reports: []fixtures.ReportShape{{Pay: fixtures.PayShape{Base: 62000_00, Paystubs: new(12)}}},
		Rules:   []scenarios.Rule{{On: "cancel", Respond: &scenarios.Response{Status: 500, Message: "Not today"}, At: got.Rules[0].At}},
		At:      got.At,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(scenarios.Scenario{}, fixtures.PayShape{}, fixtures.ReportShape{})); diff != "" {
		t.Error(diff)
	}
	if got.At.Line != 2 || got.Rules[0].At.Line != 20 {
		t.Errorf("scenario at %v, rule at %v", got.At, got.Rules[0].At)
	}
}

func TestParseProblem(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ old, new, problem string }{
		"an unknown key close to a known one":               {"title:", "titel:", `f.yaml:3:1: unknown key "titel": did you mean title?`},
		"an unknown key":                                    {"title:", "colour: red\ntitle:", `f.yaml:3:1: unknown key "colour": the keys here are name, title, matrix, magic`},
		"an unknown key further down":                       {"type: employment", "typo: employment", `f.yaml:6:3: unknown key "typo": did you mean type?`},
		"an unknown value close to a known one":             {"state: processing", "state: procesing", `f.yaml:11:14: unknown value "procesing" for state: did you mean processing?`},
		"an unknown value":                                  {"state: processing", "state: sleeping", `unknown value "sleeping" for state: must be one of pending-approval, action-required`},
		"the catch-all state":                               {"state: processing", "state: other", `unknown value "other"`},
		"text for a number":                                 {"reads: 2", "reads: two", `f.yaml:12:22: reads takes a whole number, not "two"`},
		"an invalid span":                                   {"{reads: 2}", "{elapsed: 2 days}", `f.yaml:12:24: elapsed "2 days" is not a span of time such as 90s, 10m, 48h or 7d`},
		"a step with two conditions":                        {"{reads: 2}", "{reads: 2, elapsed: 1h}", "f.yaml:11:7: a step needs after, which takes one of"},
		"a negative count":                                  {"reads: 2", "reads: -2", "a step needs after, which takes one of"},
		"a list for a mapping":                              {"{reads: 2}", "[2]", "after takes a mapping, not a list: write after: {elapsed: 10m}"},
		"a mapping for a list":                              {"- {on: cancel, respond: {status: 500, message: Not today}}", "on: cancel", "f.yaml:20:3: rules takes a list, not a mapping"},
		"a mapping for a value":                             {"type: employment", "type: {a: b}", "type takes one value, not a mapping"},
		"nothing for a value":                               {"type: employment", "type:", "f.yaml:6:8: type needs a value"},
		"a social security number that could be real":       {"000-00-1007", "123-45-6789", "could have been issued to a person"},
		"an invalid social security number":                 {"000-00-1007", "000-00-107", `must be a social security number`},
		"an invalid amount":                                 {"62000.00", "62k", "is not an amount of money such as 62000"},
		"a salary of cents":                                 {"62000.00", "6.20", "base must be a year's pay, from 1000.00"},
		"a negative number of paystubs":                     {"paystubs: 12", "paystubs: -1", "paystubs must be from 0 to 520"},
		"no name":                                           {"name: slow\n", "", "a scenario needs a name"},
		"no title":                                          {"title: Takes its time\n", "", "a scenario needs a title"},
		"no magic value":                                    {whole, "name: a\ntitle: a\n", "a scenario needs a magic value"},
		"a rule without operation":                          {"on: cancel, ", "", "a rule needs an operation"},
		"a state after a terminal one":                      {"state: processing", "state: completed", "f.yaml:13:7: nothing leaves completed"},
		"a first step after something":                      {"- state: pending-approval", "- {state: pending-approval, after: {reads: 1}}", "the first step is the start"},
		"a step without state":                              {"- state: pending-approval", "- {}", "a step needs a state"},
		"a reason without cancellation":                     {"state: canceled", "state: completed", "only a canceled request has a cancellation reason"},
		"a qualification check without magic":               {"reports:", "qualification_check: {rent: 1}\nreports:", "qualification_check needs a magic value that leads to it"},
		"a rule for an operation that the scenario has not": {"on: cancel", "on: update", "f.yaml:20:10: the magic values of this scenario have no operation update"},
		"a section without a magic value":                   {"{verification_request: vr_slow, ssn: 000-00-1007}", "{tenant_property: tp_slow}", "verification_request needs a magic value that leads to it"},
		"reports without a magic value":                     {"{verification_request: vr_slow, ssn: 000-00-1007}", "{tenant_property: tp_slow}", "reports needs a magic value that leads to it"},
		"a name with a line break":                          {"name: slow", `name: "a\r\nb"`, `name "a\r\nb" is not a name of 1 to 64`},
		"an id with a space":                                {"vr_slow", "vr slow", `verification_request "vr slow" is not an id of 1 to 128`},
		"a rule without effect":                             {", respond: {status: 500, message: Not today}", "", "a rule needs an effect"},
		"two answers":                                       {"status: 500, message: Not today}", "status: 500}, fault: empty", "f.yaml:20:5: a rule has one answer: write respond or fault"},
		"a limit beside a fault":                            {"respond: {status: 500, message: Not today}", "limit: 1/s, fault: empty", "a limit answers 429 or the error of respond"},
		"a limit beside every":                              {"on: cancel", "on: cancel, limit: 1/s, every: 2", "a limit goes with on, state, between and respond only"},
		"an invalid limit":                                  {"on: cancel", "on: cancel, limit: often", `f.yaml:20:25: limit "often" is not a rate limit: write requests/time, such as 10/s`},
		"an invalid call number":                            {"on: cancel", "on: cancel, calls: first", `"first" is not a call number such as 1, a range such as 2-3`},
		"a range backwards":                                 {"on: cancel", "on: cancel, calls: 3-2", `"3-2" is not a call number`},
		"the call before the first":                         {"on: cancel", "on: cancel, calls: 0", `"0" is not a call number`},
		"a zero that means no value":                        {"base: 62000.00", "base: 0.00", "base must not be 0, which means the same as no value"},
		"a filter that excludes a report":                   {whole, "name: a\ntitle: a\nmagic: {verification_request: vr_a}\nverification_request: {employer_filter: previous-employers}\nreports: [{employee: {status_detail: active}}]\n", "f.yaml:4:41: employer_filter previous-employers excludes report 1"},
		"a probability over 1":                              {"on: cancel", "on: cancel, probability: 10", `"10" is not a probability above 0 and up to 1, such as 0.1`},
		"no probability":                                    {"on: cancel", "on: cancel, probability: 0", `"0" is not a probability`},
		"a probability that is no number":                   {"on: cancel", "on: cancel, probability: nan", `"nan" is not a probability`},
		"an unknown fault":                                  {"on: cancel", "on: cancel, fault: connection-rest", "did you mean connection-reset?"},
		"an unknown state of a rule":                        {"on: cancel", "on: cancel, state: procesing", "did you mean processing?"},
		"a delay of two kinds":                              {"on: cancel", "on: cancel, delay: {fixed: 1s, between: [1s, 2s]}", "f.yaml:20:25: a delay is one of"},
		"a delay of no kind":                                {"on: cancel", "on: cancel, delay: {}", "a delay is one of"},
		"a delay between one thing":                         {"on: cancel", "on: cancel, delay: {between: [1s]}", "f.yaml:20:26: between takes the shortest and the longest"},
		"a delay between backwards":                         {"on: cancel", "on: cancel, delay: {between: [2s, 1s]}", "between takes the shortest and the longest"},
		"a delay of an hour":                                {"on: cancel", "on: cancel, delay: {fixed: 1h}", "a delay may be 10m at most"},
		"a lognormal delay without sigma":                   {"on: cancel", "on: cancel, delay: {lognormal: {median: 1s}}", "a lognormal delay needs a median and a sigma"},
		"a lognormal maximum below the median":              {"on: cancel", "on: cancel, delay: {lognormal: {median: 2s, sigma: 1, max: 1s}}", "max must be at least the median"},
		"an invalid sigma":                                  {"on: cancel", "on: cancel, delay: {lognormal: {median: 2s, sigma: -1}}", `"-1" is not a sigma above 0`},
		"a reserved header":                                 {"message: Not today", "headers: {content-length: 3}", "the header Content-Length is set by the emulator"},
		"a reserved header prefix":                          {"message: Not today", "headers: {understudy-world: a}", "the header Understudy-World is set by the emulator"},
		"an invalid header":                                 {"message: Not today", "headers: {Retry After: a}", "is not the name of a header"},
		"a header of two lines":                             {"message: Not today", `headers: {Retry-After: "1\r\nX-Evil: 1"}`, "the header Retry-After may have up to 1000 printable ASCII characters"},
		"a state without a verification request":            {whole, "name: a\ntitle: a\nmagic: {tenant_property: t}\nrules: [{on: update, state: completed, respond: {status: 500}}]\n", "state is the state of a verification request"},
		"a state of another kind":                           {whole, "name: a\ntitle: a\nrules: [{on: get qualification_check, state: completed, respond: {status: 500}}]\n", "f.yaml:3:39: state is the state of a verification request, which on: get qualification_check is not about"},
		"an API key beside an id":                           {"ssn: 000-00-1007", "api_key: '*_slow'", "api_key stands alone"},
		"completed without processing":                      {"state: processing", "state: completed", "f.yaml:11:7: nothing is completed before it was processed"},
		"a state twice in a row":                            {"state: processing", "state: pending-approval", "f.yaml:11:7: it is pending-approval already"},
		"neither true nor false":                            {"{reads: 2}", "{manual: soon}", `f.yaml:12:23: manual takes true or false, not "soon"`},
		"a key twice":                                       {"title:", "name: again\ntitle:", "f.yaml:3:1: not valid YAML"},
		"not YAML":                                          {"{reads: 2}", "{reads: 2", "not valid YAML"},
		"a document that is a list":                         {whole, "- a\n- b\n", "f.yaml:1:1: must be a mapping of name, title"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, problems := scenarios.Parse("f.yaml", []byte(strings.Replace(whole, tt.old, tt.new, 1)))
			if len(problems) == 0 || !strings.Contains(problems.Error(), tt.problem) {
				t.Errorf("problems\n%v\nwant one that has\n%s", problems, tt.problem)
			}
		})
	}
}

func TestParseProblemLimit(t *testing.T) {
	t.Parallel()
	_, problems := scenarios.Parse("f.yaml", []byte(strings.Repeat("- a\n---\n", 1000)))
	if len(problems) != 101 || !strings.Contains(problems[100].What, "more problems from here on") {
		t.Errorf("%d problems, the last %v", len(problems), problems[len(problems)-1])
	}
}

func TestOverDuplicates(t *testing.T) {
	t.Parallel()
	var files scenarios.Files
	for _, f := range []struct{ file, name, magic string }{
		{"a.yaml", "one", "{verification_request: vr_a}"},
		{"b/c.yml", "one", "{verification_request: vr_b}"},
		{"b/d.yaml", "two", "{verification_request: vr_a}"},
		{"e.yaml", "three", "{tenant_property: a}"},
		{"f.yaml", "four", "{ssn: 000-12-3456}"},
		{"g.yaml", "five", "{ssn: 000123456}"},
	} {
		files = files.With(f.file, []byte("name: "+f.name+"\ntitle: t\nmagic: "+f.magic+"\n"))
	}
	_, err := files.Over(nil)
	want := `b/c.yml:1:7: the name one is taken: a.yaml:1:1: choose another, or write replaces: one to take its place
  1 | name: one
    |       ^
b/d.yaml:3:31: the verification request vr_a is taken: a.yaml:1:1: choose another, or write replaces: one to take its place
  3 | magic: {verification_request: vr_a}
    |                               ^
g.yaml:3:14: the SSN 000-12-3456 is taken: f.yaml:1:1: choose another, or write replaces: four to take its place
  3 | magic: {ssn: 000123456}
    |              ^`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, file := range builtinFiles(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(whole))
	f.Add([]byte("a: &a [1]\nb: *a\n<<: *a\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, problems := scenarios.Parse("f.yaml", data)
		for _, p := range problems {
			if p.At.Line < 1 || p.At.Column < 1 || p.What == "" {
				t.Errorf("problem %+v has no position or text", p)
			}
		}
		if len(problems) > 0 {
			return
		}
		for _, s := range found {
			if s.Name == "" || s.Global() && len(s.Rules) == 0 && s.Settings == (scenarios.Settings{}) || len(s.Timeline()) == 0 {
				t.Errorf("scenario %+v passes", s)
			}
		}
	})
}

// What is no mistake stays what was written.
func TestGivenTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"company: {state: PR, zip_code: 00901}", "company: {state: DC, zip_code: 20005-1234}", "company: {zip_code: 97204, phone_number: (503) 555-0100}",
		"person: {last_name: No, email: ada+1@mail.example.com, phone: +1 503 555 0100, date_of_birth: 1900-01-01}", "person: {last_name: 7, first_name: \"Null\"} #7",
		"verification_request: {set: {target: {phone_number: hello, contact_email: nope, company: {state: ZZ, zip_code: ABC}}}}",
		"person: {last_name: Example # a comment\n  }", "person: {last_name: \"Example\" #7\n  }", "person: {last_name: Example#7}",
	} {
		if _, problems := scenarios.Parse("f.yaml", []byte(base+text+"\n")); problems != nil {
			t.Errorf("%s: %v", text, problems)
		}
	}
}
